//===- Winograd.h - Convolutions by minimal filtering -----------*- C++ -*-===//
//
// Convolutions of 3x3 windows without strides, in f32, and both their
// gradients, by S. Winograd's F(2x2, 3x3): 16 products for four pixels of the
// result instead of 36. The transformed filter is the second operand of 16
// products whose first has a row for each tile of 2x2 pixels; each thread
// transforms some tiles at a time, in a part of the workspace that stays in its
// caches, and has oneDNN multiply them. In the gradient of the filter, each
// thread has rows of the transformed filter and a part of its outputs, and sums
// over all tiles in order.
//
// The bits of a result depend only on its tile and the filter, not on the
// thread or the number of tiles at once; those of a filter's gradient on blocks
// of tiles, which do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_WINOGRAD_H
#define REPRISE_RUNTIME_CPU_WINOGRAD_H

#include "BoundPrimitive.h"
#include "WinogradRows.h"
#include "reprise/Runtime/Library.h"
#include <dnnl.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::rt {

/// The partition of a checked call. Holds no tensor memory.
struct WinogradPlan {
  enum class Kind : uint8_t { Result, InputGradient, FilterGradient };
  struct Plane {
    int64_t height, width, channels;
  };
  /// The product for `tiles` tiles at once.
  struct Product {
    int64_t tiles;
    dnnl::matmul::primitive_desc desc;
  };
  /// The workspace's layout, in bytes: the transformed filter or its gradient,
  /// then a part for each member.
  struct Layout {
    uint64_t members = 0; // the first one's
    // Offsets within a member's part.
    uint64_t zeros = 0, image = 0, other = 0, sums = 0;
    uint64_t scratchpad = 0, bytes = 0;
  };

  Kind kind = Kind::Result;
  int64_t batch = 0;
  /// The operand of the windows and the result: for an input's gradient, the
  /// cotangent and the gradient; for a filter's, the image and the cotangent.
  Plane image = {}, result = {};
  /// Zeros before the image; negative: pixels left out.
  int64_t top = 0, left = 0;
  bool adds = false; // accumulates in the result
  unsigned members = 1;
  int64_t block = 0;             // of tiles
  int64_t parts = 1;             // of a filter gradient's outputs
  std::vector<Product> products; // of a block, and of the remaining tiles
  Layout layout;

  int64_t tilesDown() const { return (result.height + 1) / 2; }
  int64_t tilesAcross() const { return (result.width + 1) / 2; }
  int64_t tiles() const { return batch * tilesDown() * tilesAcross(); }
  int64_t blocks() const { return (tiles() + block - 1) / block; }
  /// The row and part combinations of a filter gradient.
  int64_t units() const { return kWinogradRows * parts; }
  int64_t partOutputs() const { return result.channels / parts; }
  uint64_t workspaceBytes() const {
    return layout.members + members * layout.bytes;
  }
  /// Returns the ratio of multiplications to those of the definition.
  double arithmetic() const {
    const Plane &y = kind == Kind::InputGradient ? image : result;
    return double(kWinogradNumbers * tiles()) /
           double(9 * batch * y.height * y.width);
  }
  std::string implementation() const;
};

/// Plans a checked call, ignoring its epilogues. Returns nothing if it is not
/// such a convolution, oneDNN has no product that does not allocate, or its
/// direct kernels are as fast.
std::optional<WinogradPlan> planWinograd(const LibraryCallDesc &call,
                                         unsigned threads);

/// The products of a plan, their code generated.
std::vector<dnnl::matmul> generateProducts(const WinogradPlan &plan);

/// A call with its operands bound.
class BoundWinograd {
public:
  BoundWinograd(const WinogradPlan &plan,
                const std::vector<dnnl::matmul> &products,
                const std::vector<void *> &inputs, void *output,
                void *workspace);
  /// Runs on the threads of the calling thread's scope.
  Status run(dnnl::stream &stream);

private:
  BoundPrimitive bind(const dnnl::matmul &code, size_t number, unsigned member,
                      float *form);
  char *memberBase(unsigned member) const;
  float *formOf(int64_t unit) const;
  float *sumsOf(unsigned member) const;
  BoundPrimitive &productOf(unsigned member, int64_t count);

  void transformGroups(unsigned member);
  void multiplyBlocks(unsigned member, dnnl::stream &stream);
  void addUnits(unsigned member, dnnl::stream &stream);
  void transformGradients(unsigned member);

  void loadImages(unsigned member, int row, int64_t first, int64_t count);
  void loadCotangents(unsigned member, int64_t unit, int64_t first,
                      int64_t count);
  void storeResults(unsigned member, int64_t first, int64_t count);
  void execute(unsigned member, const BoundPrimitive &product,
               dnnl::stream &stream);
  template <void (BoundWinograd::*Work)(unsigned)> void onMembers();
  template <void (BoundWinograd::*Work)(unsigned, dnnl::stream &)>
  void onMembers(dnnl::stream &stream);

  WinogradPlan plan;
  const float *image, *other; // the filter, or the cotangent
  float *output;
  char *workspace;
  std::vector<std::vector<BoundPrimitive>> products; // by member
  std::vector<BoundPrimitive> firsts; // by unit, for its first block
  std::vector<dnnl_status_t> statuses;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_WINOGRAD_H
