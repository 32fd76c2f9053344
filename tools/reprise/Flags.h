//===- Flags.h - Options shared by commands ---------------------*- C++ -*-===//
//
// Each function adds the options of some settings to a command, in groups of
// its help, and lets the settings ask which were given.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_FLAGS_H
#define REPRISE_TOOLS_FLAGS_H

#include "reprise/Driver/RequestSettings.h"
#include "reprise/Run/RunOptions.h"
#include "reprise/Run/TrainSettings.h"
#include <CLI/CLI.hpp>

namespace reprise::driver {

/// Adds the model options that a network in a file takes.
void addFileOptions(CLI::App &command, ModelSettings &model);
void addModelOptions(CLI::App &command, ModelSettings &model);
void addCompileOptions(CLI::App &command, CompileSettings &compile);
/// Adds the model, its data and its device too.
void addRunOptions(CLI::App &command, RunOptions &run);
/// Adds the choice between a state's weights and their averages.
void addWeightsChoice(CLI::App &command, rt::EvaluatedWeights &weights);
/// Adds all options of 'reprise train'.
void addTrainOptions(CLI::App &command, TrainSettings &training);

/// Returns the settings of 'reprise train' with none given, for checkRecipe.
std::shared_ptr<TrainSettings> makeTraining();

/// Thrown through the parser for a recipe whose problems were shown; ends the
/// process with its code.
struct RecipeRefused {
  int code;
};

} // namespace reprise::driver

#endif // REPRISE_TOOLS_FLAGS_H
