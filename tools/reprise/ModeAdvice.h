//===- ModeAdvice.h - Modes that are not worth it ---------------*- C++ -*-===//
//
// A mode of checkpointing computes again to save memory. One that saves
// nothing, or that another mode beats in both, is named with the better one.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_MODEADVICE_H
#define REPRISE_TOOLS_MODEADVICE_H

#include "ModelRequest.h"

namespace reprise::tools {

/// The cost of a mode.
struct ModeCost {
  std::string mode;
  uint64_t peakBytes = 0;
  double recomputed = 0; // of the step without recomputation
};

/// Writes a line for each mode that another one beats in bytes and time, naming
/// the one of fewest bytes that does; "" for none.
std::string describeBeaten(const std::vector<ModeCost> &modes);

/// Warns of a request whose mode computes again and saves nothing. `compiler`
/// has lowered it to a program. Plans the step without recomputation for that,
/// where the mode does recompute.
void warnOfMode(const ModelRequest &request, Compiler &compiler);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_MODEADVICE_H
