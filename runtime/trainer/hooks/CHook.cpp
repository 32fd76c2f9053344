//===- CHook.cpp - Hooks in C ---------------------------------------------===//
#include "reprise/Runtime/Trainer/CHook.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <dlfcn.h>

using namespace reprise::rt;

namespace {

/// A C hook's view of a run, while it lives.
class CRun {
public:
  explicit CRun(HookContext &run);
  CRun(const CRun &) = delete;
  CRun &operator=(const CRun &) = delete;
  rp_hook_run view = {};

private:
  const char *keep(const Status &status) {
    error = status.message();
    return status.ok() ? nullptr : error.c_str();
  }

  HookContext &run;
  std::string model, error;
};

class CHook final : public Hook {
public:
  CHook(const rp_hook &hook, std::shared_ptr<void> library)
      : library(std::move(library)), hook(hook) {}
  ~CHook() override {
    if (hook.destroy)
      hook.destroy(hook.user);
  }
  std::string name() const override { return hook.name ? hook.name : "hook"; }
  Status begin(HookContext &run) override { return call(run, hook.begin); }
  Status afterStep(HookContext &run, const Progress &step) override;
  Status afterEpoch(HookContext &run) override {
    return call(run, hook.after_epoch);
  }
  Status evaluated(HookContext &run, const EvaluateResult &result) override;
  Status end(HookContext &run, bool wasStopped) override {
    return call(run, hook.end, int(wasStopped));
  }
  Status failed(HookContext &run, const Status &error) override {
    return call(run, hook.failed, error.message().c_str());
  }

private:
  template <typename... Parameters, typename... Arguments>
  Status call(HookContext &run,
              const char *(*function)(void *, const rp_hook_run *,
                                      Parameters...),
              Arguments... arguments) {
    if (!function)
      return {};
    CRun shown(run);
    const char *error = function(hook.user, &shown.view, arguments...);
    return error ? Status::error(RP_INTERNAL, error) : Status();
  }

  std::shared_ptr<void> library; // outlives the hook's code
  rp_hook hook;
};

} // namespace

static rp_hook_evaluation toC(const EvaluateResult &result) {
  return {result.images, result.loss,
          result.hasAccuracy ? result.accuracy() : -1};
}

CRun::CRun(HookContext &run) : run(run), model(run.model()) {
  view.model = model.c_str();
  view.step = run.position().step;
  view.epoch = run.position().epoch;
  view.total_steps = run.totalSteps();
  view.steps_per_epoch = run.stepsPerEpoch();
  view.impl = this;
  view.save = [](const rp_hook_run *shown, const char *path) {
    auto *self = static_cast<CRun *>(shown->impl);
    return self->keep(self->run.save(path));
  };
  view.evaluate = [](const rp_hook_run *shown,
                     rp_hook_evaluation *evaluation) -> const char * {
    auto *self = static_cast<CRun *>(shown->impl);
    Expected<EvaluateResult> result = self->run.evaluate();
    if (result.ok())
      *evaluation = toC(*result);
    return self->keep(result.status());
  };
  view.stop = [](const rp_hook_run *shown, const char *reason) {
    static_cast<CRun *>(shown->impl)->run.stop(reason ? reason : "");
  };
}

Status CHook::afterStep(HookContext &run, const Progress &step) {
  rp_hook_step shown = {
      step.loss,           step.meanLoss,        step.learningRate,
      step.stepSeconds,    step.imagesPerSecond, step.secondsLeft,
      step.highWaterBytes, step.residentBytes};
  return call(run, hook.after_step, &shown);
}

Status CHook::evaluated(HookContext &run, const EvaluateResult &result) {
  rp_hook_evaluation shown = toC(result);
  return call(run, hook.evaluated, &shown);
}

std::unique_ptr<Hook> reprise::rt::wrapHook(const rp_hook &hook) {
  return std::make_unique<CHook>(hook, nullptr);
}

static Status cannotLoad(const std::string &path, const std::string &reason,
                         const char *file = __builtin_FILE(),
                         int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "cannot load the hook '" + path + "': " + reason, file,
                       line);
}

Expected<std::unique_ptr<Hook>>
reprise::rt::loadHook(const std::string &library) {
  size_t colon = library.find(':');
  std::string path = library.substr(0, colon);
  std::string options =
      colon == std::string::npos ? "" : library.substr(colon + 1);
  // Without a slash the loader would search elsewhere.
  std::string place = path.find('/') == std::string::npos ? "./" + path : path;
  std::shared_ptr<void> handle(::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL),
                               [](void *opened) {
                                 if (opened)
                                   ::dlclose(opened);
                               });
  if (!handle) {
    const char *reason = ::dlerror();
    return cannotLoad(path, reason ? reason : "it is not a shared library");
  }
  auto create = reinterpret_cast<decltype(&rp_hook_create)>(
      ::dlsym(handle.get(), "rp_hook_create"));
  if (!create)
    return cannotLoad(path, "it does not define rp_hook_create");
  rp_hook hook = {};
  if (const char *error = create(RP_HOOK_VERSION, options.c_str(), &hook))
    return cannotLoad(path, error);
  return std::unique_ptr<Hook>(std::make_unique<CHook>(hook, handle));
}
