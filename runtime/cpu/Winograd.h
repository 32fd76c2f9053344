//===- Winograd.h - Convolutions by minimal filtering -----------*- C++ -*-===//
//
// Convolutions of 3x3 windows without strides, in f32, and both their
// gradients, by S. Winograd's F(2x2, 3x3): 16 products for four pixels of the
// result instead of 36. The transformed filter is the second operand of 16
// products whose first has a row for each tile of 2x2 pixels; each thread
// transforms some tiles at a time, in a part of the workspace that stays in its
// caches, and has oneDNN multiply them. In the gradient of the filter a thread
// has rows of the transformed filter and a part of its outputs, and adds up
// over all tiles in their order.
//
// A result has the bits that its tile and the filter give, whoever computes it,
// however many tiles at once; a filter's gradient those of blocks of tiles that
// do not depend on the number of threads.
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

/// How a checked call is cut. Holds no tensor memory.
struct WinogradPlan {
  enum class Kind : uint8_t { Result, InputGradient, FilterGradient };
  struct Plane {
    int64_t height, width, channels;
  };
  /// Of `tiles` at once.
  struct Product {
    int64_t tiles;
    dnnl::matmul::primitive_desc desc;
  };
  /// Where the workspace has what, in bytes: the transformed filter or its
  /// gradient, then a part of each member.
  struct Layout {
    uint64_t members = 0; // the first one's
    // Within one.
    uint64_t zeros = 0, image = 0, other = 0, sums = 0;
    uint64_t scratchpad = 0, bytes = 0;
  };

  Kind kind = Kind::Result;
  int64_t batch = 0;
  /// What windows are taken of, and what they give: of an input's gradient, the
  /// cotangent and the gradient; of a filter's, the image and the cotangent.
  Plane image = {}, result = {};
  /// Zeros in front of the image; where less than none, pixels left out.
  int64_t top = 0, left = 0;
  bool adds = false; // to what lies where the result goes
  unsigned members = 1;
  int64_t block = 0;             // of tiles
  int64_t parts = 1;             // of a filter gradient's outputs
  std::vector<Product> products; // of a block, and of what is left
  Layout layout;

  int64_t tilesDown() const { return (result.height + 1) / 2; }
  int64_t tilesAcross() const { return (result.width + 1) / 2; }
  int64_t tiles() const { return batch * tilesDown() * tilesAcross(); }
  int64_t blocks() const { return (tiles() + block - 1) / block; }
  /// Rows and parts of a filter gradient.
  int64_t units() const { return kWinogradRows * parts; }
  int64_t partOutputs() const { return result.channels / parts; }
  uint64_t workspaceBytes() const {
    return layout.members + members * layout.bytes;
  }
  /// Products, of those that the definition takes for the forward result.
  double arithmetic() const {
    const Plane &y = kind == Kind::InputGradient ? image : result;
    return double(kWinogradNumbers * tiles()) /
           double(9 * batch * y.height * y.width);
  }
  std::string implementation() const;
};

/// Plans a checked call, whose epilogues are not looked at. None where it is no
/// such convolution, oneDNN has no product that takes no memory, or its direct
/// kernels are as fast.
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
  /// On the threads of the scope that this thread is in.
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
  std::vector<std::vector<BoundPrimitive>> products; // of each member
  std::vector<BoundPrimitive> firsts; // of each unit, of its first block
  std::vector<dnnl_status_t> statuses;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_WINOGRAD_H
