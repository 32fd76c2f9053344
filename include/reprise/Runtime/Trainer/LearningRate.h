//===- LearningRate.h - Schedules -------------------------------*- C++ -*-===//
//
// With T = total - warmup and t = step - warmup:
//   warmup    base * (step + 1) / warmup               for step < warmup
//   constant  base
//   step      base * gamma ^ floor(t / (stepEpochs * perEpoch)), perEpoch being
//             the steps of an epoch (PyTorch's StepLR)
//   cosine    base * (1 + cos(pi * t / T)) / 2         (Loshchilov and Hutter,
//             "SGDR", ICLR 2017; PyTorch's CosineAnnealingLR(T) stepped once a
//             training step)
//
// A schedule thus begins when the warmup has ended, as in PyTorch's
// SequentialLR.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_LEARNINGRATE_H
#define REPRISE_RUNTIME_TRAINER_LEARNINGRATE_H

#include "reprise/Runtime/Status.h"
#include <cstdint>

namespace reprise::rt {

struct LearningRate {
  enum class Schedule { Constant, Step, Cosine };
  Schedule schedule = Schedule::Constant;
  double base = 0.1;
  uint64_t warmupSteps = 0;
  /// The rate is multiplied by gamma every so many epochs (Step only).
  uint64_t stepEpochs = 30;
  double gamma = 0.1;

  /// The rate of step `step` (counted from 0) of `total`, with `perEpoch` steps
  /// per epoch.
  double at(uint64_t step, uint64_t total, uint64_t perEpoch = 1) const;
  /// Refuses a base that is negative or not finite, a warmup as long as the
  /// run, and invalid numbers of a schedule.
  Status check(uint64_t total) const;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_LEARNINGRATE_H
