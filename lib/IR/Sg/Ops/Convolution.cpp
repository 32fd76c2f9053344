//===- Convolution.cpp - Convolutions and their gradients -----------------===//

#include "../Models.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Kernel.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Types and rules
//===----------------------------------------------------------------------===//

ParseResult sg::parseConvolutionAttributes(OpAsmParser &parser,
                                           NamedAttrList &attributes,
                                           unsigned dims) {
  if (parser.parseOptionalAttrDict(attributes))
    return failure();
  Builder &builder = parser.getBuilder();
  auto complete = [&](StringRef name, Attribute value) {
    if (!attributes.get(name))
      attributes.set(name, value);
  };
  auto repeated = [&](int64_t value, unsigned count) {
    return builder.getDenseI64ArrayAttr(SmallVector<int64_t>(count, value));
  };
  complete("strides", repeated(1, dims));
  complete("padding", repeated(0, 2 * dims));
  complete("dilation", repeated(1, dims));
  complete("groups", builder.getI64IntegerAttr(1));
  return success();
}

void sg::printConvolutionAttributes(OpAsmPrinter &printer, Operation *,
                                    DictionaryAttr attributes, unsigned) {
  printer.printOptionalAttrDict(attributes.getValue());
}

namespace {
/// The attributes that the three convolution ops share.
struct ConvGeometry {
  unsigned dims; // of space
  ArrayRef<int64_t> strides, padding, dilation;
  int64_t groups;

