//===- Images.cpp - Convolutions, pools, batch norm, resizing -------------===//
//
// Signals of one dimension (N,C,L) are images of height 1.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

namespace {
/// Windows of a convolution or a pool, of height 1 for signals.
struct Windows {
  Shape extents, strides, dilations;
  Shape padding; // top, bottom, left, right
  /// Padding at the end that only completes a last window.
  Shape completing = {0, 0};
};
} // namespace

/// Input 0 as (N,H,W,C), if it is an image or a signal of floats.
static std::optional<Tensor> imageOf(NodeImport &node) {
  onnx::Value &value = node.in(0);
  if (!onnx::isReal(value.type)) {
    node.refuse("its input is " + nameOf(value.type) +
                ", and only float is supported");
    return std::nullopt;
  }
  if (value.rank() != 4 && value.rank() != 3) {
    node.refuse("its input has rank " + std::to_string(value.rank()) +
                "; images of rank 4 and signals of rank 3 are supported");
    return std::nullopt;
  }
  Tensor x = node.last(0);
  if (!x)
    return std::nullopt;
  return value.rank() == 4 ? x
                           : nn::reshape(x, {x.dim(0), 1, x.dim(1), x.dim(2)});
}

/// Sets output 0 to an image, or a signal if the input is one.
static bool setImage(NodeImport &node, Tensor image) {
  if (image && node.in(0).rank() == 3)
    image = nn::reshape(image, {image.dim(0), image.dim(2), image.dim(3)});
  return node.setLast(0, image);
}

/// An attribute of one number a dimension, with a leading 1 for signals.
static std::optional<Shape>
perDimension(NodeImport &node, const char *attribute, int64_t otherwise) {
  size_t count = node.in(0).rank() - 2;
  Shape values = node.integers(attribute).value_or(Shape(count, otherwise));
  if (values.size() != count ||
      llvm::any_of(values, [](int64_t v) { return v < 1 || v > INT32_MAX; })) {
    node.refuse(std::string(attribute) + " are not " + std::to_string(count) +
                " positive numbers");
    return std::nullopt;
  }
  if (count == 1)
    values.insert(values.begin(), 1);
  return values;
}

/// Sets the padding by the attributes `auto_pad` and `pads`.
static bool readPadding(NodeImport &node, llvm::ArrayRef<int64_t> image,
                        Windows &windows) {
  size_t count = node.in(0).rank() - 2, first = 2 - count;
  std::string mode = node.text("auto_pad", "NOTSET");
  windows.padding = Shape(4, 0);
  if (mode == "VALID")
    return true;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    for (size_t d = first; d < 2; ++d) {
      int64_t out = llvm::divideCeil(image[d], windows.strides[d]);
      int64_t span = (windows.extents[d] - 1) * windows.dilations[d] + 1;
      int64_t whole = std::max<int64_t>(
          (out - 1) * windows.strides[d] + span - image[d], 0);
      int64_t low = mode == "SAME_UPPER" ? whole / 2 : whole - whole / 2;
      windows.padding[2 * d] = low;
      windows.padding[2 * d + 1] = whole - low;
    }
    return true;
  }
  if (mode != "NOTSET" && !mode.empty())
    return node.refuse("auto_pad is '" + mode + "'");
  Shape pads = node.integers("pads").value_or(Shape(2 * count, 0));
  if (pads.size() != 2 * count ||
      llvm::any_of(pads, [](int64_t v) { return v < 0 || v > INT32_MAX; }))
    return node.refuse("pads are not " + std::to_string(2 * count) +
                       " numbers of at least 0");
  for (size_t d = 0; d < count; ++d) {
    windows.padding[2 * (first + d)] = pads[d];
    windows.padding[2 * (first + d) + 1] = pads[count + d];
  }
  return true;
}

