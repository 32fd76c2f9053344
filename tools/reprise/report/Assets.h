//===- Assets.h - Style and script of the report ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_REPORT_ASSETS_H
#define REPRISE_TOOLS_REPORT_ASSETS_H

namespace reprise::tools {

/// report.css and report.js, which CMake embeds into the library.
extern const char *const kReportStyle;
extern const char *const kReportScript;

} // namespace reprise::tools

#endif // REPRISE_TOOLS_REPORT_ASSETS_H
