//===- Windows.cpp - Windows of convolutions and pools --------------------===//

#include "Windows.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

std::optional<Tensor> onnx::imageOf(NodeImport &node) {
  onnx::Value &value = node.in(0);
  if (!onnx::isReal(value.type)) {
    node.refuse("its input is " + nameOf(value.type) +
                ", and only float is supported");
    return std::nullopt;
  }
  if (value.rank() < 3 || value.rank() > 5) {
    node.refuse("its input has rank " + std::to_string(value.rank()) +
                "; signals, images and volumes of ranks 3 to 5 are supported");
    return std::nullopt;
  }
  Tensor x = node.last(0);
  if (!x)
    return std::nullopt;
  return value.rank() > 3 ? x
                          : nn::reshape(x, {x.dim(0), 1, x.dim(1), x.dim(2)});
}

bool onnx::setImage(NodeImport &node, Tensor image) {
  if (image && node.in(0).rank() == 3)
    image = nn::reshape(image, {image.dim(0), image.dim(2), image.dim(3)});
  return node.setLast(0, image);
}

std::optional<Shape> onnx::perDimension(NodeImport &node, const char *attribute,
                                        int64_t otherwise) {
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

/// Padding so that there are extent / stride windows, rounded up.
static void padToSame(const Tensor &x, bool isUpper, size_t first,
                      Windows &windows) {
  for (size_t d = first; d < windows.rank(); ++d) {
    int64_t out = llvm::divideCeil(x.dim(1 + d), windows.strides[d]);
    int64_t whole = std::max<int64_t>(
        (out - 1) * windows.strides[d] + windows.span(d) - x.dim(1 + d), 0);
    windows.low[d] = isUpper ? whole / 2 : whole - whole / 2;
    windows.high[d] = whole - windows.low[d];
  }
}

/// Sets the padding by the attributes `auto_pad` and `pads`.
static bool readPadding(NodeImport &node, const Tensor &x, Windows &windows) {
  size_t count = node.in(0).rank() - 2, first = windows.rank() - count;
  std::string mode = node.text("auto_pad", "NOTSET");
  windows.low = windows.high = windows.completing = Shape(windows.rank(), 0);
  if (mode == "VALID")
    return true;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    padToSame(x, mode == "SAME_UPPER", first, windows);
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
    windows.low[first + d] = pads[d];
    windows.high[first + d] = pads[count + d];
  }
  return true;
}

std::optional<Windows> onnx::windowsOf(NodeImport &node, const Tensor &x,
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
  for (size_t d = 0; d < windows.rank(); ++d)
    if (windows.span(d) > INT32_MAX) {
      node.refuse("its windows span " + std::to_string(windows.span(d)) +
                  " elements");
      return std::nullopt;
    }
  if (!readPadding(node, x, windows))
    return std::nullopt;
  return windows;
}
