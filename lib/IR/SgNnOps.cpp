//===- SgNnOps.cpp - Inference and rules of layers ------------------------===//

#include "Verify.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ParseResult sg::parseConvolutionAttributes(OpAsmParser &parser,
                                           NamedAttrList &attributes) {
  if (parser.parseOptionalAttrDict(attributes))
    return failure();
  Builder &builder = parser.getBuilder();
  auto complete = [&](StringRef name, Attribute value) {
    if (!attributes.get(name))
      attributes.set(name, value);
  };
  complete("strides", builder.getDenseI64ArrayAttr({1, 1}));
  complete("padding", builder.getDenseI64ArrayAttr({0, 0, 0, 0}));
  complete("dilation", builder.getDenseI64ArrayAttr({1, 1}));
  complete("groups", builder.getI64IntegerAttr(1));
  return success();
}

void sg::printConvolutionAttributes(OpAsmPrinter &printer, Operation *,
                                    DictionaryAttr attributes) {
  printer.printOptionalAttrDict(attributes.getValue());
}

template <typename Adaptor>
static LogicalResult multiply(std::optional<Location> loc, Adaptor adaptor,
                              SmallVectorImpl<Type> &types) {
  auto a = tensorType(adaptor.getLhs()), b = tensorType(adaptor.getRhs());
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank ||
      a.getElementType() != b.getElementType())
    return emitOptionalError(loc, "matmul needs two tensors of equal rank, at "
                                  "least 2, and equal element type");
  for (int64_t d = 0; d < rank - 2; ++d)
    if (a.getDimSize(d) != b.getDimSize(d))
      return emitOptionalError(loc, "matmul of batches ", a.getDimSize(d),
                               " and ", b.getDimSize(d));
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  int64_t m = a.getDimSize(rank - (ta ? 1 : 2));
  int64_t ka = a.getDimSize(rank - (ta ? 2 : 1));
  int64_t kb = b.getDimSize(rank - (tb ? 1 : 2));
  int64_t n = b.getDimSize(rank - (tb ? 2 : 1));
  if (ka != kb)
    return emitOptionalError(loc, "matmul contracts ", ka, " with ", kb);
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  shape.append({m, n});
  types.push_back(RankedTensorType::get(shape, a.getElementType()));
  return success();
}

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return multiply(loc, adaptor, types);
}

LogicalResult MatMulBiasOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  if (failed(multiply(loc, adaptor, types)))
    return failure();
  auto product = cast<RankedTensorType>(types.front());
  auto bias = tensorType(adaptor.getBias());
  Type element = product.getElementType(),
       wide = Float32Type::get(element.getContext());
  if (!isWider(wide, element))
    wide = element;
  auto expected = RankedTensorType::get(product.getShape().take_back(), wide);
  if (bias != expected && bias != expected.clone(element))
    return emitOptionalError(loc, "a bias of ", product, " is ", expected,
                             ", but is ", bias);
  return success();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// The attributes that the three convolution ops share.
struct ConvGeometry {
  ArrayRef<int64_t> strides, padding, dilation;
  int64_t groups;
};
} // namespace

