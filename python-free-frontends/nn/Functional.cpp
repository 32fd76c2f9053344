//===- Functional.cpp - Ops without variables -----------------------------===//

#include "reprise/NN/Functional.h"
#include "reprise/NN/Trace.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::nn;

static std::string describe(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << tensor.getType();
  return text;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Tensor binary(const Tensor &lhs, const Tensor &rhs) {
  if (!lhs || !rhs)
    return lhs ? rhs : lhs;
  if (lhs.getType() != rhs.getType())
    return lhs.getTrace().fail(OpTy::getOperationName() + " of " +
                               describe(lhs) + " and " + describe(rhs));
  return lhs.getTrace().createAs<OpTy>(lhs.getType(), {lhs, rhs});
}

Tensor nn::operator+(const Tensor &lhs, const Tensor &rhs) {
  return binary<sg::AddOp>(lhs, rhs);
}
Tensor nn::operator-(const Tensor &lhs, const Tensor &rhs) {
  return binary<sg::SubOp>(lhs, rhs);
}
Tensor nn::operator*(const Tensor &lhs, const Tensor &rhs) {
  return binary<sg::MulOp>(lhs, rhs);
}

template <typename OpTy> static Tensor unary(const Tensor &x) {
  if (!x)
    return x;
  return x.getTrace().createAs<OpTy>(x.getType(), x);
}

Tensor nn::relu(const Tensor &x) { return unary<sg::ReluOp>(x); }
Tensor nn::sigmoid(const Tensor &x) { return unary<sg::SigmoidOp>(x); }
Tensor nn::tanh(const Tensor &x) { return unary<sg::TanhOp>(x); }
Tensor nn::softmax(const Tensor &x) { return unary<sg::SoftmaxOp>(x); }

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

Tensor nn::conv2d(const Tensor &x, const Tensor &filter,
                  const ConvGeometry &geometry) {
  Builder &builder = x.getTrace().getBuilder();
  sg::Conv2DOp::Properties properties;
  auto [top, left] = geometry.padding;
  properties.strides = builder.getDenseI64ArrayAttr(geometry.stride);
  properties.padding = builder.getDenseI64ArrayAttr({top, top, left, left});
  properties.dilation = builder.getDenseI64ArrayAttr(geometry.dilation);
  properties.groups = builder.getI64IntegerAttr(geometry.groups);
  return x.getTrace().create<sg::Conv2DOp>({x, filter}, properties).front();
}

template <typename OpTy>
static typename OpTy::Properties poolProperties(Builder &builder,
                                                const PoolGeometry &geometry) {
  auto [window, stride, padding] = geometry;
  typename OpTy::Properties properties;
  properties.window = builder.getDenseI64ArrayAttr({window, window});
  properties.strides = builder.getDenseI64ArrayAttr({stride, stride});
  properties.padding =
      builder.getDenseI64ArrayAttr({padding, padding, padding, padding});
  return properties;
}

Tensor nn::maxPool2d(const Tensor &x, const PoolGeometry &geometry) {
  Trace &trace = x.getTrace();
  return trace
      .create<sg::MaxPool2DOp>(
          x, poolProperties<sg::MaxPool2DOp>(trace.getBuilder(), geometry))
      .front();
}

Tensor nn::avgPool2d(const Tensor &x, const PoolGeometry &geometry) {
  Trace &trace = x.getTrace();
  auto properties =
      poolProperties<sg::AvgPool2DOp>(trace.getBuilder(), geometry);
  properties.count_include_pad = trace.getBuilder().getUnitAttr();
  return trace.create<sg::AvgPool2DOp>(x, properties).front();
}

Tensor nn::globalAvgPool(const Tensor &x) {
  return x.getTrace().create<sg::GlobalAvgPoolOp>(x).front();
}

//===----------------------------------------------------------------------===//
// Matrices and shapes
//===----------------------------------------------------------------------===//

Tensor nn::linear(const Tensor &x, const Tensor &weight) {
  if (!x || !weight)
    return x ? weight : x;
  Trace &trace = x.getTrace();
  llvm::SmallVector<int64_t> shape(x.getType().getShape());
  if (shape.empty())
    return trace.fail("linear needs rows, but has " + describe(x));
  // The rows of all leading dimensions are the rows of one matrix.
  int64_t columns = shape.back();
  int64_t rows = x.getType().getNumElements() / columns;
  Tensor matrix = shape.size() == 2 ? x : reshape(x, {rows, columns});
  sg::MatMulOp::Properties properties;
  properties.transpose_b = trace.getBuilder().getUnitAttr();
  Tensor y = trace.create<sg::MatMulOp>({matrix, weight}, properties).front();
  if (!y || shape.size() == 2)
    return y;
  shape.back() = y.dim(1);
  return reshape(y, shape);
}

Tensor nn::addBias(const Tensor &x, const Tensor &bias) {
  if (!x || !bias)
    return x ? bias : x;
  Trace &trace = x.getTrace();
  if (bias.getType().getRank() != 1 || x.getType().getRank() < 1 ||
      x.getType().getShape().back() != bias.dim(0))
    return trace.fail("bias of type " + describe(bias) +
                      " does not fit rows of " + describe(x));
  return x + Tensor(trace, sg::broadcastTrailing(trace.getBuilder(),
                                                 trace.getLocation(),
                                                 bias.getValue(), x.getType()));
}

Tensor nn::reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape) {
  if (!x)
    return x;
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  if (elements != x.getType().getNumElements() ||
      llvm::any_of(shape, [](int64_t extent) { return extent < 1; }))
    return x.getTrace().fail("cannot reshape " + describe(x) + " to " +
                             llvm::Twine(elements) + " elements");
  auto type = RankedTensorType::get(shape, x.getType().getElementType());
  return x.getTrace().createAs<sg::ReshapeOp>(type, x);
}

