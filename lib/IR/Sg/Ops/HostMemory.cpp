//===- HostMemory.cpp - Ops that move values to the host ------------------===//

#include "../Models.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

bool sg::isHostTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<HostAttr>(tensor.getEncoding()) &&
         hasSupportedShape(
             RankedTensorType::get(tensor.getShape(), tensor.getElementType()));
}

LogicalResult OffloadOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  types.push_back(RankedTensorType::get(x.getShape(), x.getElementType(),
                                        HostAttr::get(context)));
  return success();
}

LogicalResult FetchOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  types.push_back(RankedTensorType::get(x.getShape(), x.getElementType()));
  return success();
}

void sg::registerHostMemoryModels(MLIRContext *context) {
  attachCost<KernelClass::None, noFlops, operandsAndResults, OffloadOp,
             FetchOp>(context);
}
