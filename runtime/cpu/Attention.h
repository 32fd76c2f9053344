//===- Attention.h - Attention by tiles -------------------------*- C++ -*-===//
//
// The scores of one head of one sample are a matrix of tokens by tokens that
// nothing outside the call reads. Each thread computes some rows of it at a
// time, in a part of the workspace that stays in its cache: oneDNN's products
// on one thread, and loops of ours for the rows between them.
//
// Pairs of a sample and a head are numbered by bias row, head, and sample, so
// that pairs with the same bias follow each other. Each thread has a range of
// them. Every score of a pair is computed by one thread, and the terms of
// several threads in the gradient of one bias are added in the order of the
// threads.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_ATTENTION_H
#define REPRISE_RUNTIME_CPU_ATTENTION_H

#include "BoundPrimitive.h"
#include "reprise/Runtime/Library.h"
#include <dnnl.hpp>
#include <memory>
#include <vector>

namespace reprise::rt {

class Team;

/// The partition of a checked call. Holds no tensor memory.
struct AttentionPlan {
  /// The pairs of one product and the queries of each: several pairs with all
  /// of their queries, or one with some.
  struct Tile {
    int64_t pairs, rows;
    dnnl::matmul::primitive_desc scores; // rows of a by rows of b
    dnnl::matmul::primitive_desc mix;    // weights by tokens
    dnnl::matmul::primitive_desc gather; // weights, transposed, by rows
  };
  /// Layout of a thread's part of the workspace, in bytes.
  struct Layout {
    uint64_t q = 0, k = 0, v = 0, out = 0, scores = 0, weights = 0;
    uint64_t kept = 0; // one row, if weights are dropped
    // Parts of the gradient.
    uint64_t dy = 0, dp = 0, ds = 0, dk = 0, dv = 0, dbias = 0;
    uint64_t dkSum = 0, dvSum = 0; // over tiles of a pair
    uint64_t scratchpad = 0, bytes = 0;
  };

  int64_t samples = 0, tokens = 0, heads = 0, width = 0;
  int64_t biasRows = 0; // 0: there is no bias
  float scale = 1;
  bool isGrad = false, isHalf = false;
  float probability = 0; // of dropping a weight
  float rest = 1;        // 1 - probability, rounded once
  int64_t stream = 0;    // random stream of the dropout
  unsigned members = 1;
  std::vector<Tile> tiles; // the first is the usual one
  Layout layout;           // of each member; members are consecutive

  int64_t pairs() const { return samples * heads; }
  bool sumsTiles() const { return tiles.front().rows < tokens; }
  uint64_t workspaceBytes() const { return members * layout.bytes; }
  /// Returns the names of oneDNN's kernels.
  std::string implementation() const;
};

/// Throws dnnl::error if oneDNN has no such products.
AttentionPlan planAttention(const LibraryCallDesc &call, unsigned threads);

/// The products of a plan, their code generated.
struct AttentionProducts {
  dnnl::matmul scores, mix, gather;
};
std::vector<AttentionProducts> generateProducts(const AttentionPlan &plan);

/// A call with its operands bound.
class BoundAttention {
public:
  BoundAttention(const AttentionPlan &plan,
                 const std::vector<AttentionProducts> &products,
                 const std::vector<void *> &inputs,
                 const std::vector<void *> &outputs, void *workspace);
  /// Runs on the threads of the calling thread's scope.
  Status run(dnnl::stream &stream);

private:
  /// The products of a tile, bound for a member.
  struct TileProducts {
    int64_t pairs, rows;
    BoundPrimitive scores, mix;          // forward and gradient
    BoundPrimitive dp, gatherV, gatherK; // gradient only
  };
  struct Member {
    char *base = nullptr;
    std::vector<TileProducts> tiles = {};
    dnnl_status_t status = dnnl_success;
  };
  /// A pair of a sample and a head.
  struct Pair {
    int64_t sample, head, biasRow;
  };
  struct Call;

  BoundPrimitive bind(const dnnl::primitive &primitive,
                      const dnnl::matmul::primitive_desc &desc, char *base,
                      uint64_t a, uint64_t b, uint64_t c) const;
  TileProducts bindTile(const AttentionPlan::Tile &tile,
                        const AttentionProducts &products, char *base) const;

  Pair pairAt(int64_t number) const;
  int64_t firstPair(unsigned member) const;
  void runMember(unsigned member, dnnl::stream &stream);
  void runPairs(Member &member, unsigned number, int64_t first, int64_t count,
                dnnl::stream &stream);
  void runTile(Member &member, unsigned number, TileProducts &tile,
               int64_t first, int64_t row, dnnl::stream &stream);
  void softmaxRows(Member &member, const TileProducts &tile, int64_t first,
                   int64_t row);
  void gradientRows(Member &member, unsigned number, const TileProducts &tile,
                    int64_t first, int64_t row);
  void load(char *to, const char *from, int64_t parts, int64_t part,
            int64_t first, int64_t count, int64_t row, int64_t rows);
  void store(const char *from, bool isWide, char *to, int64_t parts,
             int64_t part, int64_t first, int64_t count, int64_t row,
             int64_t rows);
  const float *drawKept(Member &member, const Pair &pair, int64_t query);
  float *biasGradient(Member &member, unsigned number, int64_t pair);
  void sumBiasGradients();
  void execute(Member &member, const BoundPrimitive &product,
               dnnl::stream &stream);

  AttentionPlan plan;
  std::vector<void *> inputs, outputs;
  std::vector<Member> members;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_ATTENTION_H
