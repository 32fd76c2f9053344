//===- TrainFlags.h - Options of a run --------------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_TRAINFLAGS_H
#define REPRISE_TOOLS_TRAINFLAGS_H

#include "HookFlags.h"
#include "ProgramFlags.h"
#include "RecipeFlags.h"
#include "RunFlags.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <optional>

namespace reprise::driver {

/// The options of `reprise train`, from a command line or a recipe.
struct TrainFlags {
  CLI::App *command = nullptr;
  RecipeFlags recipe;
  RunFlags run;
  HookFlags hooks;
  ProgramFlags programs;
  ProgramPlan plan; // the programs' settings, after completeFlags
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

  void addTo(CLI::App &app);
};

/// Combines the options, and rejects contradictory ones.
rt::Status completeFlags(TrainFlags &options);

/// Reads the position of the run to resume, and takes its settings for which no
/// option is given; `batch`: for a zoo's model without a given one. Rejects
/// contradicting options before anything is compiled.
rt::Status takeFromState(TrainFlags &options, std::optional<int64_t> &batch);

/// Returns the options in the form of a recipe; without an option, the setting
/// of the state's recipe, and the defaults that affect a run. Call after
/// completeFlags.
rt::Expected<std::vector<recipe::Setting>>
resolvedSettings(const TrainFlags &options);

/// Returns the options of the model alone, as a recipe; empty if none is given.
std::string modelRecipe(const TrainFlags &options);

/// Returns the recipe that repeats this run: resolved, with the target that
/// `running` was compiled for, and without output paths.
rt::Expected<std::string> repeatingRecipe(const TrainFlags &options,
                                          RunningProgram &running);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_TRAINFLAGS_H