/// The result type of a convolution, or null with a message.
static RankedTensorType convolve(std::optional<Location> loc,
                                 RankedTensorType x, RankedTensorType filter,
                                 ConvGeometry geometry) {
  auto fail = [&](auto &&...message) {
    (void)emitOptionalError(loc, message...);
    return RankedTensorType();
  };
  if (x.getRank() != 4 || filter.getRank() != 4)
    return fail("convolution needs an image (N,H,W,C) and a filter (O,H,W,I), "
                "both of rank 4");
  if (geometry.strides.size() != 2 || geometry.padding.size() != 4 ||
      geometry.dilation.size() != 2)
    return fail("convolution needs 2 strides, 4 paddings and 2 dilations");
  for (int64_t v : geometry.padding)
    if (v < 0 || v > INT32_MAX)
      return fail("padding must be between 0 and ", INT32_MAX, ", but is ", v);
  for (ArrayRef<int64_t> steps : {geometry.strides, geometry.dilation})
    for (int64_t v : steps)
      if (v < 1 || v > INT32_MAX)
        return fail("strides and dilations must be between 1 and ", INT32_MAX,
                    ", but one is ", v);
  int64_t groups = geometry.groups, channels = x.getDimSize(3);
  if (groups < 1 || channels % groups || filter.getDimSize(0) % groups)
    return fail(groups, " groups do not divide ", channels, " input and ",
                filter.getDimSize(0), " output channels");
  if (filter.getDimSize(3) != channels / groups)
    return fail("filter has ", filter.getDimSize(3),
                " input channels, but the image has ", channels, " in ", groups,
                " groups");
  if (x.getElementType() != filter.getElementType())
    return fail("image and filter differ in element type");
  SmallVector<int64_t> shape = {x.getDimSize(0), 0, 0, filter.getDimSize(0)};
  for (int d = 0; d < 2; ++d) {
    shape[1 + d] = windowedExtent(
        x.getDimSize(1 + d), filter.getDimSize(1 + d), geometry.strides[d],
        geometry.padding[2 * d] + geometry.padding[2 * d + 1],
        geometry.dilation[d]);
    if (shape[1 + d] < 1)
      return fail("filter of extent ", filter.getDimSize(1 + d),
                  " does not fit an image of extent ", x.getDimSize(1 + d));
  }
  return RankedTensorType::get(shape, x.getElementType());
}

template <typename OpTy> static ConvGeometry geometryOf(OpTy op) {
  return {op.getStrides(), op.getPadding(), op.getDilation(),
          static_cast<int64_t>(op.getGroups())};
}

LogicalResult Conv2DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = convolve(loc, tensorType(adaptor.getX()),
                       tensorType(adaptor.getFilter()), geometryOf(adaptor));
  if (!type)
    return failure();
  types.push_back(type);
  return success();
}

/// The one of `x`, `filter` and `dy` that is the op's result may be wider.
static LogicalResult verifyConvGrad(Operation *op, RankedTensorType x,
                                    RankedTensorType filter,
                                    RankedTensorType dy,
                                    ConvGeometry geometry) {
  Type element = dy.getElementType(),
       made = getElementTypeOrSelf(op->getResult(0).getType());
  if (isWider(made, element)) {
    if (x == op->getResult(0).getType())
      x = x.clone(element);
    if (filter == op->getResult(0).getType())
      filter = filter.clone(element);
  }
  auto expected = convolve(op->getLoc(), x, filter, geometry);
  if (!expected)
    return failure();
  if (expected != dy)
    return op->emitOpError()
           << "has a cotangent of type " << dy
           << ", but the convolution's result is " << expected;
  return success();
}

LogicalResult Conv2DInputGradOp::verify() {
  return verifyConvGrad(*this, tensorType(getResult()), tensorType(getFilter()),
                        tensorType(getDy()), geometryOf(*this));
}

LogicalResult Conv2DInputGradAddOp::verify() {
  if (getAddend().getType() != getResult().getType())
    return emitOpError() << "adds " << getAddend().getType()
                         << " to a gradient of type " << getResult().getType();
  return verifyConvGrad(*this, tensorType(getResult()), tensorType(getFilter()),
                        tensorType(getDy()), geometryOf(*this));
}

