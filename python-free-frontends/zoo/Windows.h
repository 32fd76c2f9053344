//===- Windows.h - Windows of images and volumes ----------------*- C++ -*-===//
//
// Positions of windows in an image (H,W) or a volume (D,H,W), and partitions of
// tensors (B,extents...,C) into them.
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
  /// Extents, rounded up to multiples of the window.
  Extents padded;
  Extents window;
  /// The cyclic shift of windows towards the end.
  Extents shift;

  bool isShifted() const;
  /// Returns the number of windows.
  int64_t count() const;
  /// Returns the number of elements of a window.
  int64_t tokens() const;
};

/// Returns the windows of an image of `extents`. A dimension that one window
/// covers is not shifted. `adapts`: a window is no larger than the image.
WindowGrid layOutWindows(llvm::ArrayRef<int64_t> extents,
                         llvm::ArrayRef<int64_t> window,
                         llvm::ArrayRef<int64_t> shift, bool adapts);

/// Converts (B,padded...,C) to (B*windows,tokens,C).
nn::Tensor partitionWindows(const nn::Tensor &x, const WindowGrid &grid);
/// The inverse, for `batch` images.
nn::Tensor joinWindows(const nn::Tensor &x, int64_t batch,
                       const WindowGrid &grid);

/// Returns the number of distances between two elements of a window.
int64_t countDistances(llvm::ArrayRef<int64_t> window);
/// Returns the number of the distance between each two of the first `tokens`
/// elements of a window, row by row.
std::vector<int32_t> distanceIndices(llvm::ArrayRef<int64_t> window,
                                     int64_t tokens);
/// Returns (windows,tokens): the part of the image that an element belongs to.
/// Elements of different parts are in one window only because of the shift.
std::vector<int32_t> partsOfImage(const WindowGrid &grid);

/// Converts (B,...,H,W,C) to (B,...,H/2,W/2,4C), with an odd extent padded by
/// zeros: the channels of (0,0), (1,0), (0,1), (1,1) of each four neighbours.
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
