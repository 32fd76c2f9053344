//===- Depthwise.cpp - Convolutions of single channels --------------------===//
//
// Input:   a checked call of a depthwise convolution or a gradient of one.
// Output:  the same numbers that its definition has, up to the order of sums.
// Method:  rows of pixels are independent: each is computed from the rows that
//          the window's depths and heights reach. The pixels of a row for which
//          the same positions of the width are inside the image form a run. A
//          filter's gradient is summed in parts of the cotangent's rows, which
//          are then added in order.
// Cost:    that of the definition, without products for padding.
//
//===----------------------------------------------------------------------===//
#include "Depthwise.h"
#include "Bf16.h"
#include "Team.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

static DepthwisePlan::Axis axisOf(const ConvolutionCall &call, size_t d) {
  DepthwisePlan::Axis axis;
  axis.image = call.x.shape[1 + d];
  axis.result = call.y.shape[1 + d];
  axis.window = call.w.shape[1 + d];
  axis.stride = call.strides[d];
  axis.padding = call.padBefore[d];
  axis.dilation = call.dilations[d];
  return axis;
}

/// Returns the pixel that a position of the window reads for a pixel of the
/// result, or for a pixel of the image if that has the gradient; negative if
/// there is none.
static int64_t pixelRead(const DepthwisePlan &plan, size_t d, int64_t pixel,
                         int64_t position) {
  const DepthwisePlan::Axis &axis = plan.axes[d];
  if (plan.kind != ConvolutionKind::InputGrad) {
    int64_t read = axis.pixel(pixel, position);
    return read < axis.image ? read : -1;
  }
  int64_t shifted = pixel + axis.padding - position * axis.dilation;
  if (shifted < 0 || shifted % axis.stride != 0 ||
      shifted / axis.stride >= axis.result)
    return -1;
  return shifted / axis.stride;
}

static std::vector<DepthwiseRun::Tap> tapsOf(const DepthwisePlan &plan,
                                             int64_t pixel) {
  std::vector<DepthwiseRun::Tap> taps;
  for (int64_t k = 0; k < plan.axes[2].window; ++k)
    if (int64_t from = pixelRead(plan, 2, pixel, k); from >= 0)
      taps.push_back({k, from});
  return taps;
}

/// Returns true if taps continue those of a run.
static bool continues(const DepthwiseRun &run,
                      const std::vector<DepthwiseRun::Tap> &taps) {
  if (run.taps.size() != taps.size())
    return false;
  for (size_t i = 0; i < taps.size(); ++i)
    if (taps[i].position != run.taps[i].position ||
        taps[i].from != run.taps[i].from + run.count * run.fromStep)
      return false;
  return true;
}

/// An input's gradient at pixels as far apart as the stride is reached by the
/// same positions.
static std::vector<DepthwiseRun> runsOf(const DepthwisePlan &plan) {
  const DepthwisePlan::Axis &axis = plan.axes[2];
  bool isForward = plan.kind == ConvolutionKind::Forward;
  int64_t step = isForward ? 1 : axis.stride;
  int64_t pixels = isForward ? axis.result : axis.image;
  std::vector<DepthwiseRun> runs;
  for (int64_t phase = 0; phase < std::min(step, pixels); ++phase) {
    size_t before = runs.size();
    for (int64_t pixel = phase; pixel < pixels; pixel += step) {
      std::vector<DepthwiseRun::Tap> taps = tapsOf(plan, pixel);
      if (runs.size() == before || !continues(runs.back(), taps))
        runs.push_back(
            {pixel, step, 0, isForward ? axis.stride : 1, std::move(taps)});
      ++runs.back().count;
    }
  }
  return runs;
}

std::optional<DepthwisePlan> planDepthwise(const LibraryCallDesc &desc,
                                           unsigned threads) {
  std::optional<ConvolutionKind> kind = convolutionKind(desc.op);
  if (!kind)
    return std::nullopt;
  ConvolutionCall call = convolutionOf(desc);
  int64_t channels = call.x.shape.back();
  if (call.groups != channels || call.y.shape.back() != channels)
    return std::nullopt;
  DepthwisePlan plan;
  plan.kind = *kind;
  plan.batch = call.x.shape[0];
  plan.channels = channels;
  for (size_t d = 0; d < call.dims(); ++d)
    plan.axes[3 - call.dims() + d] = axisOf(call, d);
  plan.operands = desc.inputs[0].type;
  plan.result = desc.outputs[0].type;
  plan.threads = threads;
  if (!plan.isFilterGradient())
    plan.runs = runsOf(plan);
  else
    plan.parts = std::clamp<int64_t>(plan.rows(), 1, DepthwisePlan::kMostParts);
  return plan;
}

std::string DepthwisePlan::implementation() const {
  return isFilterGradient()
             ? "depthwise, " + std::to_string(parts) + " parts"
             : "depthwise, " + std::to_string(runs.size()) + " runs";
}

BoundDepthwise::BoundDepthwise(const DepthwisePlan &plan,
                               const std::vector<void *> &inputs, void *output,
                               void *workspace)
    : plan(plan), first(static_cast<const char *>(inputs[0])),
      second(static_cast<const char *>(inputs[1])),
      output(static_cast<char *>(output)),
      workspace(static_cast<float *>(workspace)), sources(plan.threads) {
  for (std::vector<DepthwiseSource> &own : sources)
    own.reserve(size_t(plan.axes[0].window * plan.axes[1].window));
}

