//===- Assets.h - Style and script of the report ----------------*- C++ -*-===//
#ifndef REPRISE_REPORT_ASSETS_H
#define REPRISE_REPORT_ASSETS_H

namespace reprise::driver {

/// report.css and report.js, which CMake embeds into the library.
extern const char *const kReportStyle;
extern const char *const kReportScript;

} // namespace reprise::driver

#endif // REPRISE_REPORT_ASSETS_H
