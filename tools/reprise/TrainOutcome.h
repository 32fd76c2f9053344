//===- TrainOutcome.h - What a run cost and gave ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_TRAINOUTCOME_H
#define REPRISE_TOOLS_TRAINOUTCOME_H

#include "RunPrograms.h"
#include "TrainFlags.h"

namespace reprise::tools {

/// What a run cost and gave.
struct Outcome {
  rt::TrainResult result;
  rt::Progress last;
  uint64_t processPredicted = 0, processHighWater = 0;
  std::optional<rt::EvaluateResult> evaluation;
  /// An error after the last step; the summary is printed all the same.
  rt::Status failure;
  /// Of a run that has several: each that ran, how long compilations were
  /// waited for after the first one, and how long they went on beside the
  /// steps.
  std::vector<UsedProgram> programs;
  double compileSeconds = 0, hiddenSeconds = 0;
};

/// For people, a line each.
std::string resultText(const TrainFlags &options, RunningProgram &running,
                       const Outcome &outcome);
nlohmann::ordered_json resultJson(const TrainFlags &options,
                                  RunningProgram &running,
                                  const Outcome &outcome);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_TRAINOUTCOME_H
