//===- EntryBindings.h - Inputs and outputs of an entry ---------*- C++ -*-===//
//
// The inputs and outputs of the trainer's two entries by their roles, checked
// once before a run.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_ENTRYBINDINGS_H
#define REPRISE_RUNTIME_TRAINER_ENTRYBINDINGS_H

#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include <functional>

namespace reprise::rt {

/// Names of inputs and outputs; empty if the program has none of the role.
struct EntryBindings {
  std::string entry;
  size_t batch = 0;
  /// The inputs from the data, in order.
  std::vector<Column> columns;
  std::string learningRate, seed, step, mixRatio;
  double mixup = 0; // parameter of the ratio's distribution, if any
  std::string loss, logits, nonFinite;
  std::vector<TensorInfo> metrics;
  int32_t classes = 0; // of the logits; 0 without logits
  /// The smallest number of classes that an op or the logits have for a label,
  /// 0 if unknown; and the ignored label.
  int32_t labelLimit = 0;
  std::optional<int32_t> ignored;
  /// The index of the label among the columns.
  std::optional<size_t> label;

  /// Returns the options for opening its data.
  DatasetOptions wanted() const;
};

enum class StepKind { Train, Evaluate };

/// Returns the name of an entry: "train_step" or "eval_step".
const char *entryName(StepKind kind);

/// Fails unless the program has the entry with the inputs and outputs that
/// Trainer.h documents.
Expected<EntryBindings> readEntryBindings(const Backend &backend,
                                          StepKind kind);

/// Returns the bindings of the rows alone: columns, label and logits.
Expected<EntryBindings> readRowBindings(const EntryInfo &entry);

/// Fails unless the columns and labels of `data` fit the entry.
Status checkDataFits(const EntryBindings &form, const Dataset &data,
                     const std::string &source);

/// Passes on the data's warnings for users who train on it; `take` may be
/// empty.
void tellWarnings(const Dataset &data,
                  const std::function<void(const std::string &)> &take);

/// The place of a step's draws.
struct DrawPlace {
  uint64_t seed = 0, step = 0, microBatch = 0;
};

/// Sets the inputs from the data, and seed, step and mixing ratio if the
/// program takes them.
Status setBatch(Backend &backend, const EntryBindings &form, const Batch &batch,
                const DrawPlace &draws);

/// Counts the labels of the batch that are not ignored; a row may have several.
size_t keptLabels(const EntryBindings &form, const Batch &batch);

/// Reads the metrics of the last run.
Status readMetrics(Backend &backend, const EntryBindings &form,
                   std::map<std::string, double> &values);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_ENTRYBINDINGS_H
