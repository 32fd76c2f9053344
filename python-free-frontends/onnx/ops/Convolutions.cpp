//===- Convolutions.cpp - Convolutions and transposed ones ----------------===//

#include "Windows.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

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

template <typename OpTy>
static typename OpTy::Properties propertiesOf(NodeImport &node,
                                              const Windows &windows) {
  Builder &builder = node.builder();
  typename OpTy::Properties properties;
  properties.strides = builder.getDenseI64ArrayAttr(windows.strides);
  properties.padding = builder.getDenseI64ArrayAttr(windows.padding());
  properties.dilation = builder.getDenseI64ArrayAttr(windows.dilations);
  properties.groups = builder.getI64IntegerAttr(node.integer("group", 1));
  return properties;
}

template <typename OpTy>
static Tensor convolve(NodeImport &node, const Windows &windows, Tensor x,
                       Tensor filter) {
  return node.trace()
      .create<OpTy>({x, filter}, propertiesOf<OpTy>(node, windows))
      .front();
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
  return setWithBias(node,
                     windows->rank() == 3
                         ? convolve<sg::Conv3DOp>(node, *windows, *x, filter)
                         : convolve<sg::Conv2DOp>(node, *windows, *x, filter));
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

template <typename OpTy>
static Tensor convolveBack(NodeImport &node, const Windows &windows,
                           ArrayRef<int64_t> shape, Tensor x, Tensor filter) {
  auto type = RankedTensorType::get(shape, x.getType().getElementType());
  Tensor y = node.trace().createAs<OpTy>(type, {x, filter},
                                         propertiesOf<OpTy>(node, windows));
  // The op's verifier runs at the end; here, its reason belongs to the node.
  if (y && failed(cast<OpTy>(y.getValue().getDefiningOp()).verify()))
    return Tensor(node.trace(), nullptr);
  return y;
}

/// A transposed convolution is the gradient of a convolution for its input.
bool onnx::importConvTranspose(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  if (!x)
    return false;
  if (node.in(1).rank() != node.in(0).rank())
    return node.refuse("its filter has another rank than its input");
  Tensor filter = filterOf(node);
  if (!filter)
    return false;
  auto windows = windowsOf(node, *x, extentsOf(filter));
  auto result = windows ? resultOf(node, *x, *windows) : std::nullopt;
  if (!result)
    return false;
  // Extents that no convolution maps to the input's are filled with zeros.
  size_t rank = windows->rank();
  Shape computed = {x->dim(0)}, none(rank + 2, 0), zeros = none;
  for (size_t d = 0; d < rank; ++d) {
    int64_t padding = windows->low[d] + windows->high[d];
    int64_t most =
        windows->strides[d] * x->dim(1 + d) + windows->span(d) - 1 - padding;
    computed.push_back(std::min((*result)[d], most));
    zeros[1 + d] = (*result)[d] - computed.back();
  }
  computed.push_back(filter.dim(rank + 1) * node.integer("group", 1));
  Tensor y = rank == 3
                 ? convolveBack<sg::Conv3DInputGradOp>(node, *windows, computed,
                                                       *x, filter)
                 : convolveBack<sg::Conv2DInputGradOp>(node, *windows, computed,
                                                       *x, filter);
  return y && setWithBias(node, pad(y, none, zeros, 0.0));
}
