//===- CheckOptions.h - Options of a run that make sense --------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_CHECKOPTIONS_H
#define REPRISE_RUNTIME_TRAINER_CHECKOPTIONS_H

#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::rt {

/// Fails where the options of a run contradict each other.
Status checkOptions(const TrainOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_CHECKOPTIONS_H