/// The windows of a node on (N,H,W,C); `extents` are those of a filter, or
/// empty for the attribute `kernel_shape`.
static std::optional<Windows> windowsOf(NodeImport &node, Tensor x,
                                        Shape extents) {
  Windows windows;
  if (extents.empty()) {
    if (!node.find("kernel_shape")) {
      node.refuse("kernel_shape is missing");
      return std::nullopt;
    }
    auto shape = perDimension(node, "kernel_shape", 1);
    if (!shape)
      return std::nullopt;
    extents = *shape;
  }
  windows.extents = extents;
  auto strides = perDimension(node, "strides", 1);
  auto dilations = perDimension(node, "dilations", 1);
  if (!strides || !dilations)
    return std::nullopt;
  windows.strides = *strides;
  windows.dilations = *dilations;
  if (!readPadding(node, {x.dim(1), x.dim(2)}, windows))
    return std::nullopt;
  return windows;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The filter (O,KH,KW,I).
static Tensor filterOf(NodeImport &node) {
  Tensor filter = node.last(1);
  if (!filter || node.in(1).rank() == 4)
    return filter;
  return nn::reshape(filter, {filter.dim(0), 1, filter.dim(1), filter.dim(2)});
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
  auto windows = windowsOf(node, *x, {filter.dim(1), filter.dim(2)});
  if (!windows)
    return false;
  Builder &builder = node.builder();
  sg::Conv2DOp::Properties properties;
  properties.strides = builder.getDenseI64ArrayAttr(windows->strides);
  properties.padding = builder.getDenseI64ArrayAttr(windows->padding);
  properties.dilation = builder.getDenseI64ArrayAttr(windows->dilations);
  properties.groups = builder.getI64IntegerAttr(node.integer("group", 1));
  Tensor y =
      node.trace().create<sg::Conv2DOp>({*x, filter}, properties).front();
  if (y && node.has(2)) {
    Tensor bias = node.plain(2);
    if (!bias)
      return false;
    if (node.in(2).shape != Shape{y.dim(3)})
      return node.refuse("its bias has the shape " + textOf(node.in(2).shape) +
                         ", but there are " + std::to_string(y.dim(3)) +
                         " channels");
    y = nn::addTrailing(y, bias);
  }
  return setImage(node, y);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

/// Pads the end so that a last window, which begins within the image or its
/// padding at the beginning, is complete.
static void completeWindows(Tensor x, Windows &windows) {
  for (int d = 0; d < 2; ++d) {
    int64_t extent = x.dim(1 + d), begin = windows.padding[2 * d];
    int64_t whole = extent + begin + windows.padding[2 * d + 1];
    int64_t span = (windows.extents[d] - 1) * windows.dilations[d] + 1;
    int64_t last = llvm::divideCeil(std::max<int64_t>(whole - span, 0),
                                    windows.strides[d]);
    if (last * windows.strides[d] >= extent + begin)
      --last;
    int64_t missing = last * windows.strides[d] + span - whole;
    windows.completing[d] = std::max<int64_t>(missing, 0);
    windows.padding[2 * d + 1] += windows.completing[d];
  }
}

/// The windows of a pool without dilation.
static std::optional<Windows> poolWindows(NodeImport &node, Tensor x) {
  auto windows = windowsOf(node, x, {});
  if (!windows)
    return std::nullopt;
  if (windows->dilations != Shape{1, 1}) {
    node.refuse("a dilated pool is not supported");
    return std::nullopt;
  }
  if (node.hasOutput(1)) {
    node.refuse("positions of maxima (output 1) are not supported");
    return std::nullopt;
  }
  if (node.integer("ceil_mode", 0))
    completeWindows(x, *windows);
  return windows;
}

template <typename OpTy>
static typename OpTy::Properties propertiesOf(NodeImport &node,
                                              const Windows &windows) {
  typename OpTy::Properties properties;
  Builder &builder = node.builder();
  properties.window = builder.getDenseI64ArrayAttr(windows.extents);
  properties.strides = builder.getDenseI64ArrayAttr(windows.strides);
  properties.padding = builder.getDenseI64ArrayAttr(windows.padding);
  return properties;
}

bool onnx::importMaxPool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  auto windows = x ? poolWindows(node, *x) : std::nullopt;
  if (!windows)
    return false;
  return setImage(node,
                  node.trace()
                      .create<sg::MaxPool2DOp>(
                          *x, propertiesOf<sg::MaxPool2DOp>(node, *windows))
                      .front());
}

bool onnx::importAveragePool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  auto windows = x ? poolWindows(node, *x) : std::nullopt;
  if (!windows)
    return false;
  auto properties = propertiesOf<sg::AvgPool2DOp>(node, *windows);
  if (node.integer("count_include_pad", 0)) {
    if (windows->completing != Shape{0, 0})
      return node.refuse("windows that ceil_mode completes have a divisor of "
                         "their own with count_include_pad");
    properties.count_include_pad = node.builder().getUnitAttr();
  }
  return setImage(node,
                  node.trace().create<sg::AvgPool2DOp>(*x, properties).front());
}

