//===- Report.h - A program's memory as a page ------------------*- C++ -*-===//
//
// One self-contained HTML file: no other file, no network. Tables, the memory
// over a step by kind of buffer, and the placement as time x address, with the
// buffer's name under the mouse.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_REPORT_REPORT_H
#define REPRISE_TOOLS_REPORT_REPORT_H

#include "artifact/ProgramFacts.h"

namespace reprise::tools {

/// Equal input gives equal text. `curve` is a picture by drawCurve, or "".
std::string makeReport(const ProgramFacts &program,
                       const std::string &curve = "");

} // namespace reprise::tools

#endif // REPRISE_TOOLS_REPORT_REPORT_H
