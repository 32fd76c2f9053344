//===- LibraryCalls.cpp - Ops that the numerical library runs -------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Bridge/PlanProblem.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace reprise;

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

template <typename ConvOp>
static rt::LibraryCallDesc describeConv(ConvOp op, rt::LibraryOp which) {
  rt::LibraryCallDesc desc;
  desc.op = which;
  for (ArrayRef<int64_t> part :
       {op.getStrides(), op.getPadding(), op.getDilation()})
    desc.ints.insert(desc.ints.end(), part.begin(), part.end());
  desc.ints.push_back(op.getGroups());
  return desc;
}

static rt::LibraryCallDesc describeMatMul(sg::MatMulOp op) {
  rt::LibraryCallDesc desc;
  desc.op = rt::LibraryOp::MatMul;
  desc.ints = {op.getTransposeA(), op.getTransposeB()};
  return desc;
}

std::optional<rt::LibraryCallDesc> reprise::describeLibraryCall(Operation *op) {
  using rt::LibraryOp;
  using Result = std::optional<rt::LibraryCallDesc>;
  Result desc =
      llvm::TypeSwitch<Operation *, Result>(op)
          .Case<sg::MatMulOp>([](auto call) { return describeMatMul(call); })
          .Case<sg::Conv2DOp>(
              [](auto call) { return describeConv(call, LibraryOp::Conv2D); })
          .Case<sg::Conv2DInputGradOp>([](auto call) {
            return describeConv(call, LibraryOp::Conv2DInputGrad);
          })
          .Case<sg::Conv2DFilterGradOp>([](auto call) {
            return describeConv(call, LibraryOp::Conv2DFilterGrad);
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!desc)
    return desc;
  for (Value operand : op->getOperands())
    desc->inputs.push_back(describe(operand));
  for (Value result : op->getResults())
    desc->outputs.push_back(describe(result));
  return desc;
}
