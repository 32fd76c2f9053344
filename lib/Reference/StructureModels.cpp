//===- StructureModels.cpp - State, blocks and constants ------------------===//

#include "Models.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

static LogicalResult constant(sg::ConstantOp op, Frame &, Operands,
                              Results results) {
  FailureOr<Tensor> value = Tensor::fromAttribute(op.getValue());
  if (failed(value))
    return op.emitError() << "holds its elements in a form that cannot be read";
  results[0] = *value;
  return success();
}

static LogicalResult readVariable(sg::ReadOp op, Frame &frame, Operands,
                                  Results results) {
  const Tensor *value =
      frame.read(op, op.getVariable(), op.getResult().getType());
  if (!value)
    return failure();
  results[0] = *value;
  return success();
}

static LogicalResult writeVariable(sg::WriteOp op, Frame &frame,
                                   Operands operands, Results) {
  return frame.write(op, op.getVariable(), operands[0]);
}

template <typename OpTy>
static LogicalResult block(OpTy op, Frame &frame, Operands operands,
                           Results results) {
  return frame.run(op.getBody().front(), operands, results);
}

static void barrier(sg::BarrierOp op, Frame &, Operands operands,
                    Results results) {
  llvm::copy(operands.take_front(op.getInputs().size()), results.begin());
}

FailureOr<Tensor> reference::initialValue(sg::VariableOp variable) {
  sg::InitAttr init = variable.getInit();
  switch (init.getKind()) {
  case sg::InitKind::Zeros:
  case sg::InitKind::Ones:
    return Tensor::splat(variable.getTensorType(),
                         init.getKind() == sg::InitKind::Ones);
  case sg::InitKind::Constant:
    return Tensor::splat(variable.getTensorType(), init.getParameter());
  case sg::InitKind::Elements: {
    FailureOr<Tensor> value = Tensor::fromAttribute(init.getElements());
    if (failed(value))
      return variable.emitError()
             << "begins with elements in a form that cannot be read";
    return value;
  }
  default:
    return variable.emitError()
           << "begins with random numbers, which no declaration says";
  }
}

void reference::registerStructureModels(MLIRContext *context) {
  attach<sg::ConstantOp, constant>(context);
  attach<sg::ReadOp, readVariable>(context);
  attach<sg::WriteOp, writeVariable>(context);
  attach<sg::SgModuleOp, block<sg::SgModuleOp>>(context);
  attach<sg::KernelOp, block<sg::KernelOp>>(context);
  attach<sg::BackwardOp, block<sg::BackwardOp>>(context);
  attach<sg::BarrierOp, barrier>(context);
}

void reference::registerReferenceModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, sg::SgDialect *) {
    registerStructureModels(context);
    registerPointwiseModels(context);
    registerShapeModels(context);
    registerProductModels(context);
    registerPoolModels(context);
    registerNormalizationModels(context);
    registerLossModels(context);
    registerActivationModels(context);
    registerTransformerModels(context);
  });
}
