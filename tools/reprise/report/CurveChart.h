//===- CurveChart.h - Time over memory as a picture -------------*- C++ -*-===//
//
// One self-contained SVG: a step's time under each budget, what no schedule can
// beat below it, and other methods' points. No MLIR.
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
  double milliseconds = 0;
};

struct CurveChart {
  std::string title, subtitle;
  /// By increasing bytes; the last one computes nothing again.
  std::vector<CurvePoint> curve, bound;
  /// Modes of checkpointing, and solvers on the flat step.
  std::vector<CurvePoint> modes, solvers;
  uint64_t provenBytes = 0; // under which no schedule exists
  std::optional<CurvePoint> asked;
};

/// Equal input gives equal text.
std::string drawCurve(const CurveChart &chart);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_REPORT_CURVECHART_H