  template <typename OpTy>
  ConvGeometry(unsigned dims, OpTy op)
      : dims(dims), strides(op.getStrides()), padding(op.getPadding()),
        dilation(op.getDilation()),
        groups(static_cast<int64_t>(op.getGroups())) {}
};

/// The ops of one number of spatial dimensions.
struct Images {
  using Forward = Conv2DOp;
  using InputGrad = Conv2DInputGradOp;
  using FilterGrad = Conv2DFilterGradOp;
};
struct Volumes {
  using Forward = Conv3DOp;
  using InputGrad = Conv3DInputGradOp;
  using FilterGrad = Conv3DFilterGradOp;
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
  unsigned dims = geometry.dims;
  int64_t rank = dims + 2;
  if (x.getRank() != rank || filter.getRank() != rank)
    return fail("convolution needs ",
                dims == 2 ? "an image (N,H,W,C) and a filter (O,H,W,I)"
                          : "a volume (N,D,H,W,C) and a filter (O,D,H,W,I)",
                ", both of rank ", rank);
  if (geometry.strides.size() != dims || geometry.padding.size() != 2 * dims ||
      geometry.dilation.size() != dims)
    return fail("convolution needs ", dims, " strides, ", 2 * dims,
                " paddings and ", dims, " dilations");
  for (int64_t v : geometry.padding)
    if (v < 0 || v > INT32_MAX)
      return fail("padding must be between 0 and ", INT32_MAX, ", but is ", v);
  for (ArrayRef<int64_t> steps : {geometry.strides, geometry.dilation})
    for (int64_t v : steps)
      if (v < 1 || v > INT32_MAX)
        return fail("strides and dilations must be between 1 and ", INT32_MAX,
                    ", but one is ", v);
  int64_t groups = geometry.groups, channels = x.getShape().back();
  if (groups < 1 || channels % groups || filter.getDimSize(0) % groups)
    return fail(groups, " groups do not divide ", channels, " input and ",
                filter.getDimSize(0), " output channels");
  if (filter.getShape().back() != channels / groups)
    return fail("filter has ", filter.getShape().back(),
                " input channels, but the image has ", channels, " in ", groups,
                " groups");
  if (x.getElementType() != filter.getElementType())
    return fail("image and filter differ in element type");
  SmallVector<int64_t> shape(x.getShape());
  shape.back() = filter.getDimSize(0);
  for (unsigned d = 0; d < dims; ++d) {
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

static LogicalResult infer(std::optional<Location> loc, Value x, Value filter,
                           ConvGeometry geometry,
                           SmallVectorImpl<Type> &types) {
  auto type = convolve(loc, tensorOf(x), tensorOf(filter), geometry);
  if (!type)
    return failure();
  types.push_back(type);
  return success();
}

LogicalResult Conv2DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return infer(loc, adaptor.getX(), adaptor.getFilter(), {2, adaptor}, types);
}

LogicalResult Conv3DOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return infer(loc, adaptor.getX(), adaptor.getFilter(), {3, adaptor}, types);
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

static LogicalResult verifyInputGrad(Operation *op, Value dy, Value filter,
                                     ConvGeometry geometry) {
  return verifyConvGrad(op, tensorOf(op->getResult(0)), tensorOf(filter),
                        tensorOf(dy), geometry);
}

static LogicalResult verifyFilterGrad(Operation *op, Value x, Value dy,
                                      ConvGeometry geometry) {
  return verifyConvGrad(op, tensorOf(x), tensorOf(op->getResult(0)),
                        tensorOf(dy), geometry);
}

LogicalResult Conv2DInputGradOp::verify() {
  return verifyInputGrad(*this, getDy(), getFilter(), {2, *this});
}

LogicalResult Conv3DInputGradOp::verify() {
  return verifyInputGrad(*this, getDy(), getFilter(), {3, *this});
}

LogicalResult Conv2DInputGradAddOp::verify() {
  if (getAddend().getType() != getResult().getType())
    return emitOpError() << "adds " << getAddend().getType()
                         << " to a gradient of type " << getResult().getType();
  return verifyInputGrad(*this, getDy(), getFilter(), {2, *this});
}

LogicalResult Conv2DFilterGradOp::verify() {
  return verifyFilterGrad(*this, getX(), getDy(), {2, *this});
}

LogicalResult Conv3DFilterGradOp::verify() {
  return verifyFilterGrad(*this, getX(), getDy(), {3, *this});
}

//===----------------------------------------------------------------------===//
// Derivative and decomposition
//===----------------------------------------------------------------------===//

/// The cotangent is rounded as for a matrix product.
template <typename Space>
static LogicalResult convVjp(typename Space::Forward op, VjpContext &context) {
  Value dy = context.cotangent(op->getResult(0));
  if (!dy)
    return success();
  Emitter e(context.builder, op.getLoc());
  dy = e.as(dy, op.getX());
  if (context.needsGradient(op.getXMutable())) {
    Value filter = context.forward(op.getFilter());
    context.addGradient(op.getXMutable(),
                        e.make<typename Space::InputGrad>(
                            op.getX().getType(), dy, filter, op.getStrides(),
                            op.getPadding(), op.getDilation(), op.getGroups()));
  }
  if (context.needsGradient(op.getFilterMutable())) {
    Value x = context.forward(op.getX());
    context.addGradient(op.getFilterMutable(),
                        e.make<typename Space::FilterGrad>(
                            op.getFilter().getType(), x, dy, op.getStrides(),
                            op.getPadding(), op.getDilation(), op.getGroups()));
  }
  return success();
}

/// The op is linear in both operands: a convolution is the adjoint in the first
/// one. Models have it as a transposed convolution.
template <typename Space>
static LogicalResult inputGradVjp(typename Space::InputGrad op,
                                  VjpContext &context) {
  Value cotangent = context.cotangent(op->getResult(0));
  if (!cotangent)
    return success();
  Emitter e(context.builder, op.getLoc());
  cotangent = e.as(cotangent, op.getDy());
  if (context.needsGradient(op.getDyMutable())) {
    Value filter = context.forward(op.getFilter());
    context.addGradient(
        op.getDyMutable(),
        e.make<typename Space::Forward>(op.getDy().getType(), cotangent, filter,
                                        op.getStrides(), op.getPadding(),
                                        op.getDilation(), op.getGroups()));
  }
  if (context.needsGradient(op.getFilterMutable())) {
    Value dy = context.forward(op.getDy());
    context.addGradient(
        op.getFilterMutable(),
        e.make<typename Space::FilterGrad>(op.getFilter().getType(), cotangent,
                                           dy, op.getStrides(), op.getPadding(),
                                           op.getDilation(), op.getGroups()));
  }
  return success();
}

/// Decomposes a gradient and the sum with the tensor that it adds to.
static Values decompose(Conv2DInputGradAddOp op, Emitter &e) {
  auto type = tensorOf(op.getResult());
  Type wide = Float32Type::get(op.getContext());
  auto sums = isWider(wide, type.getElementType()) ? type.clone(wide) : type;
  Value gradient = e.make<Conv2DInputGradOp>(sums, op.getDy(), op.getFilter(),
                                             op.getStrides(), op.getPadding(),
                                             op.getDilation(), op.getGroups());
  Value addend = op.getAddend();
  if (addend.getType() != sums)
    addend = e.make<CastOp>(sums, addend);
  return {e.as(e.add(gradient, addend), op.getResult())};
}

//===----------------------------------------------------------------------===//
// Cost and library call
//===----------------------------------------------------------------------===//

/// 2 N H' W' O KH KW C/groups, for the result y (N,H',W',O) or its cotangent
/// and a filter (O,KH,KW,C/groups), and likewise with a depth.
static uint64_t convolutionFlops(Value y, Value filter) {
  return 2 * elements(y) * (elements(filter) / tensorOf(filter).getDimSize(0));
}

template <typename OpTy> static uint64_t convFlops(Operation *op) {
  auto conv = cast<OpTy>(op);
  return convolutionFlops(conv.getResult(), conv.getFilter());
}

template <typename OpTy> static uint64_t convInputGradFlops(Operation *op) {
  auto grad = cast<OpTy>(op);
  return convolutionFlops(grad.getDy(), grad.getFilter());
}

static uint64_t convInputGradAddFlops(Operation *op) {
  auto grad = cast<Conv2DInputGradAddOp>(op);
  return convolutionFlops(grad.getDy(), grad.getFilter()) +
         elements(grad.getResult());
}

template <typename OpTy> static uint64_t convFilterGradFlops(Operation *op) {
  auto grad = cast<OpTy>(op);
  return convolutionFlops(grad.getDy(), grad.getResult());
}

namespace {
/// "conv2d" for sg.conv2d; a tensor that it adds to belongs to an epilogue.
template <typename OpTy>
struct ConvModel : LibraryOpInterface::ExternalModel<ConvModel<OpTy>, OpTy> {
  static constexpr bool adds = std::is_same_v<OpTy, Conv2DInputGradAddOp>;

