//===- SgShapeOps.cpp - Inference and rules of shape ops ------------------===//

#include "reprise/IR/Sg.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Constants and comparisons
//===----------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  int64_t rank = tensorType(getResult()).getRank();
  int64_t dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "counts along dimension " << dim
                         << " of a tensor of rank " << rank;
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange,
                                          SmallVectorImpl<Type> &types) {
  if (operands.empty() || !isa<RankedTensorType>(operands[0].getType()))
    return failure();
  types.push_back(RankedTensorType::get(tensorType(operands[0]).getShape(),
                                        IntegerType::get(context, 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// Moving
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = tensorType(getOperand()), to = tensorType(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type";
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError() << "has " << getDims().size()
                         << " dims for an operand of rank " << from.getRank();
  int64_t last = -1;
  for (auto [k, d] : llvm::enumerate(getDims())) {
    if (d <= last || d >= to.getRank())
      return emitOpError() << "has dims that do not increase below the rank "
                           << to.getRank();
    last = d;
    if (from.getDimSize(k) != 1 && from.getDimSize(k) != to.getDimSize(d))
      return emitOpError() << "cannot repeat extent " << from.getDimSize(k)
                           << " to " << to.getDimSize(d);
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = tensorType(getOperand()), to = tensorType(getResult());
  if (from.getElementType() != to.getElementType())
    return emitOpError() << "changes the element type";
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "has " << from.getNumElements()
                         << " elements before and " << to.getNumElements()
                         << " after";
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto from = tensorType(adaptor.getOperand());
  llvm::SmallSet<int64_t, 6> seen;
  SmallVector<int64_t> shape;
  for (int64_t d : adaptor.getPermutation()) {
    if (d < 0 || d >= from.getRank() || !seen.insert(d).second)
      return emitOptionalError(loc, "perm is not a permutation of ",
                               from.getRank(), " dimensions");
    shape.push_back(from.getDimSize(d));
  }
  if (static_cast<int64_t>(shape.size()) != from.getRank())
    return emitOptionalError(loc, "perm has ", shape.size(),
                             " entries for rank ", from.getRank());
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto from = tensorType(adaptor.getOperand());
  size_t rank = from.getRank();
  ArrayRef<int64_t> starts = adaptor.getStarts(), limits = adaptor.getLimits(),
                    strides = adaptor.getStrides();
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return emitOptionalError(loc, "starts, limits and strides need ", rank,
                             " entries each");
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < rank; ++d) {
    if (starts[d] < 0 || limits[d] <= starts[d] ||
        limits[d] > from.getDimSize(d) || strides[d] < 1 ||
        strides[d] > INT32_MAX)
      return emitOptionalError(loc, "slice [", starts[d], ", ", limits[d],
                               ") by ", strides[d], " does not fit extent ",
                               from.getDimSize(d));
    shape.push_back((limits[d] - starts[d] + strides[d] - 1) / strides[d]);
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto from = tensorType(adaptor.getOperand());
  size_t rank = from.getRank();
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh(),
                    interior = adaptor.getInterior();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return emitOptionalError(loc, "low, high and interior need ", rank,
                             " entries each");
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < rank; ++d) {
    for (int64_t v : {low[d], high[d], interior[d]})
      if (v < 0 || v > INT32_MAX)
        return emitOptionalError(loc, "padding must be between 0 and ",
                                 INT32_MAX, ", but is ", v);
    shape.push_back(low[d] + high[d] + from.getDimSize(d) +
                    std::max<int64_t>(from.getDimSize(d) - 1, 0) * interior[d]);
  }
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty())
    return emitOptionalError(loc, "concat needs an operand");
  auto first = tensorType(adaptor.getOperands()[0]);
  int64_t dim = adaptor.getDim(), extent = 0;
  if (dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "concat along dimension ", dim,
                             " of tensors of rank ", first.getRank());
  for (Value operand : adaptor.getOperands()) {
    auto type = tensorType(operand);
    if (type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "concat of tensors of different rank or "
                                    "element type");
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (d != dim && type.getDimSize(d) != first.getDimSize(d))
        return emitOptionalError(loc, "concat of extents ", first.getDimSize(d),
                                 " and ", type.getDimSize(d), " in dimension ",
                                 d);
    extent += type.getDimSize(dim);
  }
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = extent;
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Reducing
//===----------------------------------------------------------------------===//

static LogicalResult inferReduce(std::optional<Location> loc, Value operand,
                                 ArrayRef<int64_t> dims,
                                 SmallVectorImpl<Type> &types) {
  auto from = tensorType(operand);
  int64_t last = -1;
  for (int64_t d : dims) {
    if (d <= last || d >= from.getRank())
      return emitOptionalError(
          loc, "dims must increase and lie below the rank ", from.getRank());
    last = d;
  }
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (!llvm::is_contained(dims, d))
      shape.push_back(from.getDimSize(d));
  types.push_back(RankedTensorType::get(shape, from.getElementType()));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferReduce(loc, adaptor.getOperand(), adaptor.getDims(), types);
}

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferReduce(loc, adaptor.getOperand(), adaptor.getDims(), types);
}
