//===- CheckOptions.h - Check the options of a run --------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_CHECKOPTIONS_H
#define REPRISE_RUNTIME_TRAINER_CHECKOPTIONS_H

#include "reprise/Runtime/Trainer/PathLock.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::rt {

/// Fails if the options of a run contradict each other.
Status checkOptions(const TrainOptions &options);

/// Fails if the state or the gradients of a run could not be written. Acquires
/// the lock on the state's path.
Status checkOutputs(Backend &backend, const TrainOptions &options,
                    PathLock &lock);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_CHECKOPTIONS_H
