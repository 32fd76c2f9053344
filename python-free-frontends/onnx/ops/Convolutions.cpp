//===- Convolutions.cpp - Convolutions and transposed ones ----------------===//
//
// A convolution of a volume is the sum, over the depth of its filter, of
// convolutions of images, whose samples are the planes.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

/// The deepest filter of a volume, whose planes are unrolled.
static constexpr int64_t kMostPlanes = 256;

/// The filter (O,KH,KW,I) or (O,KD,KH,KW,I).
static Tensor filterOf(NodeImport &node) {
  Tensor filter = node.last(1);
  if (!filter || node.in(1).rank() > 3)
    return filter;
  return nn::reshape(filter, {filter.dim(0), 1, filter.dim(1), filter.dim(2)});
}

/// The extents of a filter between its first and its last dimension.
static Shape extentsOf(const Tensor &filter) {
  return Shape(filter.getType().getShape().drop_front().drop_back());
}

/// The attributes of the last two dimensions of a convolution.
template <typename OpTy>
static typename OpTy::Properties propertiesOf(NodeImport &node,
                                              const Windows &windows) {
  Builder &builder = node.builder();
  typename OpTy::Properties properties;
  properties.strides =
      builder.getDenseI64ArrayAttr(Windows::lastTwo(windows.strides));
  properties.padding = builder.getDenseI64ArrayAttr(windows.padding());
  properties.dilation =
      builder.getDenseI64ArrayAttr(Windows::lastTwo(windows.dilations));
  properties.groups = builder.getI64IntegerAttr(node.integer("group", 1));
  return properties;
}

static Tensor convolveImages(NodeImport &node, const Windows &windows, Tensor x,
                             Tensor filter) {
  return node.trace()
      .create<sg::Conv2DOp>({x, filter},
                            propertiesOf<sg::Conv2DOp>(node, windows))
      .front();
}

/// x (N,D,H,W,C), filter (O,KD,KH,KW,I).
static Tensor convolveVolumes(NodeImport &node, const Windows &windows,
                              Tensor x, Tensor filter) {
  Shape low(5, 0), high(5, 0), ones(5, 1);
  low[1] = windows.low[0];
  high[1] = windows.high[0];
  x = pad(x, low, high, 0.0);
  if (!x)
    return x;
  int64_t stride = windows.strides[0], rest = x.dim(1) - windows.span(0);
  if (rest < 0)
    return x.getTrace().fail("the filter is deeper than its input");
  int64_t depth = rest / stride + 1, planes = x.dim(0) * depth;
  Tensor sum(node.trace(), nullptr);
  for (int64_t k = 0; k < windows.extents[0]; ++k) {
    Shape from(5, 0), to(x.getType().getShape()), by = ones;
    from[1] = k * windows.dilations[0];
    to[1] = from[1] + (depth - 1) * stride + 1;
    by[1] = stride;
    Tensor images = nn::reshape(strided(x, from, to, by),
                                {planes, x.dim(2), x.dim(3), x.dim(4)});
    Tensor slice = nn::reshape(
        nn::slice(filter, 1, k, k + 1),
        {filter.dim(0), filter.dim(2), filter.dim(3), filter.dim(4)});
    Tensor part = convolveImages(node, windows, images, slice);
    sum = sum ? sum + part : part;
    if (!sum)
      return sum;
  }
  return nn::reshape(sum,
                     {x.dim(0), depth, sum.dim(1), sum.dim(2), sum.dim(3)});
}

/// Adds input 2, one number a channel, and sets the output.
static bool setWithBias(NodeImport &node, Tensor y) {
  if (y && node.has(2)) {
    Tensor bias = node.plain(2);
    if (!bias)
      return false;
    int64_t channels = y.dim(y.getType().getRank() - 1);
    if (node.in(2).shape != Shape{channels})
      return node.refuse("its bias has the shape " + textOf(node.in(2).shape) +
                         ", but there are " + std::to_string(channels) +
                         " channels");
    y = nn::addTrailing(y, bias);
  }
  return setImage(node, y);
}

