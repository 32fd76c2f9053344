//===- Hook.h - What watches a run ------------------------------*- C++ -*-===//
//
// A hook is told of a run's begin, steps, epochs, evaluations and end, and may
// ask the run to save, to evaluate or to stop. It cannot change what a run
// computes: the bits of a run with hooks are those of one without, up to where
// a hook stops it.
//
// A hook that fails does not end the run. The first failure of each is told at
// once, the hook is called again as before, and train() says at the end what
// failed; the run's own results are there as without it. Only a hook that fails
// in begin ends the run, before its first step.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOK_H
#define REPRISE_RUNTIME_TRAINER_HOOK_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace reprise::rt {

struct Progress;
struct RunPosition;
struct EvaluateResult;
struct PlanMemory;
struct TrainResult;

/// What a hook may know and ask, during a call of it only.
class HookContext {
public:
  virtual ~HookContext();
  /// Where the run stands, between two steps.
  virtual const RunPosition &position() const = 0;
  virtual std::string model() const = 0;
  virtual uint64_t totalSteps() const = 0;
  virtual uint64_t stepsPerEpoch() const = 0;
  /// Of the training step of the program that ran last. Fails with
  /// RP_UNAVAILABLE where nothing was planned.
  virtual Expected<PlanMemory> planMemory() = 0;

  /// Fails where there is nothing to evaluate, or the program cannot.
  virtual Status checkEvaluation() = 0;
  /// Evaluates the test data, once a step however often it is asked, and tells
  /// every hook.
  virtual Expected<EvaluateResult> evaluate() = 0;
  /// Saves a state. Fails within a step that did not end: what it changed is
  /// no state of the run.
  virtual Status save(const std::string &path) = 0;
  /// Ends the run behind this step, as its own end.
  virtual void stop(const std::string &reason) = 0;
  /// A text that a hook keeps in states, by its name; empty in a new run.
  virtual std::string &memory(const std::string &hook) = 0;
};

class Hook {
public:
  virtual ~Hook();
  /// As messages call it.
  virtual std::string name() const = 0;
  /// Before the first step: refuse here what would fail later.
  virtual Status begin(HookContext &run) { return {}; }
  virtual Status afterStep(HookContext &run, const Progress &step) {
    return {};
  }
  /// After the last step of an epoch, behind afterStep.
  virtual Status afterEpoch(HookContext &run) { return {}; }
  virtual Status evaluated(HookContext &run, const EvaluateResult &result) {
    return {};
  }
  /// After the last step; `wasStopped`: by a signal, not by the run's end.
  virtual Status end(HookContext &run, bool wasStopped) { return {}; }
  /// Instead of end, when the run fails.
  virtual Status failed(HookContext &run, const Status &error) { return {}; }
};

/// A hook that failed, and how often.
struct HookFailure {
  std::string hook;
  uint64_t step = 0; // of the first failure
  uint64_t times = 0;
  Status first;
};

/// "hook 'NAME' failed 3 times, first at step 10: ...", of all of them.
std::string describe(const std::vector<HookFailure> &failures);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOK_H
