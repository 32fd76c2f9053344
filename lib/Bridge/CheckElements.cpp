//===- CheckElements.cpp - The element types that a target supports -------===//
//
// Input:   a flat function of kernels and library ops, a target.
// Output:  success, or an error at the first op with a type that the target's
//          kernels or its library do not support, with op, type and target.
//          Plans check this first, so that neither code generation nor a
//          library meets an unsupported type.
// Cost:    linear.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Bridge/PlanProblem.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using Elements = ArrayRef<rp_element_type>;

/// None for a type that no program stores; placement reports it.
static std::optional<rp_element_type> elementOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isElementType(tensor.getElementType()))
    return std::nullopt;
  return elementTypeOf(tensor.getElementType());
}

/// "f32, bf16 and i1".
static std::string listed(Elements elements) {
  std::string text;
  for (auto [k, element] : llvm::enumerate(elements))
    text += (k == 0                     ? ""
             : k + 1 == elements.size() ? " and "
                                        : ", ") +
            std::string(rt::elementName(element));
  return text;
}

/// Checks an op, which `runner` runs on the types `taken`; `operands` are the
/// operands it computes with.
static LogicalResult checkOp(Operation *op, TypeRange operands, Elements taken,
                             const std::string &runner, const Target &target) {
  SmallVector<Type> types(operands);
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    std::optional<rp_element_type> element = elementOf(type);
    if (!element || llvm::is_contained(taken, *element))
      continue;
    return op->emitOpError()
           << "runs on " << rt::elementName(*element) << ", but " << runner
           << " of target '" << target.device() << "' takes " << listed(taken);
  }
  return success();
}

static LogicalResult checkCall(LibraryOpInterface call, const Target &target) {
  auto function = termOf<LibraryOp>(call.getLibraryFunction());
  if (!function) // refused elsewhere as an op that no step runs
    return success();
  // Seed and step of a draw are not numbers to compute with.
  size_t counters = streamOf(call) ? kCountersOfDraw : 0;
  TypeRange operands(call->getOperandTypes());
  return checkOp(call, operands.drop_back(counters),
                 target.callElements(*function),
                 call.getLibraryFunction().str(), target);
}

LogicalResult reprise::checkElements(func::FuncOp function,
                                     const Target &target) {
  std::vector<rp_element_type> taken = target.kernelElements();
  for (Operation &op : function.getBody().front()) {
    if (auto kernel = dyn_cast<sg::KernelOp>(op))
      for (Operation &inner : kernel.getBody().front().without_terminator())
        if (failed(checkOp(&inner, inner.getOperandTypes(), taken, "a kernel",
                           target)))
          return failure();
    if (auto call = dyn_cast<LibraryOpInterface>(op))
      if (failed(checkCall(call, target)))
        return failure();
  }
  return success();
}
