//===- NonFinite.h - Steps whose loss is not finite -------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_NONFINITE_H
#define REPRISE_RUNTIME_TRAINER_NONFINITE_H

#include "TrainingData.h"

namespace reprise::rt {

/// The inputs of a second run of a training step, beside the variables.
struct StepAgain {
  const TrainingData &data;
  const EntryBindings &form; // of the program that ran the step
  LoaderOptions batch;       // the loader's first batch is the step's
  uint64_t number = 0;       // steps before this one
  float rate = 0;
  /// True if no parameter has been updated since the step began.
  bool isUnchanged = false;
  /// Labels of the batch that are not ignored.
  uint64_t labels = 1;
};

/// Reads the loss of a step that ran. Fails, naming the first tensor that is
/// not finite, where the loss is not or where the program reports that another
/// value is not.
Expected<float> readFiniteLoss(Backend &backend, const StepAgain &step);

/// Runs a step again in a checking mode. Returns a clause for the end of a
/// message that names the first tensor that is not finite.
std::string tellFirstNonFinite(Backend &backend, const StepAgain &step);

/// The clause that describes a finding of findNonFinite.
std::string describe(const Backend::NonFinite &found);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_NONFINITE_H
