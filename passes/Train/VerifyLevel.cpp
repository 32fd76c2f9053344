//===- VerifyLevel.cpp - Check that a function is at a level --------------===//
//
// Input:   a function of sg.
// Output:  unchanged.
// Fails:   with the op that does not belong to the level.
//
//===----------------------------------------------------------------------===//

#include "FlattenOrigins.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"
#include <map>
#include <set>

namespace reprise {
#define GEN_PASS_DEF_SGVERIFYLEVEL
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
class VerifyLevel : public reprise::impl::SgVerifyLevelBase<VerifyLevel> {
public:
  using SgVerifyLevelBase::SgVerifyLevelBase;

  void runOnOperation() override {
    if (failed(verify()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verify() {
    if (level == "model")
      return verifyModel();
    if (level == "train" || level == "remat")
      return verifyDifferentiated();
    if (level == "flat")
      return verifyFlat();
    return getOperation().emitError()
           << "unknown level '" << level
           << "'; known are model, train, remat and flat";
  }

  static constexpr const char *kOnlyFlat =
      "has sg.origin, but the function is not flat";

  /// Fails at the first op for which `wrong` returns a message.
  LogicalResult rejectEach(llvm::function_ref<std::string(Operation *)> wrong) {
    return failure(getOperation()
                       .walk([&](Operation *op) {
                         std::string message = wrong(op);
                         if (message.empty())
                           return WalkResult::advance();
                         op->emitOpError() << message;
                         return WalkResult::interrupt();
                       })
                       .wasInterrupted());
  }

  LogicalResult verifyModel() {
    return rejectEach([](Operation *op) -> std::string {
      if (isa<BackwardOp, BarrierOp>(op))
        return "does not belong to a model";
      if (originOf(op))
        return kOnlyFlat;
      auto module = dyn_cast<SgModuleOp>(op);
      if (module && module.getPhase() != Phase::Forward)
        return "is not a forward block";
      if (module && module.getResiduals() != 0)
        return "hands out residuals, but the function is not differentiated";
      return "";
    });
  }

  /// A handwritten function may have no origins; one from sg-flatten has all of
  /// them. An op that loses its origin would become a forward op of no module.
  LogicalResult verifyFlat() {
    func::FuncOp function = getOperation();
    bool isMarked = llvm::any_of(function.getOps(), [](Operation &op) {
      return static_cast<bool>(originOf(&op));
    });
    return rejectEach([=](Operation *op) -> std::string {
      if (isa<BackwardOp, SgModuleOp>(op))
        return "does not belong to a flat function";
      if (op->hasAttr(SgDialect::kPathAttr))
        return "has sg.path, which sg-flatten makes part of sg.origin";
      if (isMarked && op->getParentOp() == function && hasOrigin(op) &&
          !originOf(op))
        return "has no sg.origin, but others of the function have one";
      return "";
    });
  }

  LogicalResult verifyDifferentiated() {
    unsigned backwards = 0;
    // Any number can be an instance; DenseMap reserves two of them.
    std::map<int64_t, unsigned> mirrors;
    std::set<int64_t> blocks;
    getOperation().walk([&](Operation *op) {
      backwards += isa<BackwardOp>(op);
      auto module = dyn_cast<SgModuleOp>(op);
      if (!module || !module.getInstance())
        return;
      if (module.getPhase() == Phase::Backward)
        ++mirrors[*module.getInstance()];
      else
        blocks.insert(*module.getInstance());
    });
    if (backwards != 1)
      return getOperation().emitError()
             << "has " << backwards << " sg.backward, but level " << level
             << " has one";
    return rejectEach([&](Operation *op) -> std::string {
      if (originOf(op))
        return kOnlyFlat;
      if (isa<BatchNormOp>(op))
        return "is not specialized to training";
      auto module = dyn_cast<SgModuleOp>(op);
      if (!module)
        return "";
      if (!module.getInstance())
        return "has no instance number";
      if (module.getPhase() != Phase::Backward)
        return level == "remat" ? verifyLowered(module) : "";
      if (mirrors[*module.getInstance()] != 1)
        return "is one of several mirrors of a block";
      if (!blocks.count(*module.getInstance()))
        return "mirrors no block";
      return "";
    });
  }

  /// Checks that the residuals of a lowered annotated block are statistics.
  static std::string verifyLowered(SgModuleOp module) {
    if (!module.getActivationCheckpointing())
      return "";
    for (Value value : module.getYield().getOperands().drop_front(
             module.getNumPrimalResults()))
      if (!isStatistics(value))
        return "is checkpointed, but hands out a residual that is not a "
               "statistic";
    return "";
  }
};
} // namespace
