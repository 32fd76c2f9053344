//===- LearningRate.cpp - Schedules ---------------------------------------===//
//
// See LearningRate.h for the formulas.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/LearningRate.h"
#include <cmath>

using namespace reprise::rt;

double LearningRate::at(uint64_t step, uint64_t total,
                        uint64_t perEpoch) const {
  if (step < warmupSteps) {
    double ran = double(step + 1);
    return base * ran / double(warmupSteps);
  }
  uint64_t t = step - warmupSteps;
  switch (schedule) {
  case Schedule::Constant:
    break;
  case Schedule::Step: {
    // Divides by epochs first: their product with a step's size need not fit 64
    // bits.
    uint64_t drops = t / perEpoch / stepEpochs;
    return base * std::pow(gamma, double(drops));
  }
  case Schedule::Cosine: {
    const double pi = 3.14159265358979323846;
    double end = double(total - warmupSteps);
    return base * (1 + std::cos(pi * double(t) / end)) / 2;
  }
  }
  return base;
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
  if (schedule == Schedule::Step && stepEpochs == 0)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the learning rate is to drop every 0 epochs; say 1 "
                         "or more");
  if (schedule == Schedule::Step && !(gamma > 0 && gamma <= 1))
    return Status::error(RP_INVALID_ARGUMENT,
                         "the learning rate is to be multiplied by " +
                             std::to_string(gamma) +
                             "; gamma must be above 0 and at most 1");
  return Status();
}
