//===- EarlyStop.cpp - End a run that no longer improves ------------------===//
#include "Watched.h"
#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"

using namespace reprise::rt;

namespace {

class EarlyStop final : public Hook {
public:
  explicit EarlyStop(const EarlyStopOptions &options) : options(options) {}
  std::string name() const override { return "early_stop"; }
  Status begin(HookContext &run) override;
  Status afterEpoch(HookContext &run) override;
  Status evaluated(HookContext &run, const EvaluateResult &result) override;

private:
  void stopIfDue(HookContext &run, const Watched &watched) const;

  EarlyStopOptions options;
};

} // namespace

void EarlyStop::stopIfDue(HookContext &run, const Watched &watched) const {
  if (watched.worse >= options.patience)
    run.stop("early_stop: no better evaluation than that of step " +
             std::to_string(watched.bestStep) + " in " +
             std::to_string(watched.worse));
}

Status EarlyStop::begin(HookContext &run) {
  REPRISE_RETURN_IF_ERROR(run.checkEvaluation());
  Watched watched = Watched::read(run.memory(name()));
  if (watched.step > 0)
    stopIfDue(run, watched);
  // The end of an epoch whose evaluation was interrupted.
  bool atEnd = run.position().position == 0 && run.position().step > 0;
  return atEnd && watched.step < run.position().step ? afterEpoch(run)
                                                     : Status();
}

Status EarlyStop::afterEpoch(HookContext &run) {
  if (!isDue(run.position().epoch, options.every, 1))
    return {};
  return run.evaluate().status();
}

Status EarlyStop::evaluated(HookContext &run, const EvaluateResult &result) {
  std::string &memory = run.memory(name());
  Watched watched = Watched::read(memory);
  watched.add(run.position().step, watchedValue(result, options.byLoss),
              options.least);
  memory = watched.write();
  stopIfDue(run, watched);
  return {};
}

std::unique_ptr<Hook>
reprise::rt::makeEarlyStop(const EarlyStopOptions &options) {
  return std::make_unique<EarlyStop>(options);
}
