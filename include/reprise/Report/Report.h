//===- Report.h - A web page of a program's memory --------------*- C++ -*-===//
//
// One self-contained HTML file: no other file, no network. Tables, the memory
// over a step by kind of buffer, and the placement as time x address, usable
// with a mouse, a finger or the keyboard, in wide and narrow, light and dark
// windows.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REPORT_REPORT_H
#define REPRISE_REPORT_REPORT_H

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Report/CurveChart.h"

namespace reprise::driver {

/// Equal input gives equal text. A `curve` of the program's step gets a mark at
/// the program's place.
std::string makeReport(const ProgramFacts &program,
                       const std::optional<CurveChart> &curve = std::nullopt);

} // namespace reprise::driver

#endif // REPRISE_REPORT_REPORT_H