LogicalResult Conv2DFilterGradOp::verify() {
  return verifyConvGrad(*this, tensorType(getX()), tensorType(getResult()),
                        tensorType(getDy()), geometryOf(*this));
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static RankedTensorType pool(std::optional<Location> loc, RankedTensorType x,
                             ArrayRef<int64_t> window,
                             ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> padding) {
  auto fail = [&](auto &&...message) {
    (void)emitOptionalError(loc, message...);
    return RankedTensorType();
  };
  if (x.getRank() != 4)
    return fail("pooling needs an image (N,H,W,C)");
  if (window.size() != 2 || strides.size() != 2 || padding.size() != 4)
    return fail("pooling needs 2 window extents, 2 strides and 4 paddings");
  SmallVector<int64_t> shape(x.getShape());
  for (int d = 0; d < 2; ++d) {
    int64_t low = padding[2 * d], high = padding[2 * d + 1];
    for (int64_t v : {window[d], strides[d]})
      if (v < 1 || v > INT32_MAX)
        return fail("windows and strides must be between 1 and ", INT32_MAX,
                    ", but one is ", v);
    if (low < 0 || high < 0 || low >= window[d] || high >= window[d])
      return fail("padding must be between 0 and ", window[d] - 1,
                  ", below the window's extent");
    shape[1 + d] = windowedExtent(x.getDimSize(1 + d), window[d], strides[d],
                                  low + high, 1);
    if (shape[1 + d] < 1)
      return fail("window of extent ", window[d],
                  " does not fit an image of extent ", x.getDimSize(1 + d));
  }
  return RankedTensorType::get(shape, x.getElementType());
}

template <typename Adaptor>
static LogicalResult inferPool(std::optional<Location> loc, Adaptor adaptor,
                               SmallVectorImpl<Type> &types) {
  auto type = pool(loc, tensorType(adaptor.getX()), adaptor.getWindow(),
                   adaptor.getStrides(), adaptor.getPadding());
  if (!type)
    return failure();
  types.push_back(type);
  return success();
}

LogicalResult MaxPool2DOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

/// The type that numbers the positions of a window.
static IntegerType positionType(MLIRContext *context,
                                ArrayRef<int64_t> window) {
  // Windows may be as long as an image.
  bool isSmall = window[0] <= INT8_MAX && window[1] <= INT8_MAX &&
                 window[0] * window[1] <= INT8_MAX;
  return IntegerType::get(context, isSmall ? 8 : 32);
}

LogicalResult MaxPool2DArgmaxOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(inferPool(loc, adaptor, types)))
    return failure();
  types.back() = cast<RankedTensorType>(types.back())
                     .clone(positionType(context, adaptor.getWindow()));
  return success();
}

LogicalResult AvgPool2DOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

template <typename OpTy>
static LogicalResult verifyPoolGrad(OpTy op, RankedTensorType x) {
  auto expected =
      pool(op.getLoc(), x, op.getWindow(), op.getStrides(), op.getPadding());
  if (!expected)
    return failure();
  if (expected != op.getDy().getType())
    return op.emitOpError()
           << "has a cotangent of type " << op.getDy().getType()
           << ", but the pool's result is " << expected;
  return success();
}

LogicalResult MaxPool2DGradOp::verify() {
  return verifyPoolGrad(*this, tensorType(getX()));
}

LogicalResult MaxPool2DScatterOp::verify() {
  if (failed(verifyPoolGrad(*this, tensorType(getResult()))))
    return failure();
  auto expected =
      tensorType(getDy()).clone(positionType(getContext(), getWindow()));
  if (expected != getArgmax().getType())
    return emitOpError() << "has positions of type " << getArgmax().getType()
                         << ", but those of its windows are " << expected;
  return success();
}

LogicalResult AvgPool2DGradOp::verify() {
  return verifyPoolGrad(*this, tensorType(getResult()));
}

LogicalResult GlobalAvgPoolOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto x = tensorType(adaptor.getX());
  if (x.getRank() != 4)
    return emitOptionalError(loc, "pooling needs an image (N,H,W,C)");
  types.push_back(RankedTensorType::get({x.getDimSize(0), x.getDimSize(3)},
                                        x.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

LogicalResult sg::checkChannels(std::optional<Location> loc, Value x,
                                ValueRange vectors) {
  auto type = tensorType(x);
  if (type.getRank() < 2)
    return emitOptionalError(loc,
                             "normalization needs a tensor of rank 2 or "
                             "more, but has ",
                             type);
  auto expected =
      RankedTensorType::get({type.getShape().back()}, type.getElementType());
  Type first = getElementTypeOrSelf(vectors.front().getType());
  if (isWider(first, type.getElementType()))
    expected = expected.clone(first);
  for (Value vector : vectors)
    if (vector.getType() != expected)
      return emitOptionalError(loc, "normalization of ", type, " needs ",
                               expected, ", but has ", vector.getType());
  return success();
}

LogicalResult BatchNormOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(checkChannels(getLoc(), getX(), {getGamma(), getBeta()})))
    return failure();
  Type channel = getGamma().getType();
  if (failed(verifyVariable(*this, getRunningMeanAttr(), channel, tables)))
    return failure();
  return verifyVariable(*this, getRunningVarianceAttr(), channel, tables);
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Value gamma = adaptor.getGamma();
  if (failed(checkChannels(loc, adaptor.getX(), {gamma, adaptor.getBeta()})))
    return failure();
  types.append({adaptor.getX().getType(), gamma.getType(), gamma.getType(),
                gamma.getType()});
  return success();
}

