//===- GpuAttention.cpp - Blocks of a GPU share an attention --------------===//

#include "GpuAttention.h"
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

/// The greatest length of a tile's row.
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
  return parts && whyNoGpuAttention(AttentionForm(*parts)).empty();
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

/// The shared memory of a block that does not require a larger limit from the
/// driver.
static constexpr int64_t kSharedBytes = 48 << 10;

/// Counts the numbers in tiles of queries or keys, both of a sweep's rows and
/// of its columns, and in a tile of weights.
static int64_t numbersOf(const AttentionShape &shape, const SweepShape &sweep) {
  bool isForward = sweep.sweep == AttentionSweep::Forward;
  int64_t tokens = (isForward ? 1 : 2) * sweep.rows + 2 * sweep.columns;
  return tokens * shape.pitchOf(shape.width) +
         sweep.rows * shape.pitchOf(sweep.columns);
}

/// The bytes of these numbers, of two f32 a query and of a counter's word.
static int64_t bytesOf(const AttentionShape &shape, const SweepShape &sweep) {
  int64_t number = shape.usesTensorCores ? 2 : 4;
  return number * numbersOf(shape, sweep) +
         4 * (2 * std::max(sweep.rows, sweep.columns) + 1);
}

/// Chooses the largest tiles that fit in memory and are no larger than a head.
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

/// Sets the blocks that share the samples of a bias row, so that all
/// multiprocessors of a large device have work.
static void shareSamples(SweepShape &sweep, const AttentionForm &form) {
  int64_t tiles =
      form.biasRows * form.heads * sweep.rowTiles * sweep.columnTiles;
  constexpr int64_t enough = 512;
  static_assert(enough <= kMostCounters);
  if (tiles <= enough) {
    int64_t samples = form.samples / form.biasRows;
    sweep.parts = std::min(enough / tiles, samples);
    // The last part would be empty.
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
  // Blocks of a bias take longest, so they start first and many short ones
  // follow.
  if (form.biasRows) {
    add(AttentionSweep::Bias);
    shareSamples(sweeps.back(), form);
  }
  add(AttentionSweep::Queries);
  add(AttentionSweep::Keys);
}

GpuGrid AttentionShape::grid() const {
  // All sweeps of a launch have the same number of rows in a tile.
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