Tensor nn::flatten(const Tensor &x) {
  if (!x)
    return x;
  if (x.getType().getRank() < 1)
    return x.getTrace().fail("cannot flatten a scalar");
  return reshape(x, {x.dim(0), x.getType().getNumElements() / x.dim(0)});
}

Tensor nn::concat(llvm::ArrayRef<Tensor> tensors, int64_t dim) {
  assert(!tensors.empty() && "nothing to join");
  Trace &trace = tensors.front().getTrace();
  sg::ConcatOp::Properties properties;
  properties.dim = trace.getBuilder().getI64IntegerAttr(dim);
  return trace.create<sg::ConcatOp>(tensors, properties).front();
}

//===----------------------------------------------------------------------===//
// Dropout and loss
//===----------------------------------------------------------------------===//

Tensor nn::dropout(const Tensor &x, double probability) {
  if (!x)
    return x;
  Trace &trace = x.getTrace();
  if (!(probability >= 0.0 && probability < 1.0))
    return trace.fail("dropout needs a probability in [0, 1), but has " +
                      llvm::Twine(std::to_string(probability)));
  if (probability == 0.0)
    return x;
  Builder &builder = trace.getBuilder();
  sg::DropoutOp::Properties properties;
  properties.probability = builder.getF64FloatAttr(probability);
  properties.stream = builder.getI64IntegerAttr(trace.nextStream());
  return trace.createAs<sg::DropoutOp>(
      x.getType(), {x, trace.readSeed(), trace.readStep()}, properties);
}

Tensor nn::crossEntropy(const Tensor &logits, const Tensor &labels) {
  Trace &trace = logits.getTrace();
  Tensor losses = trace.create<sg::CrossEntropyOp>({logits, labels}).front();
  if (!losses)
    return losses;
  sg::ReduceSumOp::Properties properties;
  properties.dims = trace.getBuilder().getDenseI64ArrayAttr({0});
  Tensor sum = trace.create<sg::ReduceSumOp>(losses, properties).front();
  return binary<sg::DivOp>(
      sum, trace.splat(sum.getType(), static_cast<double>(losses.dim(0))));
}
