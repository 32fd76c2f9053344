//===- Depthwise.h - Convolutions of single channels ------------*- C++ -*-===//
//
// Depthwise convolutions, in which each channel of the result reads the same
// channel of the image, and both their gradients, for cases in which oneDNN has
// no depthwise kernel: its kernels for groups then compute with one of 16
// channels (oneDNN 2.6.3: gradients of filters wider than 3, and all
// convolutions of volumes).
//
// A result, or the gradient of an input, sums products of pixels with the
// filter's positions that reach it, positions in order. The gradient of a
// filter is summed by rows of the cotangent, rows within a part in order, then
// parts. Neither depends on the number of threads.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_DEPTHWISE_H
#define REPRISE_RUNTIME_CPU_DEPTHWISE_H

#include "DepthwiseRows.h"
#include "reprise/Runtime/Library.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace reprise::rt {

class Team;

/// A checked call as rows of pixels. Holds no tensor memory. A plane has depth
/// 1.
struct DepthwisePlan {
  /// An axis of the image and of the convolution's result.
  struct Axis {
    int64_t image = 1, result = 1, window = 1, stride = 1, padding = 0,
            dilation = 1;
    /// The pixel of the image that a position of the window reads for a pixel
    /// of the result; may be outside.
    int64_t pixel(int64_t result, int64_t position) const {
      return result * stride + position * dilation - padding;
    }
  };

  ConvolutionKind kind = ConvolutionKind::Forward;
  int64_t batch = 0, channels = 0;
  std::array<Axis, 3> axes; // depth, height, width
  rp_element_type operands = RP_F32, result = RP_F32;
  /// Along the width, for a result or an input's gradient.
  std::vector<DepthwiseRun> runs;
  /// Parts of the cotangent's rows, for a filter's gradient: enough for some
  /// threads, and few for the workspace.
  int64_t parts = 1;
  static constexpr int64_t kMostParts = 8;
  unsigned threads = 1;

  int64_t positions() const {
    return axes[0].window * axes[1].window * axes[2].window;
  }
  /// The rows that are computed, or of a filter's gradient those of the
  /// cotangent.
  int64_t rows() const {
    if (kind == ConvolutionKind::InputGrad)
      return batch * axes[0].image * axes[1].image;
    return batch * axes[0].result * axes[1].result;
  }
  bool isFilterGradient() const { return kind == ConvolutionKind::FilterGrad; }
  /// The filter by positions in f32, or the sums of each part.
  uint64_t workspaceBytes() const {
    return uint64_t(parts * positions() * channels) * sizeof(float);
  }
  std::string implementation() const;
};

/// Plans a checked call without epilogues. Returns nothing if it is not
/// depthwise, with one channel of the result for each of the image.
std::optional<DepthwisePlan> planDepthwise(const LibraryCallDesc &call,
                                           unsigned threads);

/// A call with its operands bound.
class BoundDepthwise {
public:
  BoundDepthwise(const DepthwisePlan &plan, const std::vector<void *> &inputs,
                 void *output, void *workspace);
  /// The team has as many threads as were planned.
  void run(Team &team);

private:
  template <typename Read>
  void forRowsRead(int64_t row, const Read &read) const;
  void packFilter(int64_t begin, int64_t end) const;
  void computeRow(int64_t row, std::vector<DepthwiseSource> &own) const;
  void sumPart(int64_t part, int64_t begin, int64_t end) const;
  void addParts(int64_t begin, int64_t end) const;

  DepthwisePlan plan;
  const char *first, *second;
  char *output;
  float *workspace;
  std::vector<std::vector<DepthwiseSource>> sources; // by member
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_DEPTHWISE_H
