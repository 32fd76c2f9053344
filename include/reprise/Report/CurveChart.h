//===- CurveChart.h - Chart of time over memory -----------------*- C++ -*-===//
//
// One self-contained SVG: a step's time for each budget, the bound of all
// schedules below it, and other methods' points. A picture in a file carries
// its numbers, so that a report can draw it again with its program. No MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REPORT_CURVECHART_H
#define REPRISE_REPORT_CURVECHART_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

struct CurvePoint {
  std::string label; // for other methods' points
  uint64_t bytes = 0;
  double milliseconds = 0; // 0: not known
  /// The budget that a solver was given for this point: "in 5.1 MiB".
  std::string within = "";

  std::string name() const {
    return within.empty() ? label : label + " " + within;
  }
};

struct CurveChart {
  std::string title, subtitle;
  CurvePoint plain; // without recomputation
  /// Points by increasing bytes, up to those of `plain`; a mode's kernels may
  /// take less time at the same bytes.
  std::vector<CurvePoint> curve, bound;
  /// Modes of checkpointing, and solvers on the flat step.
  std::vector<CurvePoint> modes, solvers;
  uint64_t provenBytes = 0; // below which no schedule exists
  /// Facts of the step that identify a program of it.
  uint64_t fixedBytes = 0;
  int64_t batch = 0; // 0: not known
  std::optional<CurvePoint> asked, program;
};

/// The layout for a page, or for one of a phone's width.
enum class CurveFrame { Wide, Narrow };

/// Equal input gives equal text.
std::string drawCurve(const CurveChart &chart,
                      CurveFrame frame = CurveFrame::Wide);

/// Returns drawCurve's picture with the numbers in it, for readCurve.
std::string writeCurve(const CurveChart &chart);

/// Returns the numbers of a picture by writeCurve; nothing for other files.
std::optional<CurveChart> readCurve(const std::string &svg);

} // namespace reprise::driver

#endif // REPRISE_REPORT_CURVECHART_H
