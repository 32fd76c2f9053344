//===- PassPhases.cpp - Show passes as phases -----------------------------===//

#include "PassPhases.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "reprise/Console/Progress.h"
#include "reprise/Text/Size.h"
#include "llvm/ADT/StringSwitch.h"
#include <atomic>

using namespace reprise;

/// Returns the phase shown for a slow pass; "" for a quick one.
static llvm::StringRef phaseOf(llvm::StringRef pass) {
  return llvm::StringSwitch<llvm::StringRef>(pass)
      .Case("sg-differentiate", "differentiating")
      .Case("sg-lower-checkpointing", "cloning what is recomputed")
      .Cases({"sg-decompose", "sg-recompute-cheap", "sg-form-kernels"},
             "forming kernels")
      .Case("sg-lower-to-rt", "ordering and placing")
      .Default("");
}

namespace {
using driver::Activity;

class PhaseTeller final : public mlir::PassInstrumentation {
public:
  PhaseTeller(Activity &activity, std::shared_ptr<std::atomic<bool>> isSearch)
      : activity(activity), isSearch(std::move(isSearch)) {}
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    llvm::StringRef phase = phaseOf(pass->getArgument());
    if (!phase.empty() && !*isSearch)
      activity.phase(phase.str());
  }

private:
  Activity &activity;
  /// True while a search runs, which reports its own progress.
  std::shared_ptr<std::atomic<bool>> isSearch;
};
} // namespace

static void tell(const SearchProgress &progress, Activity &activity) {
  activity.phase(progress.phase);
  activity.share(progress.share);
  double best = progress.bestMilliseconds, bound = progress.boundMilliseconds;
  if (best > 0)
    activity.best("best plan " + text::formatFixed(best, 1) +
                  " ms a step, at most " +
                  text::formatPercent(bound > 0 ? best / bound - 1 : 0) +
                  " more than any");
}

CompileOptions driver::tellPhases(CompileOptions options, Activity *activity) {
  if (!activity)
    return options;
  auto isSearch = std::make_shared<std::atomic<bool>>(false);
  options.configure = [activity, isSearch](mlir::PassManager &manager) {
    manager.addInstrumentation(
        std::make_unique<PhaseTeller>(*activity, isSearch));
  };
  options.searchObserver = [activity,
                            isSearch](const SearchProgress &progress) {
    *isSearch = !progress.phase.empty();
    if (*isSearch)
      tell(progress, *activity);
  };
  return options;
}
