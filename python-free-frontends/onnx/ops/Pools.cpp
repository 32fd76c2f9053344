//===- Pools.cpp - Pools --------------------------------------------------===//
//
// sg's pools have windows of two dimensions without dilation. Maxima of volumes
// are those of frames, then along the depth. Other pools run along one
// dimension after the other, because maxima of maxima are maxima, and the
// number of elements of a window is a product.
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

/// Pads the end so that a last window, which begins within the image or its
/// padding at the beginning, is complete.
static void completeWindows(const Tensor &x, Windows &windows) {
  for (size_t d = 0; d < windows.rank(); ++d) {
    int64_t extent = x.dim(1 + d), begin = windows.low[d];
    int64_t whole = extent + begin + windows.high[d];
    int64_t last = llvm::divideCeil(
        std::max<int64_t>(whole - windows.span(d), 0), windows.strides[d]);
    if (last * windows.strides[d] >= extent + begin)
      --last;
    int64_t missing = last * windows.strides[d] + windows.span(d) - whole;
    windows.completing[d] = std::max<int64_t>(missing, 0);
    windows.high[d] += windows.completing[d];
  }
}

static std::optional<Windows> poolWindows(NodeImport &node, const Tensor &x) {
  auto windows = windowsOf(node, x, {});
  if (!windows)
    return std::nullopt;
  if (node.hasOutput(1)) {
    node.refuse("positions of maxima (output 1) are not supported");
    return std::nullopt;
  }
  if (node.integer("ceil_mode", 0))
    completeWindows(x, *windows);
  return windows;
}

/// True for windows that sg's pools have.
static bool isOfImages(const Windows &windows) {
  return windows.rank() == 2 && windows.dilations == Shape{1, 1};
}

static sg::AvgPool2DOp::Properties propertiesOf(NodeImport &node,
                                                const Windows &windows) {
  sg::AvgPool2DOp::Properties properties;
  Builder &builder = node.builder();
  properties.window = builder.getDenseI64ArrayAttr(windows.extents);
  properties.strides = builder.getDenseI64ArrayAttr(windows.strides);
  properties.padding = builder.getDenseI64ArrayAttr(windows.padding());
  return properties;
}

/// True for windows of volumes whose frames and depth sg's pools have.
static bool isOfPlanes(const Windows &windows) {
  bool isPlain = windows.rank() == 3 && windows.dilations == Shape{1, 1, 1};
  for (size_t d = 0; d < windows.rank(); ++d)
    isPlain &= std::max(windows.low[d], windows.high[d]) < windows.extents[d];
  return isPlain;
}

static Tensor maxOfPlanes(NodeImport &node, Tensor x, const Shape &extents,
                          const Shape &strides, const Shape &padding) {
  sg::MaxPool2DOp::Properties properties;
  properties.window = node.builder().getDenseI64ArrayAttr(extents);
  properties.strides = node.builder().getDenseI64ArrayAttr(strides);
  properties.padding = node.builder().getDenseI64ArrayAttr(padding);
  return node.trace().create<sg::MaxPool2DOp>(x, properties).front();
}

static Tensor maxOfVolumes(NodeImport &node, const Tensor &x,
                           const Windows &w) {
  int64_t batch = x.dim(0), depth = x.dim(1), channels = x.dim(4);
  Tensor frames = maxOfPlanes(
      node, nn::reshape(x, {batch * depth, x.dim(2), x.dim(3), channels}),
      {w.extents[1], w.extents[2]}, {w.strides[1], w.strides[2]},
      {w.low[1], w.high[1], w.low[2], w.high[2]});
  if (!frames)
    return frames;
  int64_t height = frames.dim(1), width = frames.dim(2);
  Tensor y = maxOfPlanes(
      node, nn::reshape(frames, {batch, depth, height * width, channels}),
      {w.extents[0], 1}, {w.strides[0], 1}, {w.low[0], w.high[0], 0, 0});
  return y ? nn::reshape(y, {batch, y.dim(1), height, width, channels}) : y;
}

/// Joins the elements of the windows along dimension 1 + d; padding has the
/// value `around`.
static Tensor poolAlong(Tensor x, size_t d, const Windows &windows,
                        double around,
                        llvm::function_ref<Tensor(Tensor, Tensor)> join) {
  size_t rank = x.getType().getRank();
  Shape low(rank, 0), high(rank, 0);
  low[1 + d] = windows.low[d];
  high[1 + d] = windows.high[d];
  x = pad(x, low, high, around);
  int64_t rest = x ? x.dim(1 + d) - windows.span(d) : -1;
  if (rest < 0)
    return x ? x.getTrace().fail("a window exceeds its input") : x;
  int64_t count = rest / windows.strides[d] + 1;
  Tensor result(x.getTrace(), nullptr);
  for (int64_t k = 0; k < windows.extents[d]; ++k) {
    Shape from(rank, 0), to(x.getType().getShape()), by(rank, 1);
    from[1 + d] = k * windows.dilations[d];
    to[1 + d] = from[1 + d] + (count - 1) * windows.strides[d] + 1;
    by[1 + d] = windows.strides[d];
    Tensor part = strided(x, from, to, by);
    result = result ? join(result, part) : part;
  }
  return result;
}

