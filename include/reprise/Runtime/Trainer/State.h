//===- State.h - Saving and loading the variables of a run ------*- C++ -*-===//
//
// A state is a sealed safetensors file with every variable of a session
// (parameters, optimizer state, running statistics, counters, seeds) under its
// name and in file layout, the position of the run in its data, and the
// settings that decide its course, so that a run continues with the same bits.
// Weights are any safetensors file that holds the parameters and running
// statistics.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_STATE_H
#define REPRISE_RUNTIME_TRAINER_STATE_H

#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include <functional>
#include <optional>

namespace reprise::rt {

/// The position of a run: the next batch begins at image `position` of epoch
/// `epoch` in the order that `seed` gives to `images` images.
struct RunPosition {
  uint64_t epoch = 0, step = 0, position = 0, seed = 0;
  uint64_t batch = 0, images = 0;
  /// The number of these steps that loss scaling skipped.
  uint64_t skippedSteps = 0;
  /// The normalization of the training images, if they are bytes.
  std::optional<Normalization> normalization;
  /// Empty in states of the first version, which had none.
  RunSettings runSettings;
  /// The recipe of the run, as text; empty if it had none.
  std::string recipe;
  /// The options of a zoo model that no recipe holds, as a recipe.
  std::string modelOptions;
  /// Names of the classes by number; empty if the data had none.
  std::vector<std::string> classNames;
  /// The texts of hooks, by their names.
  std::map<std::string, std::string> hooks;
};

/// Saves all variables. Refuses variables with values that are not finite, so
/// that a diverged run does not replace a good state.
Status saveState(Backend &backend, const std::string &path,
                 const RunPosition &position);

/// Fails if a state of `backend` could not be saved because of its contents: a
/// name that is reserved or not UTF-8.
Status checkSavable(Backend &backend, const std::string &path,
                    const RunPosition &position);

/// Fails for the state of another model, by its header: one that lacks some of
/// the model's variables, has them in another shape, or has others. Accepts
/// position tables that could be resized.
Status checkState(const std::string &path,
                  const std::vector<TensorInfo> &variables);

/// Loads all variables. Nothing is written to the session unless the digest and
/// every name, type and shape match. Moving averages may be missing, and begin
/// with the weights then, or be unknown to the program; `onNotice`, if any, is
/// told so.
Expected<RunPosition>
loadState(Backend &backend, const std::string &path,
          const std::function<void(const std::string &)> &onNotice = {});

/// Reads only the position, of a state whose digest matches.
Expected<RunPosition> readStatePosition(const std::string &path);

struct WeightsReport {
  size_t loaded = 0;
  /// Names in the file without a variable in the program; "num_batches_tracked"
  /// of batch-norm is ignored.
  std::vector<std::string> unexpected;
  /// Names of the head's variables, which keep their values.
  std::vector<std::string> kept;
  /// Names of position tables that were interpolated to another size.
  std::vector<std::string> resized;
  /// Names of the classes, if the file is a state that has them.
  std::vector<std::string> classNames;
};

/// The names of classes in a state; empty for other files.
Expected<std::vector<std::string>> readClassNames(const std::string &path);

/// Decides if a model's head may differ from that of the weights.
enum class Head {
  Loaded,
  /// Parameters keep their values if each extent that differs is the number of
  /// classes here and one other number in the whole file, or if they are
  /// missing and have the number of classes as an extent.
  Kept,
};

/// Loads every parameter and every running statistic by name. Missing ones, and
/// those of another shape or type, are an error that lists them all; a digest
/// is checked if there is one.
Expected<WeightsReport> loadWeights(Backend &backend, const std::string &path,
                                    Head head = Head::Loaded);

/// Writes the outputs of role gradient of the last run of `entry` under the
/// names, and in the file layout, of their variables.
Status writeGradients(Backend &backend, const std::string &entry,
                      const std::string &path);

/// Fails if the entry has no gradients, or a name cannot be written.
Status checkGradients(Backend &backend, const std::string &entry,
                      const std::string &path);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_STATE_H