bool onnx::importGlobalAveragePool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  if (!x)
    return false;
  Tensor mean = nn::globalAvgPool(*x);
  return setImage(node, nn::reshape(mean, {x->dim(0), 1, 1, x->dim(3)}));
}

bool onnx::importGlobalMaxPool(NodeImport &node) {
  std::optional<Tensor> x = imageOf(node);
  if (!x)
    return false;
  Tensor largest = reduce<sg::ReduceMaxOp>(*x, {1, 2});
  return setImage(node, nn::reshape(largest, {x->dim(0), 1, 1, x->dim(3)}));
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

/// Refuses what the op of a model does not do.
static bool checkBatchNorm(NodeImport &node) {
  for (size_t k = 1; k < node.node.outputs.size(); ++k)
    if (node.hasOutput(k))
      return node.refuse("its statistics (output " + std::to_string(k) +
                         ") are not outputs of a model");
  if (node.importer.fileOpset < 7 && !node.integer("is_test", 0))
    return node.refuse("batch statistics as a result (is_test = 0) are not "
                       "supported");
  if (node.integer("training_mode", 0) &&
      node.importer.options.loss == Loss::None)
    return node.refuse("it is in training mode; import with a loss");
  if (node.opset < 9 && !node.integer("spatial", 1))
    return node.refuse("statistics of single pixels (spatial = 0) are not "
                       "supported");
  onnx::Value &x = node.in(0);
  if (x.rank() < 2 || !onnx::isReal(x.type))
    return node.refuse("its input is " + nameOf(x.type) + " of rank " +
                       std::to_string(x.rank()) +
                       "; float of rank 2 or more is supported");
  for (size_t k = 1; k < 5; ++k)
    if (!node.has(k) || node.in(k).shape != Shape{x.shape[1]})
      return node.refuse("its input " + std::to_string(k) +
                         " does not have one number a channel");
  for (size_t k = 3; k < 5; ++k)
    if (!node.in(k).weight)
      return node.refuse(
          "its statistics are computed, not weights of the file");
  return true;
}

bool onnx::importBatchNormalization(NodeImport &node) {
  if (!checkBatchNorm(node))
    return false;
  Tensor x = node.last(0), scale = node.plain(1), bias = node.plain(2);
  auto mean = node.importer.declareStatistic(node.in(3));
  auto variance = node.importer.declareStatistic(node.in(4));
  if (!x || !scale || !bias || !mean || !variance)
    return false;
  Builder &builder = node.builder();
  sg::BatchNormOp::Properties properties;
  properties.epsilon = builder.getF64FloatAttr(node.number("epsilon", 1e-5f));
  // ONNX's momentum is the weight of the old statistic.
  properties.momentum =
      builder.getF64FloatAttr(1.0 - node.number("momentum", 0.9f));
  properties.running_mean = FlatSymbolRefAttr::get(builder.getContext(), *mean);
  properties.running_variance =
      FlatSymbolRefAttr::get(builder.getContext(), *variance);
  return node.setLast(0, node.trace().createAs<sg::BatchNormOp>(
                             x.getType(), {x, scale, bias}, properties));
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

/// The pixel that pixel `at` of the result copies.
static int64_t nearestOf(NodeImport &node, int64_t at, double scale,
                         int64_t extent) {
  std::string transform =
      node.text("coordinate_transformation_mode",
                node.opset < 11 ? "asymmetric" : "half_pixel");
  std::string rounding = node.text(
      "nearest_mode", node.opset < 11 ? "floor" : "round_prefer_floor");
  double x = transform == "asymmetric" ? at / scale : (at + 0.5) / scale - 0.5;
  double from = rounding == "floor"               ? std::floor(x)
                : rounding == "ceil"              ? std::ceil(x)
                : rounding == "round_prefer_ceil" ? std::floor(x + 0.5)
                                                  : std::ceil(x - 0.5);
  return std::clamp<int64_t>(from, 0, extent - 1);
}

/// Repeats the pixels of an image by whole factors of its height and width.
static Tensor repeatPixels(Tensor x, int64_t h, int64_t w) {
  Shape from = {x.dim(0), x.dim(1), 1, x.dim(2), 1, x.dim(3)};
  Shape to = {x.dim(0), x.dim(1), h, x.dim(2), w, x.dim(3)};
  Tensor repeated = nn::broadcast(nn::reshape(x, from), to, {0, 1, 2, 3, 4, 5});
  return nn::reshape(repeated,
                     {x.dim(0), x.dim(1) * h, x.dim(2) * w, x.dim(3)});
}

/// The factors of height and width, 1 for a signal's height; nothing after a
/// refusal.
static std::optional<Shape> factorsOf(NodeImport &node, const Elements &given,
                                      bool areSizes) {
  const Shape &shape = node.in(0).shape;
  if (given.size() != shape.size()) {
    node.refuse("it gives " + std::to_string(given.size()) +
                " scales for rank " + std::to_string(shape.size()));
    return std::nullopt;
  }
  Shape factors;
  for (size_t d = 0; d < shape.size(); ++d) {
    double scale = areSizes ? double(given.integers[d]) / double(shape[d])
                            : double(given.reals[d]);
    bool isWhole = scale >= 1 && scale <= 1024 && scale == std::floor(scale);
    for (int64_t at = 0; isWhole && d > 1 && at < shape[d] * scale; ++at)
      isWhole = nearestOf(node, at, scale, shape[d]) == at / int64_t(scale);
    if (!isWhole || (d < 2 && scale != 1)) {
      node.refuse("only nearest pixels by whole factors of height and width "
                  "are supported");
      return std::nullopt;
    }
    if (d > 1)
      factors.push_back(int64_t(scale));
  }
  if (factors.size() == 1)
    factors.insert(factors.begin(), 1);
  return factors;
}

/// Imports a resizing by scales, or sizes, of input k.
static bool resize(NodeImport &node, const Elements &given, bool areSizes) {
  std::string mode = node.text("mode", "nearest");
  if (mode != "nearest")
    return node.refuse("mode '" + mode + "' is not supported");
  if (node.text("coordinate_transformation_mode", "") == "tf_crop_and_resize" ||
      node.find("axes"))
    return node.refuse("crops and axes are not supported");
  std::optional<Tensor> x = imageOf(node);
  auto factors = x ? factorsOf(node, given, areSizes) : std::nullopt;
  if (!factors)
    return false;
  return setImage(node, repeatPixels(*x, (*factors)[0], (*factors)[1]));
}

bool onnx::importResize(NodeImport &node) {
  size_t k = node.opset < 11 ? 1 : node.has(3) ? 3 : 2;
  if (!node.has(k))
    return node.refuse("it gives neither scales nor sizes");
  auto given = node.constant(k);
  if (!given)
    return false;
  if (k == 3 ? !isInteger(given->type) : !onnx::isReal(given->type))
    return node.refuse("its scales or sizes are " + nameOf(given->type));
  return resize(node, *given, k == 3);
}

bool onnx::importUpsample(NodeImport &node) {
  if (node.opset >= 9) {
    auto given = node.constant(1);
    if (!given || !onnx::isReal(given->type))
      return given ? node.refuse("its scales are " + nameOf(given->type))
                   : false;
    return resize(node, *given, false);
  }
  const onnx::Attribute *scales = node.find("scales");
  if (!scales)
    return node.refuse("it gives no scales");
  return resize(node, {TensorElement::Float, {}, scales->numbers, {}}, false);
}
