//===- TrainFlags.h - What a run is told ------------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_TRAINFLAGS_H
#define REPRISE_TOOLS_TRAINFLAGS_H

#include "HookFlags.h"
#include "ProgramFlags.h"
#include "RecipeFlags.h"
#include "RunSource.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <optional>

namespace reprise::tools {

/// The options of `reprise train`, from a command line or a recipe.
struct TrainFlags {
  CLI::App *command = nullptr;
  RecipeFlags recipe;
  RunFlags run;
  HookFlags hooks;
  ProgramFlags programs;
  ProgramPlan plan; // what they say, once it was completed
  rt::TrainOptions train;
  std::vector<std::string> overridden;
  double rate = 0.05;
  std::string schedule = "constant";
  bool shuffle = false, evaluate = false, noEvaluate = false, json = false;
  bool checkFinite = false;
  /// Where the state to go on from stands; 0 without.
  uint64_t epoch = 0;
  /// What the recipe in the state to go on from says.
  std::vector<recipe::Setting> stored;

  void addTo(CLI::App &app);
};

/// Puts together what the options say, and refuses what makes no sense.
rt::Status completeFlags(TrainFlags &options);

/// Reads where the run stands that is to go on, and takes from it what no
/// option says; `batch`: of a zoo's model that is not told its own. What
/// options say otherwise is refused before anything is compiled for it.
rt::Status takeFromState(TrainFlags &options, std::optional<int64_t> &batch);

/// What the options say, as a recipe says it; where they say nothing what the
/// recipe of the state said, and the defaults that decide a run. Call after
/// completeFlags.
rt::Expected<std::vector<recipe::Setting>>
resolvedSettings(const TrainFlags &options);

/// The options of the model alone, as a recipe; empty where none is given.
std::string modelRecipe(const TrainFlags &options);

/// The recipe that repeats this run: resolved, with what `running` was compiled
/// for, and without what only says where things go.
rt::Expected<std::string> repeatingRecipe(const TrainFlags &options,
                                          RunningProgram &running);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_TRAINFLAGS_H
