//===- SkippedSteps.cpp - Steps that loss scaling skips -------------------===//

#include "SkippedSteps.h"

using namespace reprise::rt;

/// As sg-differentiate names the outputs.
static constexpr char kSkipped[] = "loss_scale.skipped";
static constexpr char kScale[] = "loss_scale";

Status SkippedSteps::take(std::map<std::string, double> &metrics,
                          uint64_t number, RunPosition &position) {
  auto found = metrics.find(kSkipped);
  if (found == metrics.end())
    return {};
  bool isSkipped = found->second != 0;
  metrics.erase(found);
  inARow = isSkipped ? inARow + 1 : 0;
  position.skippedSteps += isSkipped;
  if (!isSkipped)
    return {};
  lastScale = float(metrics[kScale]);
  std::string scale = courseNumber(metrics[kScale]);
  if (options.maxSkippedSteps && inARow >= options.maxSkippedSteps)
    return Status::error(
        RP_INVALID_ARGUMENT,
        "loss scaling skipped " + std::to_string(inARow) +
            " steps in a row, up to step " + std::to_string(number) +
            ": a gradient is not finite (f16 holds numbers up to 65504) even "
            "at a loss scale of " +
            scale +
            "; train in bf16 or f32, check the model and the data, or allow "
            "more with --max-skipped-steps");
  if (inARow == kWorthAWarning && options.onWarning)
    options.onWarning("loss scaling skipped " + std::to_string(inARow) +
                      " steps in a row, up to step " + std::to_string(number) +
                      ": a gradient is not finite at a loss scale of " + scale);
  return {};
}

void SkippedSteps::restoreScale(Backend &backend) const {
  // A program that has the metrics and no such variable scales by itself.
  (void)backend.writeVariable(kScale, &lastScale, sizeof lastScale);
}
