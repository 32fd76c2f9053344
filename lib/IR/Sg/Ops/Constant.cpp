//===- Constant.cpp - Constants and indices -------------------------------===//

#include "../Models.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

LogicalResult IotaOp::verify() {
  int64_t rank = tensorOf(getResult()).getRank();
  int64_t dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "counts along dimension " << dim
                         << " of a tensor of rank " << rank;
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Elements in kernels
//===----------------------------------------------------------------------===//

namespace {
struct ConstantModel
    : KernelOpInterface::ExternalModel<ConstantModel, ConstantOp> {
  KernelRole getKernelRole(Operation *op) const {
    return isa<SplatElementsAttr>(cast<ConstantOp>(op).getValue())
               ? KernelRole::Repeated
               : KernelRole::None;
  }
  OperandLanes getOperandLanes(Operation *, unsigned, unsigned) const {
    return OperandLanes::same();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    auto splatted = cast<SplatElementsAttr>(cast<ConstantOp>(op).getValue());
    auto attr = cast<TypedAttr>(splatted.getSplatValue<Attribute>());
    if (index.lane)
      attr = DenseElementsAttr::get(e.vectorOf(attr.getType()), attr);
    return arith::ConstantOp::create(e.builder, e.loc, attr);
  }
};

struct IotaModel : KernelOpInterface::ExternalModel<IotaModel, IotaOp> {
  KernelRole getKernelRole(Operation *) const { return KernelRole::Repeated; }
  OperandLanes getOperandLanes(Operation *, unsigned, unsigned) const {
    return OperandLanes::same();
  }
  Value emitAt(Operation *op, ElementBuilder &e, const Index &index) const {
    unsigned dim = cast<IotaOp>(op).getDim();
    Value at = index.at[dim];
    if (index.lane) {
      at = e.toLanes(at);
      if (*index.lane == dim)
        at = arith::AddIOp::create(e.builder, e.loc, at, e.laneNumbers());
    }
    Type element = tensorOf(op->getResult(0)).getElementType();
    if (element.isInteger(64))
      return at;
    return arith::TruncIOp::create(e.builder, e.loc, e.typeAt(element, index),
                                   at);
  }
};
} // namespace

void sg::registerConstantModels(MLIRContext *context) {
  ConstantOp::attachInterface<ConstantModel>(*context);
  IotaOp::attachInterface<IotaModel>(*context);
  attachCost<KernelClass::None, noFlops, noBytes, ConstantOp>(context);
  attachPointwiseCost<noFlops, IotaOp>(context);
}