bool onnx::importConv(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  if (!x)
    return false;
  if (node.in(1).rank() != node.in(0).rank())
    return node.refuse("its filter has another rank than its input");
  Tensor filter = filterOf(node);
  if (!filter)
    return false;
  auto windows = windowsOf(node, *x, extentsOf(filter));
  if (!windows)
    return false;
  if (windows->rank() == 3 && windows->extents[0] > kMostPlanes)
    return node.refuse("its filter has " + std::to_string(windows->extents[0]) +
                       " planes; " + std::to_string(kMostPlanes) +
                       " are supported");
  return setWithBias(node, windows->rank() == 3
                               ? convolveVolumes(node, *windows, *x, filter)
                               : convolveImages(node, *windows, *x, filter));
}

//===----------------------------------------------------------------------===//
// Transposed convolutions
//===----------------------------------------------------------------------===//

/// Sets the padding by `output_shape` or `auto_pad` and the result's extents,
/// which are stride (extent - 1) + output padding + span - padding.
static std::optional<Shape> resultOf(NodeImport &node, const Tensor &x,
                                     Windows &windows) {
  size_t count = node.in(0).rank() - 2, first = windows.rank() - count;
  Shape added = node.integers("output_padding").value_or(Shape(count, 0));
  auto wanted = node.integers("output_shape");
  std::string mode = node.text("auto_pad", "NOTSET");
  bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (added.size() != count || (wanted && wanted->size() != count)) {
    node.refuse("it gives too many or too few extents");
    return std::nullopt;
  }
  Shape result(windows.rank(), 1);
  for (size_t k = 0; k < count; ++k) {
    size_t d = first + k;
    int64_t stride = windows.strides[d], extent = x.dim(1 + d);
    int64_t natural = stride * (extent - 1) + added[k] + windows.span(d);
    result[d] = natural - windows.low[d] - windows.high[d];
    if (wanted || isSame) {
      result[d] = wanted ? (*wanted)[k] : extent * stride;
      int64_t whole = std::max<int64_t>(natural - result[d], 0);
      windows.low[d] = mode == "SAME_UPPER" ? whole / 2 : whole - whole / 2;
      windows.high[d] = whole - windows.low[d];
    }
    if (added[k] < 0 || added[k] >= std::max(stride, windows.dilations[d]) ||
        result[d] < 1 || result[d] > INT32_MAX) {
      node.refuse("its result of extent " + std::to_string(result[d]) +
                  " does not fit its strides and paddings");
      return std::nullopt;
    }
  }
  return result;
}

/// A transposed convolution is the gradient of a convolution for its input.
bool onnx::importConvTranspose(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  if (!x)
    return false;
  if (node.in(0).rank() > 4 || node.in(1).rank() != node.in(0).rank())
    return node.refuse(
        "its input has rank " + std::to_string(node.in(0).rank()) +
        " and its filter rank " + std::to_string(node.in(1).rank()) +
        "; signals and images are supported");
  Tensor filter = filterOf(node);
  if (!filter)
    return false;
  auto windows = windowsOf(node, *x, extentsOf(filter));
  auto result = windows ? resultOf(node, *x, *windows) : std::nullopt;
  if (!result)
    return false;
  // Extents that no convolution maps to the input's are filled with zeros.
  Shape computed = *result, zeros(4, 0);
  for (size_t d = 0; d < 2; ++d) {
    int64_t padding = windows->low[d] + windows->high[d];
    int64_t most =
        windows->strides[d] * x->dim(1 + d) + windows->span(d) - 1 - padding;
    computed[d] = std::min(computed[d], most);
    zeros[1 + d] = (*result)[d] - computed[d];
  }
  int64_t groups = node.integer("group", 1);
  auto type = RankedTensorType::get(
      {x->dim(0), computed[0], computed[1], filter.dim(3) * groups},
      x->getType().getElementType());
  Tensor y = node.trace().createAs<sg::Conv2DInputGradOp>(
      type, {*x, filter}, propertiesOf<sg::Conv2DInputGradOp>(node, *windows));
  // The op's verifier runs at the end; here, its reason belongs to the node.
  if (!y ||
      failed(
          cast<sg::Conv2DInputGradOp>(y.getValue().getDefiningOp()).verify()))
    return false;
  return setWithBias(node, pad(y, Shape(4, 0), zeros, 0.0));
}