/// Calls read(position, row) for the depths and heights of the window, one
/// number, that read a row for row `row` of what is computed. Rows are counted
/// through the batch.
template <typename Read>
void BoundDepthwise::forRowsRead(int64_t row, const Read &read) const {
  const DepthwisePlan::Axis &depths = plan.axes[0], &heights = plan.axes[1];
  bool isGradient = plan.kind == ConvolutionKind::InputGrad;
  int64_t down = isGradient ? depths.image : depths.result,
          along = isGradient ? heights.image : heights.result,
          downRead = isGradient ? depths.result : depths.image,
          alongRead = isGradient ? heights.result : heights.image;
  int64_t height = row % along, depth = row / along % down,
          sample = row / along / down;
  for (int64_t kd = 0; kd < depths.window; ++kd) {
    int64_t d = pixelRead(plan, 0, depth, kd);
    if (d < 0)
      continue;
    for (int64_t kh = 0; kh < heights.window; ++kh)
      if (int64_t h = pixelRead(plan, 1, height, kh); h >= 0)
        read(kd * heights.window + kh, (sample * downRead + d) * alongRead + h);
  }
}

//===----------------------------------------------------------------------===//
// Results and gradients of inputs
//===----------------------------------------------------------------------===//

/// Copies the filter's channels [begin, end), by positions, as f32.
void BoundDepthwise::packFilter(int64_t begin, int64_t end) const {
  int64_t positions = plan.positions();
  for (int64_t c = begin; c < end; ++c)
    for (int64_t k = 0; k < positions; ++k) {
      int64_t from = c * positions + k;
      workspace[k * plan.channels + c] =
          plan.operands == RP_BF16
              ? fromHalf(reinterpret_cast<const uint16_t *>(second)[from])
              : reinterpret_cast<const float *>(second)[from];
    }
}

void BoundDepthwise::computeRow(int64_t row,
                                std::vector<DepthwiseSource> &own) const {
  const DepthwisePlan::Axis &widths = plan.axes[2];
  bool isGradient = plan.kind == ConvolutionKind::InputGrad;
  int64_t pixels = isGradient ? widths.image : widths.result,
          pixelsRead = isGradient ? widths.result : widths.image;
  own.clear();
  forRowsRead(row, [&](int64_t position, int64_t from) {
    own.push_back({first + from * pixelsRead * plan.channels *
                               elementBytes(plan.operands),
                   workspace + position * widths.window * plan.channels});
  });
  depthwiseRow(plan.runs, own, plan.operands, plan.result,
               output +
                   row * pixels * plan.channels * elementBytes(plan.result),
               plan.channels);
}

//===----------------------------------------------------------------------===//
// Gradients of filters
//===----------------------------------------------------------------------===//

/// Sums a part's rows for channels [begin, end).
void BoundDepthwise::sumPart(int64_t part, int64_t begin, int64_t end) const {
  const DepthwisePlan::Axis &widths = plan.axes[2];
  int64_t positions = plan.positions(),
          pixelBytes = plan.channels * int64_t(elementBytes(plan.operands));
  float *sums = workspace + part * positions * plan.channels;
  for (int64_t k = 0; k < positions; ++k)
    std::fill(sums + k * plan.channels + begin, sums + k * plan.channels + end,
              0.0f);
  DepthwisePair rows = {nullptr,         nullptr,       widths.result,
                        widths.image,    widths.window, widths.stride,
                        widths.dilation, widths.padding};
  int64_t last = plan.rows() * (part + 1) / plan.parts;
  for (int64_t row = plan.rows() * part / plan.parts; row < last; ++row) {
    rows.cotangent = second + row * widths.result * pixelBytes;
    forRowsRead(row, [&](int64_t position, int64_t from) {
      rows.image = first + from * widths.image * pixelBytes;
      depthwiseSums(rows, plan.operands,
                    sums + position * widths.window * plan.channels,
                    plan.channels, begin, end);
    });
  }
}

/// Adds the parts of channels [begin, end), in order.
void BoundDepthwise::addParts(int64_t begin, int64_t end) const {
  int64_t positions = plan.positions();
  for (int64_t c = begin; c < end; ++c)
    for (int64_t k = 0; k < positions; ++k) {
      float sum = 0;
      for (int64_t part = 0; part < plan.parts; ++part)
        sum += workspace[(part * positions + k) * plan.channels + c];
      int64_t to = c * positions + k;
      if (plan.result == RP_BF16)
        reinterpret_cast<uint16_t *>(output)[to] = toHalf(sum);
      else
        reinterpret_cast<float *>(output)[to] = sum;
    }
}

void BoundDepthwise::run(Team &team) {
  if (!plan.isFilterGradient()) {
    runShares(
        team, plan.channels, plan.threads,
        [&](int64_t begin, int64_t end, unsigned) { packFilter(begin, end); });
    return runShares(team, plan.rows(), plan.threads,
                     [&](int64_t begin, int64_t end, unsigned member) {
                       for (int64_t row = begin; row < end; ++row)
                         computeRow(row, sources[member]);
                     });
  }
  // Some channels of a part, so that there are enough shares.
  constexpr int64_t kChannels = 32;
  int64_t groups = (plan.channels + kChannels - 1) / kChannels;
  runShares(team, plan.parts * groups, plan.threads,
            [&](int64_t begin, int64_t end, unsigned) {
              for (int64_t share = begin; share < end; ++share) {
                int64_t c = share % groups * kChannels;
                sumPart(share / groups, c,
                        std::min(c + kChannels, plan.channels));
              }
            });
  runShares(
      team, plan.channels, plan.threads,
      [&](int64_t begin, int64_t end, unsigned) { addParts(begin, end); });
}

} // namespace reprise::rt
