//===- TrainOutcome.h - Results and cost of a run ---------------*- C++ -*-===//
#ifndef REPRISE_RUN_TRAINOUTCOME_H
#define REPRISE_RUN_TRAINOUTCOME_H

#include "reprise/Run/RunPrograms.h"
#include "reprise/Run/TrainSettings.h"
#include <nlohmann/json.hpp>

namespace reprise::driver {

/// The results and the cost of a run.
struct Outcome {
  rt::TrainResult result;
  rt::Progress last;
  uint64_t processPredicted = 0, processHighWater = 0;
  std::optional<rt::EvaluateResult> evaluation;
  /// An error after the last step; the summary is printed nevertheless.
  rt::Status failure;
  /// The programs of a run with several that ran, the seconds that compilations
  /// were waited for after the first one, and those of compilations while steps
  /// ran.
  std::vector<UsedProgram> programs;
  double compileSeconds = 0, hiddenSeconds = 0;
};

/// Returns the file that holds the last state; "" if none was saved.
std::string stateOf(const TrainSettings &options,
                    const rt::TrainResult &result);

/// Returns lines for people.
std::string resultText(const TrainSettings &options, RunningProgram &running,
                       const Outcome &outcome);
nlohmann::ordered_json resultJson(const TrainSettings &options,
                                  RunningProgram &running,
                                  const Outcome &outcome);

} // namespace reprise::driver

#endif // REPRISE_RUN_TRAINOUTCOME_H
