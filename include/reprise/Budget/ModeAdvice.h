//===- ModeAdvice.h - Advice on inferior modes ------------------*- C++ -*-===//
//
// A checkpointing mode recomputes to save memory. If it saves nothing, or
// another mode is better in both, the advice names it and the better one.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BUDGET_MODEADVICE_H
#define REPRISE_BUDGET_MODEADVICE_H

#include "reprise/Driver/ModelRequest.h"

namespace reprise::driver {

/// Returns the modes of a table of all, without those that the step cannot
/// have.
std::vector<Checkpointing> comparedModes(const CompileOptions &compile);

/// The cost of a mode.
struct ModeCost {
  std::string mode;
  uint64_t peakBytes = 0;
  double recomputed = 0; // share of the step without recomputation
};

/// Writes a line for each mode that another one beats in bytes and time, naming
/// the one with the fewest bytes; "" if there is none.
std::string describeBeaten(const std::vector<ModeCost> &modes);

/// Warns if a request's mode recomputes but saves nothing. `compiler` has
/// lowered it to a program. If the mode recomputes, plans the step without
/// recomputation for comparison.
void warnOfMode(const ModelRequest &request, Compiler &compiler);

} // namespace reprise::driver

#endif // REPRISE_BUDGET_MODEADVICE_H
