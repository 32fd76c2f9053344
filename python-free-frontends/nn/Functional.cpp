//===- Functional.cpp - Ops without variables -----------------------------===//

#include "reprise/NN/Functional.h"
#include "reprise/NN/Trace.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::nn;

static std::string describe(Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type;
  return text;
}

static std::string describe(const Tensor &tensor) {
  return describe(tensor.getType());
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

Tensor nn::keep(const Tensor &x) { return unary<sg::KeepOp>(x); }
Tensor nn::recompute(const Tensor &x) { return unary<sg::RecomputeOp>(x); }
Tensor nn::relu(const Tensor &x) { return unary<sg::ReluOp>(x); }
Tensor nn::relu6(const Tensor &x) { return minimum(relu(x), 6.0); }
Tensor nn::exp(const Tensor &x) { return unary<sg::ExpOp>(x); }
Tensor nn::sigmoid(const Tensor &x) { return unary<sg::SigmoidOp>(x); }
Tensor nn::tanh(const Tensor &x) { return unary<sg::TanhOp>(x); }
Tensor nn::softmax(const Tensor &x) { return unary<sg::SoftmaxOp>(x); }
Tensor nn::silu(const Tensor &x) { return unary<sg::SiluOp>(x); }
Tensor nn::hardSigmoid(const Tensor &x) { return unary<sg::HardSigmoidOp>(x); }
Tensor nn::hardSwish(const Tensor &x) { return unary<sg::HardSwishOp>(x); }

Tensor nn::minimum(const Tensor &x, double bound) {
  if (!x)
    return x;
  return binary<sg::MinimumOp>(x, x.getTrace().splat(x.getType(), bound));
}

Tensor nn::gelu(const Tensor &x, bool byTanh) {
  if (!x)
    return x;
  sg::GeluOp::Properties properties;
  if (byTanh)
    properties.tanh = x.getTrace().getBuilder().getUnitAttr();
  return x.getTrace().createAs<sg::GeluOp>(x.getType(), x, properties);
}

Tensor nn::equal(const Tensor &x, const Tensor &y) {
  if (!x || !y)
    return x ? y : x;
  if (x.getType() != y.getType())
    return x.getTrace().fail("equality of " + describe(x) + " and " +
                             describe(y));
  Trace &trace = x.getTrace();
  sg::CompareOp::Properties properties;
  properties.predicate = sg::ComparePredicateAttr::get(
      trace.getBuilder().getContext(), sg::ComparePredicate::EQ);
  auto type = RankedTensorType::get(x.getType().getShape(),
                                    trace.getBuilder().getI1Type());
  return trace.createAs<sg::CompareOp>(type, {x, y}, properties);
}

Tensor nn::select(const Tensor &mask, const Tensor &x, const Tensor &y) {
  if (!mask || !x || !y)
    return mask ? x ? y : x : mask;
  if (x.getType() != y.getType() ||
      mask.getType().getShape() != x.getType().getShape() ||
      !mask.getType().getElementType().isInteger(1))
    return x.getTrace().fail("choice by " + describe(mask) + " of " +
                             describe(x) + " and " + describe(y));
  return x.getTrace().createAs<sg::SelectOp>(x.getType(), {mask, x, y});
}

Tensor nn::scale(const Tensor &x, double factor) {
  if (!x)
    return x;
  return x * x.getTrace().splat(x.getType(), factor);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

template <typename OpTy, typename Geometry>
static Tensor convolve(const Tensor &x, const Tensor &filter,
                       const Geometry &geometry) {
  Builder &builder = x.getTrace().getBuilder();
  typename OpTy::Properties properties;
  llvm::SmallVector<int64_t> padding;
  for (int64_t sides : geometry.padding)
    padding.append(2, sides);
  properties.strides = builder.getDenseI64ArrayAttr(geometry.stride);
  properties.padding = builder.getDenseI64ArrayAttr(padding);
  properties.dilation = builder.getDenseI64ArrayAttr(geometry.dilation);
  properties.groups = builder.getI64IntegerAttr(geometry.groups);
  return x.getTrace().create<OpTy>({x, filter}, properties).front();
}

Tensor nn::conv2d(const Tensor &x, const Tensor &filter,
                  const ConvGeometry &geometry) {
  return convolve<sg::Conv2DOp>(x, filter, geometry);
}

Tensor nn::conv3d(const Tensor &x, const Tensor &filter,
                  const ConvGeometry3d &geometry) {
  return convolve<sg::Conv3DOp>(x, filter, geometry);
}

/// Returns the padding at the end of a dimension.
static int64_t padEnd(int64_t extent, const PoolGeometry &geometry) {
  auto [window, stride, padding, rounding] = geometry;
  if (rounding == PoolRounding::Down || stride < 1)
    return padding;
  // The last window begins before the end.
  int64_t last = llvm::divideCeil(
      std::max<int64_t>(extent + 2 * padding - window, 0), stride);
  if (last * stride >= extent + padding)
    --last;
  return std::max(padding, last * stride + window - extent - padding);
}

template <typename OpTy>
static typename OpTy::Properties poolProperties(const Tensor &x,
                                                const PoolGeometry &geometry) {
  Builder &builder = x.getTrace().getBuilder();
  int64_t window = geometry.window, stride = geometry.stride;
  typename OpTy::Properties properties;
  properties.window = builder.getDenseI64ArrayAttr({window, window});
  properties.strides = builder.getDenseI64ArrayAttr({stride, stride});
  properties.padding = builder.getDenseI64ArrayAttr(
      {geometry.padding, padEnd(x.dim(1), geometry), geometry.padding,
       padEnd(x.dim(2), geometry)});
  return properties;
}

Tensor nn::maxPool2d(const Tensor &x, const PoolGeometry &geometry) {
  Trace &trace = x.getTrace();
  return trace
      .create<sg::MaxPool2DOp>(x, poolProperties<sg::MaxPool2DOp>(x, geometry))
      .front();
}

Tensor nn::avgPool2d(const Tensor &x, const PoolGeometry &geometry) {
  Trace &trace = x.getTrace();
  auto properties = poolProperties<sg::AvgPool2DOp>(x, geometry);
  properties.count_include_pad = trace.getBuilder().getUnitAttr();
  return trace.create<sg::AvgPool2DOp>(x, properties).front();
}

/// A window of one dimension or two of an image.
struct PlaneWindow {
  std::array<int64_t, 2> window, stride, padding;

  bool isIdentity() const {
    return window == std::array<int64_t, 2>{1, 1} && stride == window;
  }
};

template <typename OpTy>
static Tensor poolPlanes(const Tensor &x, const PlaneWindow &plane) {
  Builder &builder = x.getTrace().getBuilder();
  auto [top, left] = plane.padding;
  typename OpTy::Properties properties;
  properties.window = builder.getDenseI64ArrayAttr(plane.window);
  properties.strides = builder.getDenseI64ArrayAttr(plane.stride);
  properties.padding = builder.getDenseI64ArrayAttr({top, top, left, left});
  if constexpr (std::is_same_v<OpTy, sg::AvgPool2DOp>)
    properties.count_include_pad = builder.getUnitAttr();
  return x.getTrace().create<OpTy>(x, properties).front();
}

/// A maximum or a mean of a volume's window is that of its frames' windows.
template <typename OpTy>
static Tensor poolVolume(Tensor x, const PoolGeometry3d &geometry) {
  if (!x)
    return x;
  if (x.getType().getRank() != 5)
    return x.getTrace().fail("a pool of volumes needs (N,D,H,W,C), but has " +
                             describe(x));
  auto [windowD, windowH, windowW] = geometry.window;
  auto [strideD, strideH, strideW] = geometry.stride;
  auto [padD, padH, padW] = geometry.padding;
  int64_t batch = x.dim(0), depth = x.dim(1), channels = x.dim(4);
  if (windowD > depth + 2 * padD)
    return x.getTrace().fail("a window of " + llvm::Twine(windowD) +
                             " frames does not fit " + llvm::Twine(depth));
  PlaneWindow frames = {{windowH, windowW}, {strideH, strideW}, {padH, padW}};
  if (!frames.isIdentity()) {
    Tensor planes = reshape(x, {batch * depth, x.dim(2), x.dim(3), channels});
    Tensor y = poolPlanes<OpTy>(planes, frames);
    if (!y)
      return y;
    x = reshape(y, {batch, depth, y.dim(1), y.dim(2), channels});
  }
  PlaneWindow along = {{windowD, 1}, {strideD, 1}, {padD, 0}};
  if (along.isIdentity())
    return x;
  int64_t height = x.dim(2), width = x.dim(3);
  Tensor planes = reshape(x, {batch, depth, height * width, channels});
  Tensor y = poolPlanes<OpTy>(planes, along);
  return y ? reshape(y, {batch, y.dim(1), height, width, channels}) : y;
}

Tensor nn::maxPool3d(const Tensor &x, const PoolGeometry3d &geometry) {
  return poolVolume<sg::MaxPool2DOp>(x, geometry);
}

Tensor nn::avgPool3d(const Tensor &x, const PoolGeometry3d &geometry) {
  return poolVolume<sg::AvgPool2DOp>(x, geometry);
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

Tensor nn::matmul(const Tensor &a, const Tensor &b, Transposed transposed) {
  Builder &builder = a.getTrace().getBuilder();
  sg::MatMulOp::Properties properties;
  if (transposed.a)
    properties.transpose_a = builder.getUnitAttr();
  if (transposed.b)
    properties.transpose_b = builder.getUnitAttr();
  return a.getTrace().create<sg::MatMulOp>({a, b}, properties).front();
}

Tensor nn::layerNorm(const Tensor &x, const Tensor &weight, const Tensor &bias,
                     double epsilon) {
  Trace &trace = x.getTrace();
  sg::LayerNormOp::Properties properties;
  properties.epsilon = trace.getBuilder().getF64FloatAttr(epsilon);
  return trace.create<sg::LayerNormOp>({x, weight, bias}, properties).front();
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

Tensor nn::broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dims) {
  if (!x)
    return x;
  Trace &trace = x.getTrace();
  llvm::ArrayRef<int64_t> from = x.getType().getShape();
  bool fits = from.size() == dims.size();
  for (size_t k = 0; fits && k < dims.size(); ++k)
    fits = dims[k] >= 0 && dims[k] < int64_t(shape.size()) &&
           (k == 0 || dims[k - 1] < dims[k]) &&
           (from[k] == 1 || from[k] == shape[dims[k]]);
  auto type = RankedTensorType::get(shape, x.getType().getElementType());
  if (!fits)
    return trace.fail(describe(x) + " does not fit " + describe(type));
  sg::BroadcastOp::Properties properties;
  properties.dims = trace.getBuilder().getDenseI64ArrayAttr(dims);
  return trace.createAs<sg::BroadcastOp>(type, x, properties);
}

/// Repeats y to the shape of x; `dims` as in addAlong.
static Tensor repeatLike(const Tensor &y, const Tensor &x,
                         llvm::ArrayRef<int64_t> dims) {
  return broadcast(y, x.getType().getShape(), dims);
}

/// Returns the last dimensions of x, as many as y has.
static llvm::SmallVector<int64_t> lastDims(const Tensor &x, const Tensor &y) {
  llvm::SmallVector<int64_t> dims;
  int64_t rank = x.getType().getRank(), first = rank - y.getType().getRank();
  for (int64_t d = first; d < rank; ++d)
    dims.push_back(d);
  return dims;
}

Tensor nn::addAlong(const Tensor &x, const Tensor &y,
                    llvm::ArrayRef<int64_t> dims) {
  if (!x || !y)
    return x ? y : x;
  return x + repeatLike(y, x, dims);
}

Tensor nn::mulAlong(const Tensor &x, const Tensor &y,
                    llvm::ArrayRef<int64_t> dims) {
  if (!x || !y)
    return x ? y : x;
  return x * repeatLike(y, x, dims);
}

Tensor nn::addTrailing(const Tensor &x, const Tensor &y) {
  if (!x || !y)
    return x ? y : x;
  return x + repeatLike(y, x, lastDims(x, y));
}

Tensor nn::mulTrailing(const Tensor &x, const Tensor &y) {
  if (!x || !y)
    return x ? y : x;
  return x * repeatLike(y, x, lastDims(x, y));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

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

Tensor nn::transpose(const Tensor &x, llvm::ArrayRef<int64_t> order) {
  sg::TransposeOp::Properties properties;
  properties.permutation =
      x.getTrace().getBuilder().getDenseI64ArrayAttr(order);
  return x.getTrace().create<sg::TransposeOp>(x, properties).front();
}

/// Returns [starts, limits) of each dimension.
static Tensor part(const Tensor &x, llvm::ArrayRef<int64_t> starts,
                   llvm::ArrayRef<int64_t> limits) {
  Builder &builder = x.getTrace().getBuilder();
  llvm::SmallVector<int64_t> steps(starts.size(), 1);
  sg::SliceOp::Properties properties;
  properties.starts = builder.getDenseI64ArrayAttr(starts);
  properties.limits = builder.getDenseI64ArrayAttr(limits);
  properties.strides = builder.getDenseI64ArrayAttr(steps);
  return x.getTrace().create<sg::SliceOp>(x, properties).front();
}

Tensor nn::slice(const Tensor &x, int64_t dim, int64_t begin, int64_t end) {
  if (!x)
    return x;
  llvm::SmallVector<int64_t> limits(x.getType().getShape());
  llvm::SmallVector<int64_t> starts(limits.size(), 0);
  if (dim < 0 || dim >= int64_t(limits.size()))
    return x.getTrace().fail(describe(x) + " has no dimension " +
                             llvm::Twine(dim));
  starts[dim] = begin;
  limits[dim] = end;
  return part(x, starts, limits);
}

Tensor nn::roll(const Tensor &x, llvm::ArrayRef<int64_t> shifts) {
  sg::RollOp::Properties properties;
  properties.shifts = x.getTrace().getBuilder().getDenseI64ArrayAttr(shifts);
  return x.getTrace().create<sg::RollOp>(x, properties).front();
}

Tensor nn::padTo(const Tensor &x, llvm::ArrayRef<int64_t> extents) {
  if (!x)
    return x;
  llvm::SmallVector<int64_t> none(extents.size() + 2, 0), high = none;
  for (auto [k, extent] : llvm::enumerate(extents))
    high[k + 1] = extent - x.dim(k + 1);
  if (high == none)
    return x;
  Builder &builder = x.getTrace().getBuilder();
  sg::PadOp::Properties properties;
  properties.low = properties.interior = builder.getDenseI64ArrayAttr(none);
  properties.high = builder.getDenseI64ArrayAttr(high);
  properties.value = builder.getF64FloatAttr(0.0);
  return x.getTrace().create<sg::PadOp>(x, properties).front();
}

Tensor nn::cropTo(const Tensor &x, llvm::ArrayRef<int64_t> extents) {
  if (!x)
    return x;
  llvm::SmallVector<int64_t> starts(extents.size() + 2, 0), limits = {x.dim(0)};
  llvm::append_range(limits, extents);
  limits.push_back(x.dim(extents.size() + 1));
  if (x.getType().getShape() == llvm::ArrayRef<int64_t>(limits))
    return x;
  return part(x, starts, limits);
}

Tensor nn::gather(const Tensor &table, const Tensor &indices) {
  return table.getTrace().create<sg::GatherOp>({table, indices}).front();
}

/// Reduces the dimensions between the first and the last.
template <typename OpTy> static Tensor reduceTokens(const Tensor &x) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t d = 1; d + 1 < x.getType().getRank(); ++d)
    dims.push_back(d);
  typename OpTy::Properties properties;
  properties.dims = x.getTrace().getBuilder().getDenseI64ArrayAttr(dims);
  return x.getTrace().create<OpTy>(x, properties).front();
}

Tensor nn::maxOfTokens(const Tensor &x) {
  return x ? reduceTokens<sg::ReduceMaxOp>(x) : x;
}

Tensor nn::meanOfTokens(const Tensor &x) {
  if (!x)
    return x;
  Trace &trace = x.getTrace();
  Tensor sum = reduceTokens<sg::ReduceSumOp>(x);
  if (!sum)
    return sum;
  double count = double(x.getType().getNumElements()) /
                 double(sum.getType().getNumElements());
  return binary<sg::DivOp>(sum, trace.splat(sum.getType(), count));
}

static Tensor sumAlong(const Tensor &x, int64_t dim) {
  sg::ReduceSumOp::Properties properties;
  properties.dims = x.getTrace().getBuilder().getDenseI64ArrayAttr({dim});
  return x.getTrace().create<sg::ReduceSumOp>(x, properties).front();
}

/// Replaces a dimension by the means of `extent` windows that cover it.
static Tensor poolAlong(const Tensor &x, int64_t dim, int64_t extent) {
  int64_t from = x.dim(dim);
  if (!x || from == extent)
    return x;
  llvm::SmallVector<int64_t> shape(x.getType().getShape());
  shape[dim] = 1;
  llvm::SmallVector<Tensor> means;
  for (int64_t i = 0; i < extent; ++i) {
    int64_t begin = i * from / extent;
    int64_t end = llvm::divideCeil((i + 1) * from, extent);
    Tensor sum = sumAlong(slice(x, dim, begin, end), dim);
    means.push_back(reshape(scale(sum, 1.0 / double(end - begin)), shape));
  }
  return concat(means, dim);
}

Tensor nn::adaptiveAvgPool2d(const Tensor &x, int64_t extent) {
  if (x && x.getType().getRank() != 4)
    return x.getTrace().fail("pooling needs an image (N,H,W,C), but has " +
                             describe(x));
  return poolAlong(poolAlong(x, 1, extent), 2, extent);
}

Tensor nn::l2Normalize(const Tensor &x) {
  if (!x)
    return x;
  Trace &trace = x.getTrace();
  int64_t last = x.getType().getRank() - 1;
  Tensor squares = sumAlong(x * x, last);
  Tensor bounded =
      binary<sg::MaximumOp>(squares, trace.splat(squares.getType(), 1e-24));
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, last));
  return x *
         broadcast(unary<sg::RsqrtOp>(bounded), x.getType().getShape(), dims);
}

