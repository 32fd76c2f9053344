//===- Hook.h - Observers of a run ------------------------------*- C++ -*-===//
//
// A hook is notified of a run's begin, steps, epochs, evaluations and end, and
// may request that the run saves, evaluates or stops. It cannot change a run's
// results: the bits of a run with hooks are those of one without, up to the
// point where a hook stops it.
//
// A hook that fails does not end the run. A failure is reported at once (those
// after a step only for the first time), the hook is called again as before,
// and train() reports all failures at the end; the run's own results are the
// same as without it. Only a hook that fails in begin ends the run, before its
// first step.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOK_H
#define REPRISE_RUNTIME_TRAINER_HOOK_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reprise::rt {

struct Progress;
struct RunPosition;
struct EvaluateResult;
struct PlanMemory;
struct TrainResult;

/// A hook's interface to the run, valid only during a call of the hook.
class HookContext {
public:
  virtual ~HookContext();
  /// The position of the run, between two steps.
  virtual const RunPosition &position() const = 0;
  virtual std::string model() const = 0;
  virtual uint64_t totalSteps() const = 0;
  virtual uint64_t stepsPerEpoch() const = 0;
  /// The planned memory of the program that ran the last training step. Fails
  /// with RP_UNAVAILABLE if there is no plan.
  virtual Expected<PlanMemory> planMemory() = 0;

  /// Fails if there is nothing to evaluate, or the program has no evaluation.
  virtual Status checkEvaluation() = 0;
  /// Evaluates the test data, once per step however often this is called, and
  /// notifies every hook.
  virtual Expected<EvaluateResult> evaluate() = 0;
  /// Saves a state. Fails in a step that did not complete: its changes are not
  /// a state of the run.
  virtual Status save(const std::string &path) = 0;
  /// Ends the run after this step, as if at its own end.
  virtual void stop(const std::string &reason) = 0;
  /// A text that a hook keeps in states, by its name; empty in a new run.
  virtual std::string &memory(const std::string &hook) = 0;
};

class Hook {
public:
  virtual ~Hook();
  /// The name in messages.
  virtual std::string name() const = 0;
  /// Called before the first step: refuse here what would fail later.
  virtual Status begin(HookContext &run) { return {}; }
  virtual Status afterStep(HookContext &run, const Progress &step) {
    return {};
  }
  /// Called after the last step of an epoch, after afterStep.
  virtual Status afterEpoch(HookContext &run) { return {}; }
  virtual Status evaluated(HookContext &run, const EvaluateResult &result) {
    return {};
  }
  /// Called after the last step; `wasStopped`: by a signal, not by the run's
  /// end.
  virtual Status end(HookContext &run, bool wasStopped) { return {}; }
  /// Called instead of end if the run fails.
  virtual Status failed(HookContext &run, const Status &error) { return {}; }
};

/// A hook that failed, and the number of its failures.
struct HookFailure {
  std::string hook;
  uint64_t step = 0; // of the first failure
  uint64_t times = 0;
  Status first;
  uint64_t lastStep = 0;
  Status last;
};

/// Evaluations that failed: the step after which, and the reason. An evaluation
/// that succeeded when it was repeated is none.
using FailedEvaluations = std::map<uint64_t, Status>;

/// "hook 'NAME' failed 3 times, first at step 10: ...", for all of them.
std::string describe(const std::vector<HookFailure> &failures);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOK_H
