//===- StepForm.h - What an entry takes and gives ---------------*- C++ -*-===//
//
// The shapes of the trainer's two entries, checked once before a run.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_STEPFORM_H
#define REPRISE_RUNTIME_TRAINER_STEPFORM_H

#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"

namespace reprise::rt {

struct StepForm {
  size_t batch = 0;
  ImageShape image; // 1x1xF for an image input of shape (B,F)
  int32_t classes = 0;
  size_t imageBytes() const { return batch * image.elements() * sizeof(float); }
  size_t labelBytes() const { return batch * sizeof(int32_t); }
};

enum class StepKind { Train, Evaluate };

/// The name of an entry: "train_step" or "eval_step".
const char *entryName(StepKind kind);

/// Fails unless the program has the entry with the inputs and outputs that
/// Trainer.h documents.
Expected<StepForm> readStepForm(const Backend &backend, StepKind kind);

/// Fails unless images and labels of `data` fit the entry.
Status checkDataFits(const StepForm &form, StepKind kind, const Dataset &data,
                     const std::string &source);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_STEPFORM_H