  StringRef getLibraryFunction(Operation *op) const {
    return adds ? "conv2d_input_grad" : op->getName().stripDialect();
  }
  SmallVector<int64_t> getLibraryParameters(Operation *op) const {
    auto conv = cast<OpTy>(op);
    SmallVector<int64_t> parameters;
    for (ArrayRef<int64_t> part :
         {conv.getStrides(), conv.getPadding(), conv.getDilation()})
      parameters.append(part.begin(), part.end());
    parameters.push_back(conv.getGroups());
    return parameters;
  }
  SmallVector<LibraryEpilogue> getLibraryEpilogues(Operation *) const {
    if (adds)
      return {LibraryEpilogue::Add};
    return {};
  }
};
} // namespace

template <typename Space> static void registerSpace(MLIRContext *context) {
  using Forward = typename Space::Forward;
  using InputGrad = typename Space::InputGrad;
  using FilterGrad = typename Space::FilterGrad;
  attachVjp<Forward, convVjp<Space>>(context);
  attachVjp<InputGrad, inputGradVjp<Space>>(context);
  Forward::template attachInterface<ConvModel<Forward>>(*context);
  InputGrad::template attachInterface<ConvModel<InputGrad>>(*context);
  FilterGrad::template attachInterface<ConvModel<FilterGrad>>(*context);
  attachLibraryCost<convFlops<Forward>, Forward>(context);
  attachLibraryCost<convInputGradFlops<InputGrad>, InputGrad>(context);
  attachLibraryCost<convFilterGradFlops<FilterGrad>, FilterGrad>(context);
  attachAutocast<AutocastRule::Narrow, Forward, InputGrad>(context);
}

void sg::registerConvolutionModels(MLIRContext *context) {
  registerSpace<Images>(context);
  registerSpace<Volumes>(context);
  attachDecomposition<Conv2DInputGradAddOp, decompose>(context);
  Conv2DInputGradAddOp::attachInterface<ConvModel<Conv2DInputGradAddOp>>(
      *context);
  attachLibraryCost<convInputGradAddFlops, Conv2DInputGradAddOp>(context);
}
