//===- GpuAttention.cpp - How blocks of a GPU share an attention ----------===//

#include "GpuAttention.h"
#include "GpuProduct.h"
#include "TileProduct.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Codegen/GpuKernels.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

AttentionForm::AttentionForm(const sg::AttentionParts &parts) : parts(parts) {
  auto type = typeOf(parts.qkv);
  samples = type.getDimSize(0);
  tokens = type.getDimSize(1);
  heads = type.getDimSize(3);
  width = type.getDimSize(4);
  element = type.getElementType();
  isGrad = parts.isGrad;
  scale = parts.scale;
  probability = parts.probability;
  stream = parts.stream;
  if (parts.bias)
    biasRows = typeOf(parts.bias).getDimSize(0);
}

/// A row of a tile is at most so long.
static constexpr int64_t kMostWidth = 128;

std::string reprise::whyNoGpuAttention(const AttentionForm &form) {
  if (!form.element.isF32() && !form.element.isBF16() && !form.element.isF16())
    return "numbers are neither f32 nor bf16 nor f16";
  if (form.width > kMostWidth)
    return "heads of " + std::to_string(form.width) +
           " numbers are wider than " + std::to_string(kMostWidth);
  return "";
}

bool reprise::runsAsGpuKernel(Operation *op) {
  std::optional<sg::AttentionParts> parts = sg::attentionParts(op);
  if (!parts)
    return isGpuProduct(op);
  return whyNoGpuAttention(AttentionForm(*parts)).empty();
}

Operation *reprise::attentionIn(Block &body) {
  for (Operation &op : body.without_terminator())
    if (sg::attentionParts(&op))
      return &op;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Shared memory of a block that needs no leave from the driver.
static constexpr int64_t kSharedBytes = 48 << 10;

/// Tiles of queries or keys, of a sweep's rows and of its columns, then a tile
/// of weights.
static int64_t numbersOf(const AttentionShape &shape, const SweepShape &sweep) {
  bool isForward = sweep.sweep == AttentionSweep::Forward;
  int64_t tokens = (isForward ? 1 : 2) * sweep.rows + 2 * sweep.columns;
  return tokens * shape.pitchOf(shape.width) +
         sweep.rows * shape.pitchOf(sweep.columns);
}

/// With two f32 a query, and a counter's word.
static int64_t bytesOf(const AttentionShape &shape, const SweepShape &sweep) {
  int64_t number = shape.usesTensorCores ? 2 : 4;
  return number * numbersOf(shape, sweep) +
         4 * (2 * std::max(sweep.rows, sweep.columns) + 1);
}

/// The largest tiles that there is memory for, and no larger than a head.
static SweepShape tilesOf(const AttentionShape &shape, AttentionSweep which) {
  SweepShape sweep{which, 0, 0, 0, 0};
  int64_t tokens = shape.form.tokens;
  constexpr std::pair<int64_t, int64_t> sizes[] = {
      {64, 64}, {64, 32}, {32, 32}, {16, 16}};
  for (auto [rows, columns] : sizes) {
    sweep.rows = rows;
    sweep.columns = columns;
    bool isTooLarge = rows > 16 && rows >= 2 * tokens;
    if (!isTooLarge && bytesOf(shape, sweep) <= kSharedBytes)
      break;
  }
  sweep.rowTiles = llvm::divideCeilSigned(tokens, sweep.rows);
  sweep.columnTiles = llvm::divideCeilSigned(tokens, sweep.columns);
  return sweep;
}

/// Blocks that share the samples of a bias row, until all multiprocessors of a
/// large device have some.
static void shareSamples(SweepShape &sweep, const AttentionForm &form) {
  int64_t tiles =
      form.biasRows * form.heads * sweep.rowTiles * sweep.columnTiles;
  constexpr int64_t enough = 512;
  static_assert(enough <= kMostCounters);
  if (tiles <= enough) {
    int64_t samples = form.samples / form.biasRows;
    sweep.parts = std::min(enough / tiles, samples);
    // The last would have none.
    int64_t each = llvm::divideCeilSigned(samples, sweep.parts);
    sweep.parts = llvm::divideCeilSigned(samples, each);
  }
  sweep.blocks = tiles * sweep.parts;
}

AttentionShape::AttentionShape(const AttentionForm &form)
    : form(form), usesTensorCores(hasTensorCores(form.element)),
      width(llvm::alignTo(form.width, usesTensorCores ? 16 : 8)) {
  auto add = [&](AttentionSweep which) {
    sweeps.push_back(tilesOf(*this, which));
    sweeps.back().blocks = form.samples * form.heads * sweeps.back().rowTiles;
  };
  if (!form.isGrad) {
    add(AttentionSweep::Forward);
    return;
  }
  // Its blocks take longest, and are followed by many short ones.
  if (form.biasRows) {
    add(AttentionSweep::Bias);
    shareSamples(sweeps.back(), form);
  }
  add(AttentionSweep::Queries);
  add(AttentionSweep::Keys);
}

GpuGrid AttentionShape::grid() const {
  // All sweeps of a launch have as many rows in a tile.
  GpuGrid grid{0, usesTensorCores ? 2 * sweeps.front().rows : 128};
  for (const SweepShape &sweep : sweeps)
    grid.blocks += sweep.blocks;
  return grid;
}

int64_t AttentionShape::workspaceBytes() const {
  int64_t parts = sweeps.front().parts;
  if (parts == 1)
    return 0;
  return 4 * parts * form.biasRows * form.heads * form.tokens * form.tokens;
}

Type AttentionShape::numberType() const {
  return usesTensorCores ? form.element
                         : Type(Float32Type::get(form.element.getContext()));
}

int64_t AttentionShape::mostQueries() const {
  int64_t most = 0;
  for (const SweepShape &sweep : sweeps)
    most = std::max({most, sweep.rows, sweep.columns});
  return most;
}

int64_t AttentionShape::sharedNumbers() const {
  int64_t most = 0;
  for (const SweepShape &sweep : sweeps)
    most = std::max(most, numbersOf(*this, sweep));
  return most;
}
