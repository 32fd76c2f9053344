//===- FilterProducts.cpp - Gradients of filters as products --------------===//
//
// Input:   a checked call of conv2d_filter_grad.
// Output:  df = dy^T p, where the rows of p are the windows of the image,
//          (N*H'*W', KH*KW*C): p is the image itself, or a copy in the
//          workspace.
// Method:  one product; one strided copy of the image for each position of the
//          window, into rows that are zero where a window is in the padding.
// Cost:    of a copy, KH*KW times the pixels of dy.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"

#include <algorithm>

namespace reprise::rt {

using dnnl::memory;

namespace {
/// The windows along an axis that read inside the image at one position of the
/// window, and the first pixel they read.
struct Inside {
  int64_t begin, end, from;
};

/// The windows along an axis.
struct Axis {
  int64_t image, windows, window, stride, padding, dilation;

  /// Returns true if windows of one pixel are the pixels, in their order.
  bool isImage() const { return windows == image && stride == 1 && !padding; }

  /// Returns true if oneDNN can describe the pixels that windows read at one
  /// position: the image must hold as many strides as there are windows.
  bool hasStrides() const { return windows * stride <= image; }

  Inside at(int64_t position) const {
    int64_t shift = position * dilation - padding;
    int64_t begin = shift < 0 ? (-shift + stride - 1) / stride : 0;
    int64_t last = image - 1 - shift; // pixel, from the first window's
    int64_t end = last < 0 ? 0 : std::min(windows, last / stride + 1);
    return {begin, std::max(begin, end), begin * stride + shift};
  }
};

struct Windows {
  explicit Windows(const LibraryCallDesc &call);

  int64_t columns() const { return h.window * w.window * channels; }
  bool areImage() const {
    return columns() == channels && h.isImage() && w.isImage();
  }
  bool arePadded() const {
    for (const Axis *axis : {&h, &w})
      for (int64_t position : {int64_t(0), axis->window - 1}) {
        Inside inside = axis->at(position);
        if (inside.begin > 0 || inside.end < axis->windows)
          return true;
      }
    return false;
  }

  int64_t batch, channels, filters;
  Axis h, w;
};
} // namespace

Windows::Windows(const LibraryCallDesc &call) {
  const std::vector<int64_t> &x = call.inputs[0].shape,
                             &y = call.inputs[1].shape,
                             &f = call.outputs[0].shape, &p = call.ints;
  batch = x[0];
  channels = x[3];
  filters = f[0];
  h = {x[1], y[1], f[1], p[0], p[2], p[6]};
  w = {x[2], y[2], f[2], p[1], p[4], p[7]};
}

/// Measured with oneDNN 2.6.3. In f32, with AVX-512, products are up to a
/// quarter faster for 1x1 filters with as many outputs as inputs or with few
/// pixels, otherwise slower. In bf16, with matrix tiles: its gradients of 1x1
/// filters copy both images and take two to six times as long as a product. Its
/// gradients of larger filters take twice as long where strides or few pixels
/// leave its blocks half empty; copies of windows then pay if many filters
/// share them, but not at the cost of much memory.
static bool isFaster(const Windows &windows, bool isHalf) {
  constexpr int64_t kFewPixels = 64, kManyFilters = 256, kManyChannels = 64;
  constexpr int64_t kMostBytes = 8 << 20;
  int64_t pixels = windows.h.windows * windows.w.windows;
  if (!isHalf)
    return windows.areImage() &&
           (windows.filters >= windows.channels || pixels <= kFewPixels);
  if (windows.areImage())
    return true;
  if (!windows.h.hasStrides() || !windows.w.hasStrides())
    return false;
  if (windows.columns() == windows.channels)
    return !windows.arePadded();
  bool isStrided = windows.h.stride > 1 || windows.w.stride > 1;
  return (isStrided || pixels <= kFewPixels) &&
         windows.filters >= kManyFilters && windows.channels >= kManyChannels &&
         windows.batch * pixels <= kMostBytes / 2 / windows.columns();
}

/// Adds the copies that form rows of windows.
static void planWindows(LibraryPlan &plan, const Windows &windows) {
  constexpr auto kType = memory::data_type::bf16;
  const Axis &h = windows.h, &w = windows.w;
  int64_t c = windows.channels, columns = windows.columns();
  for (int64_t i = 0; i < h.window; ++i)
    for (int64_t j = 0; j < w.window; ++j) {
      Inside rows = h.at(i), pixels = w.at(j);
      memory::dims dims = {windows.batch, rows.end - rows.begin,
                           pixels.end - pixels.begin, c};
      if (dims[1] == 0 || dims[2] == 0)
        continue;
      memory::desc from(
          dims, kType,
          {h.image * w.image * c, h.stride * w.image * c, w.stride * c, 1});
      from.data.offset0 = (rows.from * w.image + pixels.from) * c;
      memory::desc to(
          dims, kType,
          {h.windows * w.windows * columns, w.windows * columns, columns, 1});
      to.data.offset0 = (rows.begin * w.windows + pixels.begin) * columns +
                        (i * w.window + j) * c;
      planReorder(plan, from, Place::input(0), to, Place::packed());
    }
}

bool planFilterProduct(LibraryPlan &plan, const LibraryCallDesc &call) {
  rp_element_type type = call.inputs[0].type;
  if (call.op != LibraryOp::Conv2DFilterGrad || call.ints[8] != 1)
    return false;
  Windows windows(call);
  if (!isFaster(windows, type == RP_BF16))
    return false;
  int64_t rows = windows.batch * windows.h.windows * windows.w.windows;
  memory::desc dy = matrix({type, {rows, windows.filters}, {}}, true);
  memory::desc p = matrix({type, {rows, windows.columns()}, {}}, false);
  memory::desc df = matrix(
      {call.outputs[0].type, {windows.filters, windows.columns()}, {}}, false);
  auto desc = planProduct(dy, p, df);
  if (allocates(desc))
    return false;
  Place image = Place::input(0);
  if (!windows.areImage()) {
    planWindows(plan, windows);
    image = Place::packed();
    if (windows.arePadded())
      plan.cleared = image;
  }
  plan.primitives.push_back({desc,
                             {{DNNL_ARG_SRC, Place::input(1), dy},
                              {DNNL_ARG_WEIGHTS, image, p},
                              {DNNL_ARG_DST, Place::output(), df}}});
  return true;
}

} // namespace reprise::rt
