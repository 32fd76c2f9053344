//===- LearningRate.h - Schedules -------------------------------*- C++ -*-===//
//
// With T = total - warmup and t = step - warmup:
//   warmup    base * (step + 1) / warmup               for step < warmup
//   constant  base
//   cosine    base * (1 + cos(pi * t / T)) / 2         (Loshchilov and Hutter,
//             "SGDR", ICLR 2017; PyTorch's CosineAnnealingLR(T) stepped once a
//             training step)
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_LEARNINGRATE_H
#define REPRISE_RUNTIME_TRAINER_LEARNINGRATE_H

#include "reprise/Runtime/Status.h"
#include <cstdint>

namespace reprise::rt {

struct LearningRate {
  enum class Schedule { Constant, Cosine };
  Schedule schedule = Schedule::Constant;
  double base = 0.1;
  uint64_t warmupSteps = 0;

  /// The rate of step `step` (counted from 0) of `total`.
  double at(uint64_t step, uint64_t total) const;
  /// Refuses a base that is negative or not finite, and a warmup as long as
  /// the run.
  Status check(uint64_t total) const;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_LEARNINGRATE_H
