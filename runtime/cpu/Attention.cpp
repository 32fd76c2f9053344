//===- Attention.cpp - Attention by tiles ---------------------------------===//
//
// Input:   a checked call; its operands and a workspace.
// Output:  result and log-sum-exp, or the gradients.
// Method:  queries, keys and values of a tile are copied side by side, oneDNN
//          multiplies them, rows of scores become weights in place. The
//          gradient recomputes the scores.
// Cost:    two products of tokens by tokens by width a pair, five for the
//          gradient; copies of all operands.
// Fails:   where oneDNN has no products of the type, or its kernels fail.
//
//===----------------------------------------------------------------------===//
#include "Attention.h"
#include "AttentionRows.h"
#include "Bf16.h"
#include "DrawRow.h"
#include "LibraryCalls.h"
#include "ThreadScope.h"

#include <algorithm>
#include <cstring>

namespace reprise::rt {

using dnnl::memory;

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// The largest tile of a thread: part of a core's second cache.
static constexpr uint64_t kTileBytes = 768 << 10;
/// A pair with at most this many bytes of scores is not cut.
static constexpr uint64_t kWholeBytes = 2 << 20;
/// Enough pairs that the cost of starting a product does not count, and enough
/// rows.
static constexpr int64_t kMostPairs = 16, kLeastRows = 64, kRowStep = 16;

static memory::data_type typeOf(bool isHalf) {
  return isHalf ? memory::data_type::bf16 : memory::data_type::f32;
}

static AttentionPlan::Tile planTile(const AttentionPlan &plan, int64_t pairs,
                                    int64_t rows) {
  int64_t n = plan.tokens, d = plan.width;
  memory::data_type type = typeOf(plan.isHalf);
  memory::data_type f32 = memory::data_type::f32;
  bool adds = plan.isGrad && rows < n;
  AttentionPlan::Tile tile{pairs, rows, {}, {}, {}};
  tile.scores = planProduct(matrices(pairs, rows, d, type),
                            matrices(pairs, d, n, type, true),
                            matrices(pairs, rows, n, f32));
  tile.mix =
      planProduct(matrices(pairs, rows, n, type), matrices(pairs, n, d, type),
                  matrices(pairs, rows, d, type));
  if (plan.isGrad)
    tile.gather = planProduct(matrices(pairs, n, rows, type, true),
                              matrices(pairs, rows, d, type),
                              matrices(pairs, n, d, adds ? f32 : type));
  return tile;
}

/// Returns the usual tile of a pair's `n` queries, and those at the ends of
/// ranges.
static std::vector<AttentionPlan::Tile> planTiles(const AttentionPlan &plan) {
  int64_t n = plan.tokens, d = plan.width;
  uint64_t number = plan.isHalf ? 2 : 4;
  // Scores, and in the gradient also those of dy and v.
  uint64_t score = (plan.isHalf ? 6 : 4) * (plan.isGrad ? 2 : 1);
  uint64_t scores = score * n * n;
  if (scores > kWholeBytes) {
    int64_t rows = kTileBytes / (score * n) / kRowStep * kRowStep;
    rows = std::min(std::max(rows, kLeastRows), n);
    std::vector<AttentionPlan::Tile> tiles = {planTile(plan, 1, rows)};
    if (n % rows)
      tiles.push_back(planTile(plan, 1, n % rows));
    return tiles;
  }
  uint64_t pair = scores + number * n * d * (plan.isGrad ? 7 : 4);
  int64_t each = (plan.pairs() + plan.members - 1) / plan.members;
  int64_t pairs = std::min({int64_t(kTileBytes / pair), kMostPairs, each});
  std::vector<AttentionPlan::Tile> tiles = {
      planTile(plan, std::max<int64_t>(pairs, 1), n)};
  if (pairs > 1)
    tiles.push_back(planTile(plan, 1, n));
  return tiles;
}

static AttentionPlan::Layout layOut(const AttentionPlan &plan) {
  AttentionPlan::Layout at;
  auto take = [&at](uint64_t bytes) {
    uint64_t begin = at.bytes;
    at.bytes += (bytes + 63) / 64 * 64;
    return begin;
  };
  const AttentionPlan::Tile &tile = plan.tiles.front();
  uint64_t number = plan.isHalf ? 2 : 4;
  uint64_t queries = tile.pairs * tile.rows * plan.width;
  uint64_t tokens = tile.pairs * plan.tokens * plan.width;
  uint64_t scores = tile.pairs * tile.rows * plan.tokens;
  at.q = take(number * queries);
  at.k = take(number * tokens);
  at.v = take(number * tokens);
  at.out = take(number * queries);
  at.scores = take(4 * (scores + kNumbersBehindRow));
  at.weights = plan.isHalf ? take(2 * (scores + kNumbersBehindRow)) : at.scores;
  if (plan.probability > 0)
    at.kept = take(4 * (plan.tokens + kNumbersBehindRow));
  if (plan.isGrad) {
    uint64_t sum = plan.sumsTiles() ? 4 : number;
    at.dy = take(number * queries);
    at.dp = take(4 * (scores + kNumbersBehindRow));
    at.ds = plan.isHalf ? take(2 * (scores + kNumbersBehindRow)) : at.dp;
    at.dk = take(sum * tokens);
    at.dv = take(sum * tokens);
    if (plan.sumsTiles()) {
      at.dkSum = take(4 * tokens);
      at.dvSum = take(4 * tokens);
    }
    if (plan.biasRows)
      at.dbias = take(4 * plan.tokens * plan.tokens);
  }
  uint64_t scratchpad = 0;
  for (const AttentionPlan::Tile &t : plan.tiles)
    for (const dnnl::matmul::primitive_desc *desc :
         {&t.scores, &t.mix, &t.gather})
      if (*desc)
        scratchpad =
            std::max<uint64_t>(scratchpad, desc->scratchpad_desc().get_size());
  at.scratchpad = take(scratchpad);
  return at;
}

AttentionPlan planAttention(const LibraryCallDesc &call, unsigned threads) {
  const std::vector<int64_t> &shape = call.inputs[0].shape;
  AttentionPlan plan;
  plan.samples = shape[0];
  plan.tokens = shape[1];
  plan.heads = shape[3];
  plan.width = shape[4];
  plan.scale = float(call.floats[0]);
  plan.isGrad = call.op == LibraryOp::AttentionGrad;
  plan.isHalf = call.inputs[0].type == RP_BF16;
  size_t required = functionOf(call).inputs;
  if (floatInputs(call) > required)
    plan.biasRows = call.inputs[required].shape[0];
  if (!call.ints.empty()) {
    plan.stream = call.ints[0];
    plan.probability = float(call.floats[1]);
    plan.rest = float(1.0 - call.floats[1]);
  }
  plan.members =
      unsigned(std::min<int64_t>(threads, plan.samples * plan.heads));
  // Each product runs on its calling thread.
  ThreadScope alone(1);
  plan.tiles = planTiles(plan);
  plan.layout = layOut(plan);
  return plan;
}

std::string AttentionPlan::implementation() const {
  const Tile &tile = tiles.front();
  std::string text = "tiles of " + std::to_string(tile.pairs) + "x" +
                     std::to_string(tile.rows) + ": " +
                     tile.scores.impl_info_str() + ", " +
                     tile.mix.impl_info_str();
  if (isGrad)
    text += std::string(", ") + tile.gather.impl_info_str();
  return text;
}

std::vector<AttentionProducts> generateProducts(const AttentionPlan &plan) {
  ThreadScope alone(1); // as planned, see Winograd.cpp
  std::vector<AttentionProducts> products;
  for (const AttentionPlan::Tile &tile : plan.tiles) {
    AttentionProducts &p = products.emplace_back();
    p.scores = dnnl::matmul(tile.scores);
    p.mix = dnnl::matmul(tile.mix);
    if (plan.isGrad)
      p.gather = dnnl::matmul(tile.gather);
  }
  return products;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

BoundPrimitive BoundAttention::bind(const dnnl::primitive &primitive,
                                    const dnnl::matmul::primitive_desc &desc,
                                    char *base, uint64_t a, uint64_t b,
                                    uint64_t c) const {
  BoundPrimitive product{primitive};
  product.add(DNNL_ARG_SRC, desc.src_desc(), base + a);
  product.add(DNNL_ARG_WEIGHTS, desc.weights_desc(), base + b);
  product.add(DNNL_ARG_DST, desc.dst_desc(), base + c);
  product.addScratchpad(desc.scratchpad_desc(), base + plan.layout.scratchpad);
  return product;
}

BoundAttention::TileProducts
BoundAttention::bindTile(const AttentionPlan::Tile &tile,
                         const AttentionProducts &products, char *base) const {
  const AttentionPlan::Layout &at = plan.layout;
  TileProducts bound{tile.pairs, tile.rows, {}, {}, {}, {}, {}};
  bound.scores =
      bind(products.scores, tile.scores, base, at.q, at.k, at.scores);
  if (!plan.isGrad) {
    bound.mix = bind(products.mix, tile.mix, base, at.weights, at.v, at.out);
    return bound;
  }
  bound.mix = bind(products.mix, tile.mix, base, at.ds, at.k, at.out);
  bound.dp = bind(products.scores, tile.scores, base, at.dy, at.v, at.dp);
  bound.gatherV =
      bind(products.gather, tile.gather, base, at.weights, at.dy, at.dv);
  bound.gatherK = bind(products.gather, tile.gather, base, at.ds, at.q, at.dk);
  return bound;
}

BoundAttention::BoundAttention(const AttentionPlan &plan,
                               const std::vector<AttentionProducts> &products,
                               const std::vector<void *> &inputs,
                               const std::vector<void *> &outputs,
                               void *workspace)
    : plan(plan), inputs(inputs), outputs(outputs) {
  for (unsigned m = 0; m < plan.members; ++m) {
    Member &member = members.emplace_back();
    member.base = static_cast<char *>(workspace) + m * plan.layout.bytes;
    for (size_t t = 0; t < plan.tiles.size(); ++t)
      member.tiles.push_back(bindTile(plan.tiles[t], products[t], member.base));
  }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

BoundAttention::Pair BoundAttention::pairAt(int64_t number) const {
  int64_t rows = std::max<int64_t>(plan.biasRows, 1);
  int64_t samples = plan.samples / rows; // per row
  Pair pair;
  pair.biasRow = number / samples / plan.heads;
  pair.head = number / samples % plan.heads;
  pair.sample = number % samples * rows + pair.biasRow;
  return pair;
}

int64_t BoundAttention::firstPair(unsigned member) const {
  return plan.pairs() * member / plan.members;
}

/// The number of tokens ahead of the copied one that are prefetched: tokens of
/// one head are a row of all heads apart, which hardware prefetchers do not
/// predict.
static constexpr int64_t kTokensAhead = 12;

/// Prefetches `bytes` for reading or writing. The addresses need not exist.
template <int isWritten> static void askFor(const char *first, uint64_t bytes) {
  constexpr uint64_t kLine = 64;
  for (uint64_t i = 0; i < bytes; i += kLine)
    __builtin_prefetch(first + i, isWritten);
}

/// Copies a token's numbers of one head, mostly 32 or 64 of them.
static void copyNumbers(char *to, const char *from, uint64_t bytes) {
  constexpr uint64_t kLine = 64;
  for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine)
    std::memcpy(to, from, kLine);
  if (bytes)
    std::memcpy(to, from, bytes);
}

/// Copies `count` pairs' rows [row, row + rows) of part `part` of (samples,
/// tokens, parts, heads, width) into contiguous memory.
void BoundAttention::load(char *to, const char *from, int64_t parts,
                          int64_t part, int64_t first, int64_t count,
                          int64_t row, int64_t rows) {
  uint64_t bytes = (plan.isHalf ? 2 : 4) * plan.width;
  for (int64_t i = 0; i < count; ++i) {
    Pair pair = pairAt(first + i);
    int64_t token = pair.sample * plan.tokens + row;
    int64_t step = parts * plan.heads * bytes; // from token to token
    const char *next =
        from + token * step + (part * plan.heads + pair.head) * bytes;
    for (int64_t r = 0; r < rows; ++r, next += step, to += bytes) {
      askFor<0>(next + kTokensAhead * step, bytes);
      copyNumbers(to, next, bytes);
    }
  }
}

/// The inverse of load; `isWide`: from f32, rounded to bf16.
void BoundAttention::store(const char *from, bool isWide, char *to,
                           int64_t parts, int64_t part, int64_t first,
                           int64_t count, int64_t row, int64_t rows) {
  uint64_t bytes = (plan.isHalf ? 2 : 4) * plan.width;
  for (int64_t i = 0; i < count; ++i) {
    Pair pair = pairAt(first + i);
    int64_t token = pair.sample * plan.tokens + row;
    int64_t step = parts * plan.heads * bytes;
    char *target = to + token * step + (part * plan.heads + pair.head) * bytes;
    for (int64_t r = 0; r < rows; ++r, target += step) {
      askFor<1>(target + kTokensAhead * step, bytes);
      if (isWide) {
        roundRow(reinterpret_cast<const float *>(from),
                 reinterpret_cast<uint16_t *>(target), plan.width);
        from += 4 * plan.width;
      } else {
        copyNumbers(target, from, bytes);
        from += bytes;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static float *floats(char *base, uint64_t offset) {
  return reinterpret_cast<float *>(base + offset);
}

/// Returns the offset of a query's row of scores in a bias or its gradient.
static int64_t biasOffset(const AttentionPlan &plan, int64_t biasRow,
                          int64_t head, int64_t query) {
  return ((biasRow * plan.heads + head) * plan.tokens + query) * plan.tokens;
}

/// Returns the factors for the weights of a query if some are dropped,
/// otherwise null. Seed and step are the last inputs.
const float *BoundAttention::drawKept(Member &member, const Pair &pair,
                                      int64_t query) {
  if (plan.probability == 0)
    return nullptr;
  auto counter = [&](size_t behind) {
    return *static_cast<const int64_t *>(inputs[inputs.size() - behind]);
  };
  Draw draw{counter(2), counter(1), plan.stream, plan.probability, plan.rest};
  float *kept = floats(member.base, plan.layout.kept);
  int64_t row = (pair.sample * plan.heads + pair.head) * plan.tokens + query;
  drawRow(draw, row * plan.tokens, kept, plan.tokens);
  return kept;
}

void BoundAttention::softmaxRows(Member &member, const TileProducts &tile,
                                 int64_t first, int64_t row) {
  int64_t n = plan.tokens;
  float *x = floats(member.base, plan.layout.scores);
  auto *weights =
      reinterpret_cast<uint16_t *>(member.base + plan.layout.weights);
  // With dropout, weights are multiplied in f32 before rounding.
  bool dropsFirst = plan.isHalf && plan.probability > 0;
  uint16_t *rounded = plan.isHalf && !dropsFirst ? weights : nullptr;
  auto *lse = static_cast<float *>(outputs[1]);
  const float *bias =
      plan.biasRows ? static_cast<const float *>(inputs[1]) : nullptr;
  for (int64_t i = 0; i < tile.pairs; ++i) {
    Pair pair = pairAt(first + i);
    const float *added =
        bias ? bias + biasOffset(plan, pair.biasRow, pair.head, row) : nullptr;
    float *sums = lse + (pair.sample * plan.heads + pair.head) * n + row;
    rt::softmaxRows({x, rounded, added, sums, plan.scale, tile.rows}, n);
    if (rounded)
      rounded += tile.rows * n;
    for (int64_t query = row; query < row + tile.rows; ++query, x += n)
      if (const float *kept = drawKept(member, pair, query))
        multiplyRow(kept, x, n);
  }
  if (dropsFirst)
    roundRow(floats(member.base, plan.layout.scores), weights,
             tile.pairs * tile.rows * n);
}

/// Returns the place where a member accumulates the gradient of the pair's
/// bias: the result or, if an earlier member began there, a matrix of its own.
float *BoundAttention::biasGradient(Member &member, unsigned number,
                                    int64_t pair) {
  int64_t samples = plan.samples / plan.biasRows;
  int64_t begin = pair / samples * samples; // of the pairs with this bias
  if (begin < firstPair(number))
    return floats(member.base, plan.layout.dbias);
  return static_cast<float *>(outputs[1]) +
         pair / samples * plan.tokens * plan.tokens;
}

void BoundAttention::gradientRows(Member &member, unsigned number,
                                  const TileProducts &tile, int64_t first,
                                  int64_t row) {
  const AttentionPlan::Layout &at = plan.layout;
  int64_t n = plan.tokens, d = plan.width;
  uint64_t bytes = (plan.isHalf ? 2 : 4) * d;
  GradientRow work{};
  work.products = floats(member.base, at.scores);
  work.dp = floats(member.base, at.dp);
  work.scale = plan.scale;
  if (plan.isHalf) {
    work.weights = reinterpret_cast<uint16_t *>(member.base + at.weights);
    work.ds = reinterpret_cast<uint16_t *>(member.base + at.ds);
  }
  const char *dy = member.base + at.dy;
  for (int64_t i = 0; i < tile.pairs; ++i) {
    Pair pair = pairAt(first + i);
    auto *lse = static_cast<const float *>(inputs[2]) +
                (pair.sample * plan.heads + pair.head) * n;
    for (int64_t query = row; query < row + tile.rows; ++query, dy += bytes) {
      const char *y =
          static_cast<const char *>(inputs[1]) +
          ((pair.sample * n + query) * plan.heads + pair.head) * bytes;
      work.lse = lse[query];
      work.delta = plan.isHalf
                       ? dotRow(reinterpret_cast<const uint16_t *>(y),
                                reinterpret_cast<const uint16_t *>(dy), d)
                       : dotRow(reinterpret_cast<const float *>(y),
                                reinterpret_cast<const float *>(dy), d);
      if (plan.biasRows) {
        work.bias = static_cast<const float *>(inputs[4]) +
                    biasOffset(plan, pair.biasRow, pair.head, query);
        work.dbias = biasGradient(member, number, first + i) + query * n;
      }
      work.kept = drawKept(member, pair, query);
      gradientRow(work, n);
      work.products += n;
      work.dp += n;
      if (plan.isHalf) {
        work.weights += n;
        work.ds += n;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void BoundAttention::execute(Member &member, const BoundPrimitive &product,
                             dnnl::stream &stream) {
  dnnl_status_t status = product.execute(stream);
  if (status != dnnl_success)
    member.status = status;
}

void BoundAttention::runTile(Member &member, unsigned number,
                             TileProducts &tile, int64_t first, int64_t row,
                             dnnl::stream &stream) {
  const AttentionPlan::Layout &at = plan.layout;
  auto *qkv = static_cast<const char *>(inputs[0]);
  load(member.base + at.q, qkv, 3, 0, first, tile.pairs, row, tile.rows);
  execute(member, tile.scores, stream);
  if (!plan.isGrad) {
    softmaxRows(member, tile, first, row);
    execute(member, tile.mix, stream);
    return store(member.base + at.out, false, static_cast<char *>(outputs[0]),
                 1, 0, first, tile.pairs, row, tile.rows);
  }
  load(member.base + at.dy, static_cast<const char *>(inputs[3]), 1, 0, first,
       tile.pairs, row, tile.rows);
  execute(member, tile.dp, stream);
  gradientRows(member, number, tile, first, row);
  execute(member, tile.gatherV, stream);
  execute(member, tile.gatherK, stream);
  if (plan.sumsTiles()) {
    // Rounded here rather than by oneDNN, see Winograd.cpp.
    int64_t count = tile.pairs * plan.tokens * plan.width;
    addRow(floats(member.base, at.dk), floats(member.base, at.dkSum), count);
    addRow(floats(member.base, at.dv), floats(member.base, at.dvSum), count);
  }
  execute(member, tile.mix, stream);
  store(member.base + at.out, false, static_cast<char *>(outputs[0]), 3, 0,
        first, tile.pairs, row, tile.rows);
}

void BoundAttention::runPairs(Member &member, unsigned number, int64_t first,
                              int64_t count, dnnl::stream &stream) {
  const AttentionPlan::Layout &at = plan.layout;
  auto *qkv = static_cast<const char *>(inputs[0]);
  int64_t n = plan.tokens;
  load(member.base + at.k, qkv, 3, 1, first, count, 0, n);
  load(member.base + at.v, qkv, 3, 2, first, count, 0, n);
  bool isWide = plan.isGrad && plan.sumsTiles();
  if (isWide)
    for (uint64_t sum : {at.dkSum, at.dvSum})
      std::memset(member.base + sum, 0, size_t(4 * count * n * plan.width));
  for (int64_t row = 0; row < n;) {
    int64_t rows = std::min(plan.tiles.front().rows, n - row);
    auto tile = std::find_if(member.tiles.begin(), member.tiles.end(),
                             [&](const TileProducts &t) {
                               return t.pairs == count && t.rows == rows;
                             });
    runTile(member, number, *tile, first, row, stream);
    row += rows;
  }
  if (!plan.isGrad)
    return;
  auto *dqkv = static_cast<char *>(outputs[0]);
  bool isRounded = isWide && plan.isHalf;
  store(member.base + (isWide ? at.dkSum : at.dk), isRounded, dqkv, 3, 1, first,
        count, 0, n);
  store(member.base + (isWide ? at.dvSum : at.dv), isRounded, dqkv, 3, 2, first,
        count, 0, n);
}

void BoundAttention::runMember(unsigned number, dnnl::stream &stream) {
  Member &member = members[number];
  int64_t begin = firstPair(number), end = firstPair(number + 1);
  if (plan.isGrad && plan.biasRows) {
    // The results that this member initializes, and its own matrix.
    int64_t samples = plan.samples / plan.biasRows;
    uint64_t matrix = plan.tokens * plan.tokens;
    int64_t from = (begin + samples - 1) / samples,
            to = (end + samples - 1) / samples;
    std::memset(static_cast<float *>(outputs[1]) + from * matrix, 0,
                (to - from) * matrix * 4);
    std::memset(member.base + plan.layout.dbias, 0, matrix * 4);
  }
  int64_t usual = plan.tiles.front().pairs;
  for (int64_t first = begin; first < end;) {
    int64_t count = end - first >= usual ? usual : 1;
    runPairs(member, number, first, count, stream);
    first += count;
  }
}

/// Adds the members' own matrices, in order.
void BoundAttention::sumBiasGradients() {
  int64_t samples = plan.samples / plan.biasRows;
  int64_t matrix = plan.tokens * plan.tokens;
  for (unsigned m = 1; m < plan.members; ++m) {
    int64_t first = firstPair(m);
    if (first % samples == 0)
      continue;
    const float *own = floats(members[m].base, plan.layout.dbias);
    float *sum = static_cast<float *>(outputs[1]) + first / samples * matrix;
    for (int64_t i = 0; i < matrix; ++i)
      sum[i] += own[i];
  }
}

Status BoundAttention::run(dnnl::stream &stream) {
  for (Member &member : members)
    member.status = dnnl_success;
  struct Work {
    BoundAttention &call;
    dnnl::stream &stream;
  } work{*this, stream};
  ThreadScope::runMembers(
      [](void *context, unsigned member) {
        auto &w = *static_cast<Work *>(context);
        w.call.runMember(member, w.stream);
      },
      &work, plan.members);
  for (const Member &member : members)
    REPRISE_RETURN_IF_ERROR(statusOf(member.status));
  if (plan.isGrad && plan.biasRows)
    sumBiasGradients();
  return {};
}

} // namespace reprise::rt
