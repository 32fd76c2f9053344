//===- TrainSettings.h - Options of a run -----------------------*- C++ -*-===//
#ifndef REPRISE_RUN_TRAINSETTINGS_H
#define REPRISE_RUN_TRAINSETTINGS_H

#include "reprise/Run/ProgramSettings.h"
#include "reprise/Run/RunHooks.h"
#include "reprise/Run/RunOptions.h"
#include "reprise/Run/RunRanks.h"
#include "reprise/Run/RunRecipe.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <optional>

namespace reprise::driver {

/// The options of `reprise train`, from a command line or a recipe.
struct TrainSettings {
  std::shared_ptr<GivenOptions> command = std::make_shared<GivenOptions>();
  RunRecipe recipe;
  RunOptions run;
  RunHooks hooks;
  RunRanks ranks;
  ProgramSettings programs;
  ProgramPlan plan; // the programs' settings, after completeSettings
  rt::TrainOptions train;
  std::vector<std::string> overridden;
  double rate = 0.05;
  std::string schedule = "constant";
  bool shuffle = false, evaluate = false, noEvaluate = false, json = false;
  bool checkFinite = false;
  /// The epoch of the state to resume; 0 without one.
  uint64_t epoch = 0;
  /// The settings in the recipe of the state to resume.
  std::vector<recipe::Setting> stored;
};

/// Combines the options, and rejects contradictory ones.
rt::Status completeSettings(TrainSettings &options);

/// Reads the position of the run to resume, and takes its settings for which no
/// option is given; `batch`: for a zoo's model without a given one. Rejects
/// contradicting options before anything is compiled.
rt::Status takeFromState(TrainSettings &options, std::optional<int64_t> &batch);

/// Returns the options in the form of a recipe; without an option, the setting
/// of the state's recipe, and the defaults that affect a run. Call after
/// completeSettings.
rt::Expected<std::vector<recipe::Setting>>
resolvedSettings(const TrainSettings &options);

/// Returns the options of the model alone, as a recipe; empty if none is given.
std::string modelRecipe(const TrainSettings &options);

/// Returns the recipe that repeats this run: resolved, with the target that
/// `running` was compiled for, and without output paths.
rt::Expected<std::string> repeatingRecipe(const TrainSettings &options,
                                          RunningProgram &running);

} // namespace reprise::driver

#endif // REPRISE_RUN_TRAINSETTINGS_H
