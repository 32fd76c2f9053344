//===- PassPhases.cpp - Which pass is at work -----------------------------===//

#include "PassPhases.h"
#include "Progress.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringSwitch.h"

using namespace reprise;

/// Of a pass that may take a while; "" of one that is over at once.
static llvm::StringRef phaseOf(llvm::StringRef pass) {
  return llvm::StringSwitch<llvm::StringRef>(pass)
      .Case("sg-differentiate", "differentiating")
      .Case("sg-lower-checkpointing", "cloning what is computed again")
      .Cases({"sg-decompose", "sg-recompute-cheap", "sg-form-kernels"},
             "forming kernels")
      .Case("sg-lower-to-rt", "ordering and placing")
      .Default("");
}

namespace {
class PhaseTeller final : public mlir::PassInstrumentation {
public:
  explicit PhaseTeller(tools::Activity &activity) : activity(activity) {}
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    llvm::StringRef phase = phaseOf(pass->getArgument());
    if (!phase.empty())
      activity.phase(phase.str());
  }

private:
  tools::Activity &activity;
};
} // namespace

std::function<void(mlir::PassManager &)> tools::tellPhases(Activity *activity) {
  if (!activity)
    return {};
  return [activity](mlir::PassManager &manager) {
    manager.addInstrumentation(std::make_unique<PhaseTeller>(*activity));
  };
}
