//===- BFloat16Words.cpp - bf16 as words of 16 bits -----------------------===//
//
// Input:   kernels whose arithmetic on bf16 is expanded; only constants,
//          bitcasts, selections, loads, stores and vectors of bf16 are left.
// Output:  the same on i16. Results of intrinsics keep bf16 and are then cast.
// Method:  types change in place; a bitcast between equal types is removed.
// Cost:    linear in the ops.
// Fails:   never on verified input.
//
// If the processor has no bf16 instructions, LLVM selects between bf16
// numbers through f32 and rounds back with __truncsfbf2, a function that not
// every C library has. Words are selected in a register.
//
//===----------------------------------------------------------------------===//

#include "BFloat16Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace reprise;

/// Returns i16 for bf16, the same vector of i16 for a vector of bf16, and null
/// for other types.
static Type wordsFor(Type type) {
  if (!getElementTypeOrSelf(type).isBF16())
    return {};
  Type word = IntegerType::get(type.getContext(), 16);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(word) : word;
}

static TypedAttr wordsFor(TypedAttr value) {
  Type word = IntegerType::get(value.getContext(), 16);
  if (auto number = dyn_cast<FloatAttr>(value))
    return IntegerAttr::get(word, number.getValue().bitcastToAPInt());
  return cast<DenseElementsAttr>(value).bitcast(word);
}

static void replaceIn(Operation *op) {
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      if (Type words = wordsFor(argument.getType()))
        argument.setType(words);
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && wordsFor(constant.getType()))
    constant.setValueAttr(wordsFor(constant.getValue()));
  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type words = wordsFor(result.getType());
    if (!words)
      continue;
    if (!isa<LLVM::CallIntrinsicOp>(op)) {
      result.setType(words);
      continue;
    }
    Operation *cast =
        LLVM::BitcastOp::create(after, op->getLoc(), words, result);
    result.replaceAllUsesExcept(cast->getResult(0), cast);
  }
}

void reprise::replaceBFloat16ByWords(Operation *module) {
  module->walk(replaceIn);
  module->walk([](arith::BitcastOp cast) {
    if (cast.getIn().getType() != cast.getType())
      return;
    cast.getResult().replaceAllUsesWith(cast.getIn());
    cast.erase();
  });
}
