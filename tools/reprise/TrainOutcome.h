//===- TrainOutcome.h - What a run cost and gave ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_TRAINOUTCOME_H
#define REPRISE_TOOLS_TRAINOUTCOME_H

#include "TrainFlags.h"

namespace reprise::tools {

/// What a run cost and gave.
struct Outcome {
  rt::TrainResult result;
  rt::Progress last;
  uint64_t processHighWater = 0;
  std::optional<rt::EvaluateResult> evaluation;
};

/// For people, a line each.
std::string resultText(const TrainFlags &options, RunningProgram &running,
                       const Outcome &outcome);
std::string resultJson(const TrainFlags &options, RunningProgram &running,
                       const Outcome &outcome);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_TRAINOUTCOME_H