Tensor nn::constant(Trace &trace, llvm::ArrayRef<float> elements) {
  auto type = RankedTensorType::get({int64_t(elements.size())},
                                    trace.getBuilder().getF32Type());
  return Tensor(trace,
                sg::ConstantOp::create(trace.getBuilder(), trace.getLocation(),
                                       DenseElementsAttr::get(type, elements)));
}

Tensor nn::constant(Trace &trace, llvm::ArrayRef<int32_t> elements) {
  auto type = RankedTensorType::get({int64_t(elements.size())},
                                    trace.getBuilder().getI32Type());
  return Tensor(trace,
                sg::ConstantOp::create(trace.getBuilder(), trace.getLocation(),
                                       DenseElementsAttr::get(type, elements)));
}

Tensor nn::splat(Trace &trace, llvm::ArrayRef<int64_t> shape, double value) {
  return trace.splat(
      RankedTensorType::get(shape, trace.getBuilder().getF32Type()), value);
}

//===----------------------------------------------------------------------===//
// Dropout and loss
//===----------------------------------------------------------------------===//

Tensor nn::dropout(const Tensor &x, double probability, DropoutMode mode) {
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
  if (mode == DropoutMode::Samples)
    properties.per_sample = builder.getUnitAttr();
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

Tensor nn::auxiliaryLoss(const Tensor &loss, const Tensor &auxiliary,
                         double weight) {
  if (!loss || !auxiliary)
    return loss ? auxiliary : loss; // the trace has failed
  Trace &trace = loss.getTrace();
  sg::AuxiliaryLossOp::Properties properties;
  properties.weight = trace.getBuilder().getF64FloatAttr(weight);
  return trace.createAs<sg::AuxiliaryLossOp>(loss.getType(), {loss, auxiliary},
                                             properties);
}
