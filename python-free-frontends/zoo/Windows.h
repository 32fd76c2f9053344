//===- Windows.h - Windows of images and volumes ------------------*- C++
//-*-===//
//
// Where windows lie on an image (H,W) or a volume (D,H,W), and tensors
// (B,extents...,C) taken apart into them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_ZOO_WINDOWS_H
#define REPRISE_LIB_ZOO_WINDOWS_H

#include "reprise/NN/Attention.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <vector>

namespace reprise::zoo {

/// One number for each dimension of an image or a volume.
using Extents = llvm::SmallVector<int64_t, 3>;

struct WindowGrid {
  /// Multiples of the window.
  Extents padded;
  Extents window;
  /// By how much windows are moved towards the end, cyclically.
  Extents shift;

  bool isShifted() const;
  /// Windows.
  int64_t count() const;
  /// Elements of a window.
  int64_t tokens() const;
};

/// The windows of an image of `extents`. Along a dimension that one window
/// covers there is no shift. `adapts`: a window is no larger than the image.
WindowGrid layOutWindows(llvm::ArrayRef<int64_t> extents,
                         llvm::ArrayRef<int64_t> window,
                         llvm::ArrayRef<int64_t> shift, bool adapts);

/// (B,padded...,C) to (B*windows,tokens,C).
nn::Tensor partitionWindows(const nn::Tensor &x, const WindowGrid &grid);
/// And back, for `batch` images.
nn::Tensor joinWindows(const nn::Tensor &x, int64_t batch,
                       const WindowGrid &grid);

/// How many distances there are between two elements of a window.
int64_t countDistances(llvm::ArrayRef<int64_t> window);
/// The number of the distance between each two of the first `tokens` elements
/// of a window, row by row.
std::vector<int32_t> distanceIndices(llvm::ArrayRef<int64_t> window,
                                     int64_t tokens);
/// (windows,tokens): which part of the image an element is of. Elements of
/// different parts lie in one window by the shift alone.
std::vector<int32_t> partsOfImage(const WindowGrid &grid);

/// (B,...,H,W,C) to (B,...,H/2,W/2,4C), an odd extent padded by zeros: of each
/// four neighbours the channels of (0,0), (1,0), (0,1), (1,1).
nn::Tensor mergeNeighbours(const nn::Tensor &x);

/// Volumes (B,D,H,W,C) cut into patches, padded by zeros to a multiple of them:
/// children "proj", whose `weight` is (out,patch...,C) and in files
/// (out,C,patch...), and "norm".
class VolumePatches : public nn::Module {
public:
  VolumePatches(int64_t in, int64_t out, std::array<int64_t, 3> patch);

protected:
  nn::Tensor forward(nn::Tensor x) override;

private:
  class Projection;
  std::array<int64_t, 3> patch;
  Projection &proj;
  nn::LayerNorm &norm;
};

} // namespace reprise::zoo

#endif // REPRISE_LIB_ZOO_WINDOWS_H