LogicalResult NormalizeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return checkChannels(loc, adaptor.getX(), adaptor.getOperands().drop_front());
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return checkChannels(loc, adaptor.getX(), adaptor.getOperands().drop_front());
}

LogicalResult BatchNormGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Value x = adaptor.getX(), gamma = adaptor.getGamma();
  if (adaptor.getDy().getType() != x.getType())
    return emitOptionalError(loc, "cotangent ", adaptor.getDy().getType(),
                             " differs from the input ", x.getType());
  types.append({x.getType(), gamma.getType(), gamma.getType()});
  return checkChannels(loc, x, {gamma, adaptor.getMean(), adaptor.getRstd()});
}

//===----------------------------------------------------------------------===//
// Losses and dropout
//===----------------------------------------------------------------------===//

static LogicalResult checkLabels(std::optional<Location> loc, Value logits,
                                 Value labels, std::optional<int64_t> ignored) {
  auto l = tensorType(logits), t = tensorType(labels);
  if (l.getRank() != 2 || t.getRank() != 1 ||
      l.getDimSize(0) != t.getDimSize(0))
    return emitOptionalError(loc,
                             "cross entropy needs logits (N,K) and "
                             "labels (N), but has ",
                             l, " and ", t);
  if (!t.getElementType().isInteger(32) && !t.getElementType().isInteger(64))
    return emitOptionalError(loc, "labels must be i32 or i64, but are ",
                             t.getElementType());
  if (ignored && t.getElementType().isInteger(32) && !llvm::isInt<32>(*ignored))
    return emitOptionalError(loc, "ignore_index is ", *ignored,
                             ", which is not an i32, as labels are");
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  if (failed(checkLabels(loc, adaptor.getLogits(), adaptor.getLabels(),
                         adaptor.getIgnoreIndex())))
    return failure();
  auto logits = tensorType(adaptor.getLogits());
  auto row =
      RankedTensorType::get({logits.getDimSize(0)}, logits.getElementType());
  types.append({row, row});
  return success();
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(checkLabels(getLoc(), getLogits(), getLabels(), getIgnoreIndex())))
    return failure();
  auto logits = tensorType(getLogits());
  auto row =
      RankedTensorType::get({logits.getDimSize(0)}, logits.getElementType());
  if (areWidened(row, getLse().getType()))
    row = tensorType(getLse());
  if (getLse().getType() != row || getDlosses().getType() != row)
    return emitOpError() << "needs lse and dlosses of type " << row;
  return success();
}

/// Softmax needs a dimension to run along.
static LogicalResult verifyLastDimension(Operation *op) {
  if (tensorType(op->getResult(0)).getRank() == 0)
    return op->emitOpError() << "needs a tensor of rank 1 or more";
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyLastDimension(*this); }

LogicalResult SoftmaxGradOp::verify() { return verifyLastDimension(*this); }

LogicalResult DropoutOp::verify() {
  double p = getProbability().convertToDouble();
  if (!(p >= 0.0 && p < 1.0))
    return emitOpError() << "needs a probability in [0, 1), but has " << p;
  if (getPerSample() && tensorType(getX()).getRank() == 0)
    return emitOpError() << "needs a tensor of rank 1 or more to drop samples";
  return success();
}
