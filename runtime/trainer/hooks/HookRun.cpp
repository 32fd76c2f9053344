//===- HookRun.cpp - The hooks of a run -----------------------------------===//
#include "HookRun.h"
#include "../../support/Restate.h"
#include "../EntryBindings.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>

using namespace reprise::rt;

HookContext::~HookContext() = default;
Hook::~Hook() = default;

std::string reprise::rt::describe(const std::vector<HookFailure> &failures) {
  std::string text;
  for (const HookFailure &failure : failures)
    text += (text.empty() ? "" : "; ") + ("hook '" + failure.hook) +
            "' failed " +
            (failure.times == 1
                 ? "once, at step "
                 : std::to_string(failure.times) + " times, first at step ") +
            std::to_string(failure.step) + ": " + failure.first.message();
  return text;
}

//===----------------------------------------------------------------------===//
// Calls of hooks
//===----------------------------------------------------------------------===//

void HookRun::record(const Hook &hook, const Status &status, Told told) {
  // An evaluation that a signal interrupted is not a hook's failure.
  bool cut = wasCut && status.code() == RP_UNAVAILABLE;
  if (status.ok() || cut)
    return;
  auto found = std::find_if(
      failed_.begin(), failed_.end(),
      [&](const HookFailure &failure) { return failure.hook == hook.name(); });
  bool isNew = found == failed_.end();
  if (isNew)
    found = failed_.insert(found, {hook.name(), where.step, 0, status, 0, {}});
  ++found->times;
  found->lastStep = where.step;
  found->last = status;
  if (options.onHookFailure && (isNew || told == Told::Each))
    options.onHookFailure(*found);
}

template <typename Call> void HookRun::each(Call call, Told told) {
  for (Hook *hook : options.hooks) {
    wasCut = false;
    record(*hook, call(*hook), told);
  }
}

Status HookRun::begin(uint64_t steps, uint64_t stepsOfEpoch) {
  total = steps;
  perEpoch = stepsOfEpoch;
  for (Hook *hook : options.hooks) {
    wasCut = false;
    ++begun;
    Status status = hook->begin(*this);
    if (!status.ok() && !wasCut)
      return restate(status,
                     "hook '" + hook->name() + "': " + status.message());
  }
  return {};
}

void HookRun::afterStep(const Progress &step) {
  each([&](Hook &hook) { return hook.afterStep(*this, step); }, Told::First);
  if (where.position == 0)
    each([&](Hook &hook) { return hook.afterEpoch(*this); });
}

void HookRun::end(bool wasStopped) {
  each([&](Hook &hook) { return hook.end(*this, wasStopped || everCut); });
}

void HookRun::failed(const Status &error) {
  each([&](Hook &hook) { return hook.failed(*this, error); });
}

//===----------------------------------------------------------------------===//
// Requests of hooks
//===----------------------------------------------------------------------===//

void HookRun::stop(const std::string &why) {
  if (reason.empty())
    reason = why.empty() ? "a hook" : why;
}

Status HookRun::save(const std::string &path) {
  bool isState = !inStep;
  if (!isState)
    return Status::error(
        RP_UNAVAILABLE,
        "step " + std::to_string(where.step + 1) +
            " did not finish, so there is no state to save to '" + path +
            "'; what was saved before is kept");
  if (options.saving)
    options.saving->store(true);
  Status status = saveState(backend, path, where);
  if (options.saving)
    options.saving->store(false);
  return status;
}

Expected<PlanMemory> HookRun::planMemory() {
  // In a run with several programs an evaluation switches the program.
  if (options.programs && hasSetInputs)
    return Status::error(RP_UNAVAILABLE,
                         "an evaluation has taken the place of the step's "
                         "program");
  return backend.planMemory(entryName(StepKind::Train));
}

Status HookRun::checkEvaluation() {
  if (testData)
    return {};
  REPRISE_EXPECT(form, readEntryBindings(backend, StepKind::Evaluate));
  REPRISE_EXPECT(opened, openDataset(evaluationData(options.data, where),
                                     Split::Test, form->wanted()));
  testData = std::move(*opened);
  tellWarnings(*testData, options.onWarning);
  return {};
}

/// An evaluation overwrites the step's outputs.
Status HookRun::keepGradients() {
  if (options.gradientsPath.empty() || !hasGradients ||
      gradientsOf == where.step)
    return {};
  REPRISE_RETURN_IF_ERROR(writeGradients(backend, entryName(StepKind::Train),
                                         options.gradientsPath));
  gradientsOf = where.step;
  return {};
}

const EvaluateResult *HookRun::evaluation() const {
  return lastStep == where.step ? &last : nullptr;
}

Expected<EvaluateResult> HookRun::evaluate() {
  if (evaluation())
    return last;
  wasCut = false;
  Expected<EvaluateResult> result = evaluateNow();
  if (!result.ok()) {
    if (!wasCut)
      failedEvaluations_.try_emplace(where.step, result.status());
    return result;
  }
  failedEvaluations_.erase(where.step);
  last = *result;
  lastStep = where.step;
  for (size_t i = 0; i < begun; ++i)
    record(*options.hooks[i], options.hooks[i]->evaluated(*this, last),
           Told::Each);
  return last;
}

Expected<EvaluateResult> HookRun::evaluateNow() {
  auto isCut = [this] { return options.stop && options.stop->load(); };
  auto cut = [this]() -> Status {
    wasCut = everCut = true;
    return Status::error(RP_UNAVAILABLE, "the evaluation was interrupted");
  };
  if (isCut())
    return cut();
  REPRISE_RETURN_IF_ERROR(keepGradients());
  if (options.programs)
    REPRISE_RETURN_IF_ERROR(options.programs->useForEvaluation(backend));
  REPRISE_RETURN_IF_ERROR(checkEvaluation());
  EvaluateOptions wanted;
  wanted.data = evaluationData(options.data, where);
  wanted.opened = testData.get();
  wanted.stop = options.stop;
  wanted.onProgress = options.onEvaluation;
  hasSetInputs = true;
  Expected<EvaluateResult> result = rt::evaluate(backend, wanted);
  if (!result.ok())
    return result;
  // The counts so far are not an evaluation.
  if (isCut())
    return cut();
  return result;
}
