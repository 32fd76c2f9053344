//===- AssumeViews.cpp - Results that a compiler does not store -----------===//
//
// Input:   a function of StableHLO.
// Output:  the same, with remat attributes on what is computed where it is
// read. Cost:    linear in the ops and the uses of pads. Fails:   if the option
// has an unknown value.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/StableHlo.h"

namespace reprise {
#define GEN_PASS_DEF_STABLEHLOASSUMEVIEWS
#include "reprise/Passes/StableHloPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::stablehlo;

static bool isMovement(Operation *op) {
  return isa<BroadcastInDimOp, TransposeOp, ReverseOp>(op);
}

/// Returns true if only ops that take padding as a parameter read `value`,
/// directly or through views.
static bool isReadByWindows(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<ReshapeOp>(user) || isMovement(user))
      return isReadByWindows(user->getResult(0));
    return isa<DotGeneralOp, ConvolutionOp, ReduceWindowOp, SelectAndScatterOp>(
        user);
  });
}

/// Makes barriers of single values of one barrier.
static void splitBarrier(OptimizationBarrierOp barrier) {
  OpBuilder builder(barrier);
  for (auto [index, value] : llvm::enumerate(barrier.getOperands())) {
    SmallVector<Value> others(barrier.getOperands());
    others.erase(others.begin() + index);
    Value single = remat::BarrierOp::create(builder, barrier.getLoc(),
                                            value.getType(), value, others);
    barrier.getResult(index).replaceAllUsesWith(single);
  }
  barrier.erase();
}

namespace {
class AssumeViews
    : public reprise::impl::StableHloAssumeViewsBase<AssumeViews> {
public:
  using StableHloAssumeViewsBase::StableHloAssumeViewsBase;

  void runOnOperation() override {
    if (views != "fused" && views != "reshape") {
      getOperation().emitError()
          << "views is '" << views << "'; known are 'fused' and 'reshape'";
      return signalPassFailure();
    }
    SmallVector<OptimizationBarrierOp> barriers;
    getOperation().walk([&](Operation *op) {
      auto barrier = dyn_cast<OptimizationBarrierOp>(op);
      if (barrier && op->getParentOp() == getOperation())
        barriers.push_back(barrier);
      else if (views == "fused")
        mark(op);
    });
    llvm::for_each(barriers, splitBarrier);
  }

private:
  static void mark(Operation *op) {
    Builder builder(op->getContext());
    bool isWindow = isa<PadOp>(op) && isReadByWindows(op->getResult(0));
    if (isMovement(op) || isWindow)
      op->setAttr(remat::RematDialect::kView, builder.getI64IntegerAttr(0));
    if (isa<IotaOp>(op))
      op->setAttr(remat::RematDialect::kBytes,
                  builder.getDenseI64ArrayAttr({0}));
  }
};
} // namespace
