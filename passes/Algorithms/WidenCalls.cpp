//===- WidenCalls.cpp - Library calls in types that a target has ----------===//
//
// Input:   a flat function of a model in mixed precision, a target.
// Output:  library ops on an element type that the target's library does not
//          take compute in f32: casts before and after them. Ops whose sums the
//          library stores only in the operands' type store them in it and are
//          widened afterwards.
// Cost:    linear.
// Fails:   where there is no such target.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Rt.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Target/Target.h"

namespace reprise {
#define GEN_PASS_DEF_SGWIDENCALLS
#include "reprise/Passes/AlgorithmsPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// Returns the element type of a call that the library does not support and f32
/// can replace; null if there is none.
static Type lackingOf(LibraryOpInterface call, const Target &target) {
  auto function = termOf<LibraryOp>(call.getLibraryFunction());
  if (!function)
    return {};
  std::vector<rp_element_type> taken = target.callElements(*function);
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
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

/// Returns the operand type of a call with a wider result that the library does
/// not store; otherwise null.
static Type unstoredFrom(LibraryOpInterface call, const Target &target) {
  auto function = termOf<LibraryOp>(call.getLibraryFunction());
  if (!function || target.storesSums(*function) || call->getNumOperands() == 0)
    return {};
  // Its accumulator has the result's type.
  if (llvm::is_contained(call.getLibraryEpilogues(), LibraryEpilogue::Add))
    return {};
  auto elementOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  Type narrow = elementOf(call->getOperand(0));
  return sg::isWider(elementOf(call->getResult(0)), narrow) ? narrow : Type();
}

/// Rounds the result that the call stores.
static void narrow(Operation *op, Type element) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  sg::OriginScope scope(builder, op);
  Value result = op->getResult(0);
  auto wide = cast<RankedTensorType>(result.getType());
  result.setType(wide.clone(element));
  auto widened = sg::CastOp::create(builder, op->getLoc(), wide, result);
  result.replaceAllUsesExcept(widened, widened);
}

namespace {
class WidenCalls : public reprise::impl::SgWidenCallsBase<WidenCalls> {
public:
  using SgWidenCallsBase::SgWidenCallsBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    FailureOr<std::unique_ptr<Target>> device =
        createTargetFor(getOperation(), target);
    if (failed(device))
      return signalPassFailure();
    unsigned count = 0;
    Type lacking;
    function.walk([&](LibraryOpInterface call) {
      if (Type element = unstoredFrom(call, **device))
        narrow(call, element);
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
