//===- Resize.cpp - Resizing along axes -----------------------------------===//
//
// Each axis is resized on its own. Pixels that are repeated by a whole factor
// are a broadcast; anything else is the product with a matrix (out,in), whose
// rows are the weights of an element of the result.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

namespace {
/// How an axis is resized.
struct Axis {
  int64_t from = 1, to = 1;
  double scale = 1;
};

/// The attributes of a node.
struct Rules {
  std::string mode, transform, nearest;
  double cubic = -0.75;
  bool excludesOutside = false;
};
} // namespace

/// The largest matrix of weights.
static constexpr int64_t kMostWeights = int64_t(1) << 22;

static Rules rulesOf(NodeImport &node) {
  bool isOld = node.opset < 11 || node.node.op == "Upsample";
  Rules rules;
  rules.mode = node.text("mode", "nearest");
  rules.transform = node.text("coordinate_transformation_mode",
                              isOld ? "asymmetric" : "half_pixel");
  rules.nearest =
      node.text("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  rules.cubic = node.number("cubic_coeff_a", -0.75);
  rules.excludesOutside = node.integer("exclude_outside", 0) != 0;
  return rules;
}

/// The position in the input of element `at` of the result.
static double positionOf(const Rules &rules, const Axis &axis, int64_t at) {
  if (rules.transform == "asymmetric")
    return at / axis.scale;
  if (rules.transform == "align_corners")
    return axis.to == 1
               ? 0.0
               : double(at) * double(axis.from - 1) / double(axis.to - 1);
  if (rules.transform == "pytorch_half_pixel" && axis.to == 1)
    return 0.0;
  if (rules.transform == "tf_half_pixel_for_nn")
    return (at + 0.5) / axis.scale;
  double shift = 0.0;
  if (rules.transform == "half_pixel_symmetric")
    shift = axis.from / 2.0 * (1.0 - axis.to / (axis.scale * axis.from));
  return shift + (at + 0.5) / axis.scale - 0.5;
}

/// The element nearest to a position; the attribute decides between two.
static int64_t nearestTo(const Rules &rules, double x, int64_t extent) {
  double from = rules.nearest == "floor"               ? std::floor(x)
                : rules.nearest == "ceil"              ? std::ceil(x)
                : rules.nearest == "round_prefer_ceil" ? std::floor(x + 0.5)
                                                       : std::ceil(x - 0.5);
  return int64_t(std::clamp<double>(from, 0, double(extent - 1)));
}

/// The convolution kernel of a cubic interpolation (Keys 1981, "Cubic
/// convolution interpolation for digital image processing").
static double cubicWeight(double distance, double a) {
  double d = std::fabs(distance);
  if (d <= 1)
    return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0.0;
}

/// Adds the weights of element `at` of the result to a row of the matrix.
static void addWeights(const Rules &rules, const Axis &axis, int64_t at,
                       float *row) {
  double x = positionOf(rules, axis, at);
  if (rules.mode == "nearest") {
    row[nearestTo(rules, x, axis.from)] = 1;
    return;
  }
  bool isCubic = rules.mode == "cubic";
  int64_t base = int64_t(std::floor(x)), reach = isCubic ? 2 : 1;
  double sum = 0, weights[4];
  for (int64_t k = 0; k < 2 * reach; ++k) {
    int64_t tap = base + 1 - reach + k;
    double distance = x - double(tap);
    weights[k] =
        isCubic ? cubicWeight(distance, rules.cubic) : 1 - std::fabs(distance);
    if (rules.excludesOutside && (tap < 0 || tap >= axis.from))
      weights[k] = 0;
    sum += weights[k];
  }
  for (int64_t k = 0; k < 2 * reach; ++k) {
    int64_t tap = std::clamp<int64_t>(base + 1 - reach + k, 0, axis.from - 1);
    row[tap] += float(weights[k] / (rules.excludesOutside ? sum : 1.0));
  }
}

/// The factor by which every element is repeated; 0 if there is none.
static int64_t repeatOf(const Rules &rules, const Axis &axis) {
  if (rules.mode != "nearest" || axis.to % axis.from)
    return 0;
  int64_t factor = axis.to / axis.from;
  for (int64_t at = 0; at < axis.to; ++at)
    if (nearestTo(rules, positionOf(rules, axis, at), axis.from) != at / factor)
      return 0;
  return factor;
}

/// Repeats each element of dimension d.
static Tensor repeatElements(const Tensor &x, int64_t d, int64_t factor) {
  Shape split(x.getType().getShape()), joined = split, dims;
  joined[d] *= factor;
  split.insert(split.begin() + d + 1, 1);
  Shape wide = split;
  wide[d + 1] = factor;
  for (size_t k = 0; k < split.size(); ++k)
    dims.push_back(k);
  return nn::reshape(nn::broadcast(nn::reshape(x, split), wide, dims), joined);
}

static Tensor resizeAlong(NodeImport &node, const Rules &rules, Tensor x,
                          int64_t d, const Axis &axis) {
  if (int64_t factor = repeatOf(rules, axis))
    return factor == 1 ? x : repeatElements(x, d, factor);
  Elements matrix{TensorElement::Float, {axis.to, axis.from}, {}, {}};
  matrix.reals.assign(axis.to * axis.from, 0.0f);
  for (int64_t at = 0; at < axis.to; ++at)
    addWeights(rules, axis, at, matrix.reals.data() + at * axis.from);
  Tensor weights = node.importer.emitConstant(matrix);
  return along(x, d, [&](Tensor rows) {
    Shape shape(rows.getType().getShape());
    int64_t count = rows.getType().getNumElements() / axis.from;
    shape.back() = axis.to;
    Tensor flat = nn::reshape(rows, {count, axis.from});
    return nn::reshape(nn::matmul(flat, weights, {false, true}), shape);
  });
}

/// Refuses attributes that are unknown or that no matrix of weights expresses.
static bool checkRules(NodeImport &node, const Rules &rules) {
  auto isOneOf = [](const std::string &text,
                    llvm::ArrayRef<llvm::StringRef> known) {
    return llvm::is_contained(known, llvm::StringRef(text));
  };
  if (!isOneOf(rules.mode, {"nearest", "linear", "cubic"}))
    return node.refuse("the mode '" + rules.mode + "' is unknown");
  if (!isOneOf(rules.transform, {"asymmetric", "align_corners", "half_pixel",
                                 "pytorch_half_pixel", "tf_half_pixel_for_nn",
                                 "half_pixel_symmetric"}))
    return node.refuse("the coordinates '" + rules.transform +
                       "' are not supported");
  if (!isOneOf(rules.nearest,
               {"floor", "ceil", "round_prefer_ceil", "round_prefer_floor"}))
    return node.refuse("nearest_mode '" + rules.nearest + "' is unknown");
  if (node.integer("antialias", 0))
    return node.refuse("antialias is not supported");
  if (node.text("keep_aspect_ratio_policy", "stretch") != "stretch")
    return node.refuse("a kept aspect ratio is not supported");
  return node.in(0).type == TensorElement::Float ||
         node.refuse("its input is " + nameOf(node.in(0).type) +
                     ", and only float is supported");
}

/// Resizes by scales, or sizes, of the attribute `axes` or of all axes.
static bool resize(NodeImport &node, const Elements &given, bool areSizes) {
  Rules rules = rulesOf(node);
  if (rules.mode == "bilinear" || rules.mode == "bicubic")
    rules.mode = rules.mode.substr(2); // the first versions' names
  if (!checkRules(node, rules))
    return false;
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  Shape axes = node.integers("axes").value_or(Shape());
  for (int64_t axis = 0; !node.find("axes") && axis < x.rank; ++axis)
    axes.push_back(axis);
  if (given.size() != axes.size())
    return node.refuse("it gives " + std::to_string(given.size()) +
                       " scales for " + std::to_string(axes.size()) + " axes");
  Tensor y = x.tensor;
  for (size_t k = 0; k < axes.size(); ++k) {
    auto position = node.axis(axes[k], x.rank);
    if (!position)
      return false;
    Axis axis;
    axis.from = node.in(0).shape[*position];
    double to = areSizes ? double(given.integers[k])
                         : std::floor(axis.from * double(given.reals[k]));
    if (!(to >= 1 && to <= INT32_MAX) || axis.from * to > kMostWeights)
      return node.refuse("an axis of " + std::to_string(axis.from) +
                         " elements cannot get " + std::to_string(to));
    if (!areSizes && rules.transform == "align_corners" &&
        to != axis.from * double(given.reals[k]))
      return node.refuse("corners are aligned, but the scale " +
                         std::to_string(given.reals[k]) +
                         " gives no whole number of elements");
    axis.to = int64_t(to);
    axis.scale = areSizes ? to / double(axis.from) : double(given.reals[k]);
    y = resizeAlong(node, rules, y, x.at(*position), axis);
    if (!y)
      return false;
  }
  return setLaid(node, x, y);
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
