//===- WidenCalls.cpp - Library calls in types that a target has ----------===//
//
// Input:   a flat function of a model in mixed precision, a target.
// Output:  library ops on an element type that the target's library does not
//          take compute in f32: casts before and behind them.
// Cost:    linear.
// Fails:   where there is no such target.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Fault.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Rt.h"
#include "reprise/Passes/Memory.h"

namespace reprise {
#define GEN_PASS_DEF_SGWIDENCALLS
#include "reprise/Passes/MemoryPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// The element type that the library lacks, of a call that f32 can stand for;
/// null where there is none.
static Type lackingOf(LibraryOpInterface call, const Target &target) {
  auto function = rt_dialect::symbolizeLibraryOp(call.getLibraryFunction());
  if (!function)
    return {};
  std::vector<rp_element_type> taken =
      target.callElements(rt::LibraryOp(*function));
  if (!llvm::is_contained(taken, RP_F32))
    return {};
  for (Value operand : call->getOperands()) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    if (sg::isWider(Float32Type::get(element.getContext()), element) &&
        !llvm::is_contained(taken, elementTypeOf(element)))
      return element;
  }
  return {};
}

static void widen(Operation *op, Type lacking) {
  OpBuilder builder(op);
  sg::OriginScope scope(builder, op);
  Type wide = builder.getF32Type();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (type.getElementType() == lacking)
      operand.set(sg::CastOp::create(builder, op->getLoc(), type.clone(wide),
                                     operand.get()));
  }
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getElementType() != lacking)
      continue;
    result.setType(type.clone(wide));
    auto rounded = sg::CastOp::create(builder, op->getLoc(), type, result);
    REPRISE_FAULT("widened-not-rounded-for-all", continue);
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

namespace {
class WidenCalls : public reprise::impl::SgWidenCallsBase<WidenCalls> {
public:
  using SgWidenCallsBase::SgWidenCallsBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    rt::Expected<std::unique_ptr<Target>> device =
        createTarget(target, /*threads=*/1);
    if (!device.ok()) {
      function.emitError() << device.status().message();
      return signalPassFailure();
    }
    unsigned count = 0;
    Type lacking;
    function.walk([&](LibraryOpInterface call) {
      Type element = lackingOf(call, **device);
      if (!element)
        return;
      widen(call, element);
      lacking = element;
      ++count;
    });
    if (count)
      function.emitRemark()
          << count << " library calls on " << lacking
          << " compute in f32, because the library of target '"
          << (*device)->device() << "' does not take it";
  }
};
} // namespace
