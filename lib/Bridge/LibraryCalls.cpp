//===- LibraryCalls.cpp - Ops that the numerical library runs -------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Bridge/PlanProblem.h"
#include "reprise/IR/Kernel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;

bool reprise::isElementType(Type element) {
  return isa<Float32Type, Float64Type, BFloat16Type, Float16Type>(element) ||
         llvm::any_of(ArrayRef<unsigned>{1, 8, 32, 64}, [&](unsigned width) {
           return element.isSignlessInteger(width);
         });
}

rp_element_type reprise::elementTypeOf(Type element) {
  return llvm::TypeSwitch<Type, rp_element_type>(element)
      .Case<Float32Type>([](auto) { return RP_F32; })
      .Case<BFloat16Type>([](auto) { return RP_BF16; })
      .Case<Float16Type>([](auto) { return RP_F16; })
      .Case<Float64Type>([](auto) { return RP_F64; })
      .Case<IntegerType>([](IntegerType type) {
        switch (type.getWidth()) {
        case 1:
          return RP_I1;
        case 8:
          return RP_I8;
        case 32:
          return RP_I32;
        default:
          assert(type.getWidth() == 64 && "sg has no other integers");
          return RP_I64;
        }
      });
}

static rt::TensorDesc describe(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return {elementTypeOf(type.getElementType()), type.getShape().vec(), {}};
}

std::optional<rt::LibraryCallDesc> reprise::describeLibraryCall(Operation *op) {
  auto call = dyn_cast<LibraryOpInterface>(op);
  if (!call)
    return std::nullopt;
  auto function = termOf<LibraryOp>(call.getLibraryFunction());
  if (!function)
    return std::nullopt;
  rt::LibraryCallDesc desc;
  desc.op = *function;
  SmallVector<int64_t> parameters = call.getLibraryParameters();
  desc.ints.assign(parameters.begin(), parameters.end());
  SmallVector<double> floats = call.getLibraryFloats();
  desc.floats.assign(floats.begin(), floats.end());
  SmallVector<LibraryEpilogue> epilogues = call.getLibraryEpilogues();
  desc.epilogues.assign(epilogues.begin(), epilogues.end());
  for (Value operand : op->getOperands())
    desc.inputs.push_back(describe(operand));
  for (Value result : op->getResults())
    desc.outputs.push_back(describe(result));
  return desc;
}
