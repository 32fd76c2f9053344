//===- LearningRate.cpp - Schedules ---------------------------------------===//
//
// See LearningRate.h for the formulas.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/LearningRate.h"
#include "reprise/Fault.h"
#include <cmath>

using namespace reprise::rt;

double LearningRate::at(uint64_t step, uint64_t total) const {
  if (step < warmupSteps) {
    double ran = double(step + 1);
    REPRISE_FAULT("warmup-from-zero", --ran);
    return base * ran / double(warmupSteps);
  }
  if (schedule == Schedule::Constant)
    return base;
  const double pi = 3.14159265358979323846;
  double t = double(step - warmupSteps), end = double(total - warmupSteps);
  return base * (1 + std::cos(pi * t / end)) / 2;
}

Status LearningRate::check(uint64_t total) const {
  if (!(base >= 0) || !std::isfinite(base))
    return Status::error(RP_INVALID_ARGUMENT,
                         "the learning rate is " + std::to_string(base) +
                             "; it must be finite and not negative");
  if (warmupSteps > 0 && warmupSteps >= total)
    return Status::error(RP_INVALID_ARGUMENT,
                         "a warmup of " + std::to_string(warmupSteps) +
                             " steps leaves nothing of a run of " +
                             std::to_string(total) + " steps");
  return Status();
}
