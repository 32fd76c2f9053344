//===- CurveChart.h - Time over memory as a picture -------------*- C++ -*-===//
//
// One self-contained SVG: a step's time under each budget, what no schedule can
// beat below it, and other methods' points. A picture in a file carries its
// numbers, so that a report draws it again with its program on it. No MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_REPORT_CURVECHART_H
#define REPRISE_TOOLS_REPORT_CURVECHART_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reprise::tools {

struct CurvePoint {
  std::string label; // of other methods' points
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
  /// By increasing bytes, up to those of `plain`, within which the kernels of a
  /// mode may take less time.
  std::vector<CurvePoint> curve, bound;
  /// Modes of checkpointing, and solvers on the flat step.
  std::vector<CurvePoint> modes, solvers;
  uint64_t provenBytes = 0; // under which no schedule exists
  /// Of the step: what tells whether a program is one of these.
  uint64_t fixedBytes = 0;
  int64_t batch = 0; // 0: not known
  std::optional<CurvePoint> asked, program;
};

/// For a page, and for one of a telephone's width.
enum class CurveFrame { Wide, Narrow };

/// Equal input gives equal text.
std::string drawCurve(const CurveChart &chart,
                      CurveFrame frame = CurveFrame::Wide);

/// drawCurve with the numbers in it, for readCurve.
std::string writeCurve(const CurveChart &chart);

/// The numbers of a picture by writeCurve; nothing of another file.
std::optional<CurveChart> readCurve(const std::string &svg);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_REPORT_CURVECHART_H
