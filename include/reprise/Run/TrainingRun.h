//===- TrainingRun.h - A training run ---------------------------*- C++ -*-===//
#ifndef REPRISE_RUN_TRAININGRUN_H
#define REPRISE_RUN_TRAININGRUN_H

#include "reprise/Run/TrainSettings.h"

namespace reprise::driver {

/// Compiles or loads a program, trains it, and prints what the run cost.
rt::Status runTraining(TrainSettings &options);

/// Shows the error of a run that did not end as intended, at its place in the
/// recipe if it is about a setting of that, and returns the exit code. `make`
/// is for checkRecipe.
int failTraining(const TrainSettings &options, const rt::Status &status,
                 const MakeTraining &make);

} // namespace reprise::driver

#endif // REPRISE_RUN_TRAININGRUN_H
