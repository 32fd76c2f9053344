//===- HookRun.h - The hooks of a run ---------------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_HOOKRUN_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_HOOKRUN_H

#include "reprise/Runtime/Trainer/Hook.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <utility>

namespace reprise::rt {

/// Calls hooks, and is the context that they query. `backend`, `options` and
/// `where` must outlive it; the run advances `where`.
class HookRun final : public HookContext {
public:
  HookRun(Backend &backend, const TrainOptions &options, RunPosition &where)
      : backend(backend), options(options), where(where) {}

  /// The first error ends the run.
  Status begin(uint64_t total, uint64_t perEpoch);
  /// Brackets the part of a step that changes variables.
  void stepBegins() { inStep = true; }
  void stepEnds() {
    inStep = false;
    hasGradients = true;
  }
  void afterStep(const Progress &step);
  void end(bool wasStopped);
  void failed(const Status &error);

  bool any() const { return !options.hooks.empty(); }
  /// Returns the reason why a hook stops the run; empty if none does.
  const std::string &stopReason() const { return reason; }
  const std::vector<HookFailure> &failures() const { return failed_; }
  const FailedEvaluations &failedEvaluations() const {
    return failedEvaluations_;
  }
  /// Returns true if a signal cut an evaluation short.
  bool wasEvaluationCut() const { return everCut; }
  /// Returns the evaluation of the present variables; null if there is none.
  const EvaluateResult *evaluation() const;
  /// Returns true if an evaluation has set inputs since the last call.
  bool tookInputs() { return std::exchange(hasSetInputs, false); }
  /// The step whose gradients were written before an evaluation overwrote them
  /// in the arena; UINT64_MAX: none.
  uint64_t gradientsStep() const { return gradientsOf; }

  const RunPosition &position() const override { return where; }
  std::string model() const override { return backend.model(); }
  uint64_t totalSteps() const override { return total; }
  uint64_t stepsPerEpoch() const override { return perEpoch; }
  Expected<PlanMemory> planMemory() override;
  Status checkEvaluation() override;
  Expected<EvaluateResult> evaluate() override;
  Status save(const std::string &path) override;
  void stop(const std::string &why) override;
  std::string &memory(const std::string &hook) override {
    return where.hooks[hook];
  }

private:
  /// The failures of a hook that are reported when they happen; all count.
  enum class Told { First, Each };
  template <typename Call> void each(Call call, Told told = Told::Each);
  void record(const Hook &hook, const Status &status, Told told);
  Status keepGradients();
  Expected<EvaluateResult> evaluateNow();

  Backend &backend;
  const TrainOptions &options;
  RunPosition &where;
  uint64_t total = 0, perEpoch = 0;
  bool inStep = false, wasCut = false; // of the running evaluation
  bool everCut = false;                // of any evaluation
  bool hasSetInputs = false, hasGradients = false;
  /// The number of hooks that have begun, or are about to.
  size_t begun = 0;
  std::string reason;
  std::vector<HookFailure> failed_;
  FailedEvaluations failedEvaluations_;
  /// Opened once: opening may read files one by one.
  std::unique_ptr<Dataset> testData;
  EvaluateResult last;
  uint64_t lastStep = UINT64_MAX, gradientsOf = UINT64_MAX;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_HOOKRUN_H
