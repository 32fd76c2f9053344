//===- BatchShapes.h - Constant shapes that name the batch ------*- C++ -*-===//
//
// A file that fixes its batch names it in constant shapes, as the extent of
// some dimension, maybe times others. A first import at a batch that divides no
// other extent, a prime, finds that dimension: the samples lie where the same
// number of elements comes before them. Later imports change it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_ONNX_BATCHSHAPES_H
#define REPRISE_ONNX_BATCHSHAPES_H

#include "Elements.h"
#include <map>
#include <set>

namespace reprise::onnx {

class BatchShapes {
public:
  /// The batch of the first import.
  static constexpr int64_t kProbe = 10007;
  bool isProbe = false;
  /// In the first import, the batch for which kProbe stands.
  int64_t replaced = 0;

  /// Records the place of the samples in `to`, in the file's extents, when a
  /// Reshape leads there from `from`, the extents of the first import.
  void learn(const Node &node, const Shape &from, const Shape &to,
             int64_t fileBatch);
  /// The dimension of a Reshape's shape that holds the samples; nothing if it
  /// is unknown or no dimension does.
  std::optional<size_t> dimension(const Node &node) const;

  /// Returns true if constants of a node stand for the samples. The first
  /// import records what its extents tell, later ones return that.
  bool standsForSamples(const Node &node, bool found);

private:
  std::set<const Node *> counting;
  std::map<const Node *, size_t> dimensions;
  /// Extents that hold the samples and others, and how many of these are
  /// outside the samples.
  std::map<int64_t, int64_t> outside;
};

} // namespace reprise::onnx

#endif // REPRISE_ONNX_BATCHSHAPES_H