/// The number of elements of each window along dimension 1 + d: those of the
/// input, and with `pads` of the padding, except what completes a window.
static std::vector<float> countsOf(int64_t extent, size_t d,
                                   const Windows &windows, bool pads) {
  int64_t begin = pads ? 0 : windows.low[d];
  int64_t padded = extent + windows.low[d] + windows.high[d];
  int64_t end = pads ? padded - windows.completing[d] : windows.low[d] + extent;
  std::vector<float> counts;
  for (int64_t at = 0; at + windows.span(d) <= padded;
       at += windows.strides[d]) {
    int64_t count = 0;
    for (int64_t k = 0; k < windows.extents[d]; ++k) {
      int64_t position = at + k * windows.dilations[d];
      count += position >= begin && position < end;
    }
    counts.push_back(std::max<int64_t>(count, 1));
  }
  return counts;
}

/// The largest windows that are unrolled.
static constexpr int64_t kMostTaps = 256;

static bool checkTaps(NodeImport &node, const Windows &windows) {
  for (int64_t extent : windows.extents)
    if (extent > kMostTaps)
      return node.refuse("windows of extent " + std::to_string(extent) +
                         " are too large for volumes or dilation");
  return true;
}

bool onnx::importMaxPool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  auto windows = x ? poolWindows(node, *x) : std::nullopt;
  if (!windows)
    return false;
  if (isOfImages(*windows))
    return setImage(node, maxOfPlanes(node, *x, windows->extents,
                                      windows->strides, windows->padding()));
  if (isOfPlanes(*windows))
    return setImage(node, maxOfVolumes(node, *x, *windows));
  if (!checkTaps(node, *windows))
    return false;
  Tensor y = *x;
  for (size_t d = 0; y && d < windows->rank(); ++d)
    y = poolAlong(
        y, d, *windows, -std::numeric_limits<double>::infinity(),
        [](Tensor a, Tensor b) { return emit<sg::MaximumOp>({a, b}); });
  return setImage(node, y);
}

bool onnx::importAveragePool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  auto windows = x ? poolWindows(node, *x) : std::nullopt;
  if (!windows)
    return false;
  bool pads = node.integer("count_include_pad", 0) != 0;
  bool isComplete =
      llvm::all_of(windows->completing, [](int64_t n) { return n == 0; });
  if (isOfImages(*windows) && (isComplete || !pads)) {
    auto properties = propertiesOf(node, *windows);
    if (pads)
      properties.count_include_pad = node.builder().getUnitAttr();
    return setImage(
        node, node.trace().create<sg::AvgPool2DOp>(*x, properties).front());
  }
  if (!checkTaps(node, *windows))
    return false;
  Tensor y = *x;
  for (size_t d = 0; y && d < windows->rank(); ++d) {
    std::vector<float> counts = countsOf(y.dim(1 + d), d, *windows, pads);
    y = poolAlong(y, d, *windows, 0.0,
                  [](Tensor a, Tensor b) { return a + b; });
    if (y)
      y = emit<sg::DivOp>(
          {y, nn::broadcast(nn::constant(node.trace(), counts),
                            y.getType().getShape(), {int64_t(1 + d)})});
  }
  return setImage(node, y);
}

/// The dimensions between the first and the last.
static Shape pixelsOf(const Tensor &x) {
  Shape dims;
  for (int64_t d = 1; d + 1 < x.getType().getRank(); ++d)
    dims.push_back(d);
  return dims;
}

/// Sets output 0 to numbers (N,C) as an image of one pixel.
static bool setPixel(NodeImport &node, const Tensor &x, const Tensor &y) {
  Shape shape(x.getType().getShape());
  std::fill(shape.begin() + 1, shape.end() - 1, 1);
  return setImage(node, nn::reshape(y, shape));
}

bool onnx::importGlobalAveragePool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  if (!x)
    return false;
  if (x->getType().getRank() == 4)
    return setPixel(node, *x, nn::globalAvgPool(*x));
  Tensor sum = reduce<sg::ReduceSumOp>(*x, pixelsOf(*x));
  double count = double(x->dim(1)) * x->dim(2) * x->dim(3);
  return setPixel(node, *x, emit<sg::DivOp>({sum, numberLike(sum, count)}));
}

bool onnx::importGlobalMaxPool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  return x && setPixel(node, *x, reduce<sg::ReduceMaxOp>(*x, pixelsOf(*x)));
}
