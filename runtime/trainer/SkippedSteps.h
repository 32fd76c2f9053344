//===- SkippedSteps.h - Steps that loss scaling skips -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_SKIPPEDSTEPS_H
#define REPRISE_RUNTIME_TRAINER_SKIPPEDSTEPS_H

#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/Trainer.h"

namespace reprise::rt {

/// Follows the steps of one run: a step with a gradient that is not finite
/// updates no variable but the loss scale, which the program reports by a
/// metric.
class SkippedSteps {
public:
  explicit SkippedSteps(const TrainOptions &options) : options(options) {}

  /// Takes the metric of step `number`, from 1, out of `metrics`, and counts
  /// the step in `position`. Fails after as many skipped steps in a row than
  /// the options allow.
  Status take(std::map<std::string, double> &metrics, uint64_t number,
              RunPosition &position);

  /// Sets the loss scale back to that of the last step; skipping it halved the
  /// scale.
  void restoreScale(Backend &backend) const;

  /// Returns true if the last step was skipped.
  bool last() const { return inARow > 0; }

private:
  /// The number of skipped steps in a row that causes a warning. The first
  /// scale is too large for many models, and 16 halvings reduce it to 1.
  static constexpr uint64_t kWorthAWarning = 10;

  const TrainOptions &options;
  uint64_t inARow = 0;
  float lastScale = 0;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_SKIPPEDSTEPS_H
