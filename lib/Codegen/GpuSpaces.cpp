//===- GpuSpaces.cpp - Division of a kernel among threads -----------------===//
//
// A thread computes all its results at once, with all loads before any store,
// since results may overlap operands. So only stores that share elements belong
// together: a union-find partitions the stores of a space by arguments of its
// size and by computed elements that they share.
//
//===----------------------------------------------------------------------===//

#include "GpuSpaces.h"
#include "GpuAttention.h"
#include "KernelParts.h"
#include "reprise/Codegen/GpuKernels.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <functional>
#include <numeric>

using namespace mlir;
using namespace reprise;
using sg::tensorOf;

static int64_t elementsOf(const KernelSpace &space) {
  return std::accumulate(space.shape.begin(), space.shape.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

llvm::SmallSetVector<Value, 16> reprise::valuesOf(Value value) {
  llvm::SmallSetVector<Value, 16> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i)
    if (Operation *op = values[i].getDefiningOp())
      for (Value operand : op->getOperands())
        values.insert(operand);
  return values;
}

/// Returns true if stores that both need the value belong together: it is an
/// argument that a result may be placed over, or has elements to compute.
static bool joins(Value value, int64_t elements) {
  if (tensorOf(value).getNumElements() != elements)
    return false;
  Operation *op = value.getDefiningOp();
  return !op || kernelRoleOf(op) != KernelRole::Repeated;
}

/// Returns the numbers of a space's stores, grouped by those that belong
/// together.
static std::vector<SmallVector<unsigned>> partStores(Block &body,
                                                     const KernelSpace &space) {
  ArrayRef<unsigned> stored = space.work.passes.front().stored;
  int64_t elements = elementsOf(space);
  llvm::EquivalenceClasses<unsigned> together;
  llvm::DenseMap<Value, unsigned> first;
  for (unsigned i : stored) {
    together.insert(i);
    for (Value value : valuesOf(body.getTerminator()->getOperand(i))) {
      if (!joins(value, elements))
        continue;
      auto [at, isNew] = first.insert({value, i});
      if (!isNew)
        together.unionSets(at->second, i);
    }
  }
  llvm::MapVector<unsigned, SmallVector<unsigned>> parts;
  for (unsigned i : stored)
    parts[together.getLeaderValue(i)].push_back(i);
  std::vector<SmallVector<unsigned>> result;
  for (auto &[leader, part] : parts)
    result.push_back(std::move(part));
  return result;
}

/// Returns the number of neighbours that a thread handles. In a pointwise
/// space, 16 bytes of the widest tensor with such rows: with more, the lanes of
/// a warp would load with gaps. In a reduction they determine the order of
/// sums, which must not depend on the kernel's other ops, so they follow from
/// the shape alone. Rows are a whole number of them.
static int64_t chooseLanes(Block &body, const KernelSpace &space) {
  int64_t columns = space.extents.back();
  int64_t divisor = std::max<int64_t>(1, columns & -columns);
  unsigned bits = 16;
  bool isOrder = space.hasReductions();
  if (isOrder)
    return std::min<int64_t>(128 / 32, divisor);
  if (!space.vectorized)
    return 1;
  auto look = [&](Value value) {
    RankedTensorType type = tensorOf(value);
    if (type.getRank() && !space.shape.empty() &&
        type.getShape().back() == space.shape.back())
      bits = std::max(bits, type.getElementTypeBitWidth());
  };
  llvm::for_each(body.getArguments(), look);
  llvm::for_each(body.getTerminator()->getOperands(), look);
  return std::min<int64_t>(128 / bits, divisor);
}

/// Returns the whole row if its stored elements fit in one access: a thread
/// with less of it would store in pieces.
static int64_t chooseNeighbours(Block &body, const GpuSpace &space) {
  int64_t columns = space.extents.back();
  bool isPower = columns > 0 && (columns & (columns - 1)) == 0;
  if (space.vectorized || space.merged || !space.staged.empty() || !isPower)
    return 1;
  unsigned bits = 8; // an i1
  for (unsigned i : space.work.passes.front().stored)
    bits = std::max(
        bits,
        tensorOf(body.getTerminator()->getOperand(i)).getElementTypeBitWidth());
  return columns * bits <= 128 ? columns : 1;
}

/// Chooses a tile of four elements for each thread; warps along either side
/// where its extent allows it.
static GpuTile stagedTileOf(int64_t rows, int64_t columns) {
  constexpr int64_t elements = 4 * kBlockThreads;
  auto side = [](int64_t extent, int64_t most) {
    if (extent <= most)
      return extent;
    return std::max<int64_t>(1, most / kWarpThreads * kWarpThreads);
  };
  GpuTile tile;
  tile.rows = side(rows, kWarpThreads);
  tile.columns = side(columns, elements / tile.rows);
  tile.rows = side(rows, elements / tile.columns);
  return tile;
}

/// Returns the map by which each argument is read for an index of the stored
/// values, through ops that compute element by element or move elements. Null
/// if there are two maps.
static llvm::MapVector<BlockArgument, AffineMap>
mapsOfArguments(Block &body, const KernelSpace &space) {
  llvm::MapVector<BlockArgument, AffineMap> arguments;
  llvm::DenseMap<Value, AffineMap> seen;
  SmallVector<std::pair<Value, AffineMap>> left;
  AffineMap identity = AffineMap::getMultiDimIdentityMap(
      space.shape.size(), body.getParentOp()->getContext());
  for (unsigned i : space.work.passes.front().stored)
    left.push_back({body.getTerminator()->getOperand(i), identity});
  while (!left.empty()) {
    auto [value, map] = left.pop_back_val();
    auto [at, isNew] = seen.insert({value, map});
    if (!isNew && (!at->second || at->second == map))
      continue;
    if (!isNew)
      at->second = map = AffineMap(); // two maps
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      arguments[argument] = map;
      continue;
    }
    Operation *op = value.getDefiningOp();
    auto moves = dyn_cast<IndexMapOpInterface>(op);
    if (map && moves)
      left.push_back({op->getOperand(0), moves.getIndexMap().compose(map)});
    else
      for (Value operand : op->getOperands())
        left.push_back(
            {operand, isa<PointwiseOpInterface>(op) ? map : AffineMap()});
  }
  return arguments;
}

/// Returns true if an argument's dimensions are those of the stored values, in
/// another order, and not parts of longer ones.
static bool isTransposed(BlockArgument argument, AffineMap map,
                         const KernelSpace &space) {
  if (!map || !map.isPermutation() || map.getNumResults() < 2)
    return false;
  for (auto [d, extent] : llvm::enumerate(tensorOf(argument).getShape()))
    if (extent != space.shape[map.getDimPosition(d)])
      return false;
  return true;
}

/// Finds the arguments to stage: transposed ones whose last dimension follows
/// one loop, the same for all, that is not the last. `room`: bytes of shared
/// memory that the kernel has left; arguments that do not fit are loaded with
/// gaps.
static void stageArguments(Block &body, GpuSpace &space, int64_t &room) {
  if (space.merged)
    return;
  for (auto &[argument, map] : mapsOfArguments(body, space)) {
    if (!isTransposed(argument, map, space) ||
        tensorOf(argument).getElementType().isInteger(1))
      continue;
    unsigned along = map.getDimPosition(map.getNumResults() - 1);
    bool isApart = along + 1 < space.extents.size() &&
                   space.extents[along] > 1 && space.extents.back() > 1;
    if (!isApart || (!space.staged.empty() && space.along != along))
      continue;
    GpuTile tile = stagedTileOf(space.extents[along], space.extents.back());
    int64_t bytes = (tile.rows | 1) * tile.columns *
                    tensorOf(argument).getElementTypeBitWidth() / 8;
    if (bytes > room)
      continue;
    room -= bytes;
    space.along = along;
    space.staged.push_back({argument.getArgNumber(), map});
  }
  if (!space.staged.empty())
    space.vectorized = false;
}

FailureOr<std::vector<GpuSpace>> reprise::readGpuSpaces(Block &body) {
  FailureOr<std::vector<KernelSpace>> read =
      readKernelSpaces(body, KernelShape());
  if (failed(read))
    return failure();
  std::vector<GpuSpace> spaces;
  // Every device has 48 KiB.
  int64_t room = 40 << 10;
  for (KernelSpace &space : *read) {
    space.target.lanes = chooseLanes(body, space);
    space.vectorized &= space.target.lanes > 1;
    if (space.hasReductions()) {
      spaces.emplace_back(std::move(space));
      continue;
    }
    for (SmallVector<unsigned> &part : partStores(body, space)) {
      GpuSpace &own = spaces.emplace_back(space);
      own.work.passes.front().stored = std::move(part);
      stageArguments(body, own, room);
      own.neighbours = chooseNeighbours(body, own);
    }
  }
  return spaces;
}

//===----------------------------------------------------------------------===//
// Blocks and threads
//===----------------------------------------------------------------------===//

/// Chooses up to a warp of columns, and rows of threads as long as each has
/// several rows to add. This is the order of sums, so it depends only on the
/// shape.
static GpuTile tileOf(int64_t columns, int64_t swept) {
  constexpr int64_t least = 4;
  GpuTile tile;
  while (tile.columns < std::min<int64_t>(columns, kWarpThreads))
    tile.columns *= 2;
  while (tile.columns * tile.rows < kBlockThreads &&
         tile.rows * 2 * least <= swept)
    tile.rows *= 2;
  // Whole warps.
  while (tile.columns * tile.rows < kWarpThreads)
    tile.rows *= 2;
  return tile;
}

/// The most blocks in a group of those that share columns.
static constexpr int64_t kMostInGroup = 32;

/// Returns the number of blocks that share the rows of columns: more than one
/// if fewer blocks would leave a device idle and each thread still has several
/// rows. Depends only on the shape, as the tile does. Four blocks on each of
/// about 130 multiprocessors run at once; the work besides the sweep would take
/// twice as long if they did not.
static int64_t partsOf(const GpuShape &shape, const GpuSpace &space) {
  constexpr int64_t blocks = 512, least = 16;
  auto isStored = [](Operation *op) {
    return accumulatorType(op).getIntOrFloatBitWidth() >= 32;
  };
  if (!llvm::all_of(space.reductions(), isStored))
    return 1;
  // The bound is in vectors, whether or not the kernel has them; without
  // vectors there are up to four times as many blocks, with counters for them
  // and for their groups: for each column at most twice a 32nd of its parts.
  static_assert(4 * (blocks + 2 * blocks / kMostInGroup) <= kMostCounters);
  int64_t columns = shape.kept * llvm::divideCeilSigned(space.extents.back() /
                                                            space.target.lanes,
                                                        shape.tile.columns);
  return std::max<int64_t>(1,
                           std::min(blocks / std::max<int64_t>(1, columns),
                                    shape.swept / (shape.tile.rows * least)));
}

GpuShape::GpuShape(const GpuSpace &space)
    : isPointwise(!space.hasReductions()), isStaged(!space.staged.empty()),
      reducesLast(space.reducesLast()) {
  for (unsigned d = 0; d + 1 < space.extents.size(); ++d) {
    if (isStaged && d == space.along)
      continue;
    (space.reduced[d] ? reducedLoops : keptLoops).push_back(d);
    (space.reduced[d] ? swept : kept) *= space.extents[d];
  }
  width = reducesLast ? space.target.lanes
                      : std::max(space.lanes(), space.neighbours);
  vectors = space.extents.back() / width;
  scalars = width / space.lanes();
  constexpr int64_t looks = 8;
  isWide = reducesLast && swept * vectors > looks * kWarpThreads;
  if (!isPointwise && !reducesLast) {
    tile = tileOf(space.extents.back() / space.target.lanes, swept);
    parts = partsOf(*this, space);
    groups = llvm::divideCeilSigned(parts, kMostInGroup);
    parts -= parts % groups;
    columns = space.extents.back();
  }
  if (!isStaged)
    return;
  tile = stagedTileOf(space.extents[space.along], space.extents.back());
  tileRows = llvm::divideCeilSigned(space.extents[space.along], tile.rows);
  tileColumns = llvm::divideCeilSigned(space.extents.back(), tile.columns);
}

GpuGrid GpuShape::grid() const {
  constexpr int64_t warps = kBlockThreads / kWarpThreads;
  if (isStaged)
    return {
        kept * tileRows * tileColumns,
        std::min<int64_t>(kBlockThreads, llvm::alignTo(tile.rows * tile.columns,
                                                       kWarpThreads))};
  if (isPointwise) {
    int64_t count = kept * vectors;
    int64_t threads = std::clamp<int64_t>(llvm::alignTo(count, kWarpThreads),
                                          kWarpThreads, kBlockThreads);
    return {llvm::divideCeilSigned(count, threads), threads};
  }
  if (reducesLast)
    return {isWide ? kept : llvm::divideCeilSigned(kept, warps), kBlockThreads};
  return {kept * llvm::divideCeilSigned(vectors, tile.columns) * parts,
          tile.columns * tile.rows};
}

int64_t GpuShape::offsetOfParts(ArrayRef<Operation *> reductions,
                                size_t which) const {
  if (parts == 1)
    return 0;
  int64_t bytes = 0;
  for (Operation *op : reductions.take_front(which))
    bytes += llvm::alignTo(parts * kept * columns *
                               accumulatorType(op).getIntOrFloatBitWidth() / 8,
                           kAlignment);
  return bytes;
}

int64_t reprise::workspaceBytesOf(ArrayRef<GpuSpace> spaces) {
  int64_t bytes = 0;
  for (const GpuSpace &space : spaces)
    bytes += GpuShape(space).workspaceBytes(space.reductions());
  return bytes;
}

GpuGrid reprise::gridOf(ArrayRef<GpuSpace> spaces) {
  GpuGrid grid = {0, kWarpThreads};
  for (const GpuSpace &space : spaces) {
    GpuGrid own = GpuShape(space).grid();
    grid.blocks += own.blocks;
    grid.threads = std::max(grid.threads, own.threads);
  }
  grid.blocks = std::max<int64_t>(grid.blocks, 1);
  return grid;
}

//===----------------------------------------------------------------------===//
// Facts for the planner
//===----------------------------------------------------------------------===//

/// Returns true if stores of another space read the data that the output would
/// be placed over: the threads that store the output may run first.
static bool isReadElsewhere(Block &body, ArrayRef<GpuSpace> spaces,
                            unsigned output, unsigned input) {
  Value argument = body.getArgument(input);
  return llvm::any_of(spaces, [&](const KernelSpace &space) {
    ArrayRef<unsigned> stored = space.work.passes.front().stored;
    return !llvm::is_contained(stored, output) &&
           llvm::any_of(stored, [&](unsigned i) {
             return valuesOf(body.getTerminator()->getOperand(i))
                 .contains(argument);
           });
  });
}

/// Analyzes an attention, which never stores over its operands.
static FailureOr<KernelTraits> analyzeAttention(Block &body, Operation *op) {
  if (failed(checkGpuAttention(body)))
    return failure();
  AttentionShape shape{AttentionForm(op)};
  KernelTraits traits;
  traits.grains = shape.grid().blocks;
  traits.workspaceBytes = shape.workspaceBytes();
  traits.multipliesNarrow = shape.usesTensorCores;
  return traits;
}

FailureOr<KernelTraits> reprise::analyzeGpuKernel(Block &body) {
  if (Operation *op = attentionIn(body))
    return analyzeAttention(body, op);
  FailureOr<KernelTraits> traits = analyzeKernel(body, KernelShape());
  FailureOr<std::vector<GpuSpace>> spaces = readGpuSpaces(body);
  if (failed(traits) || failed(spaces))
    return failure();
  traits->grains = gridOf(*spaces).blocks;
  traits->workspaceBytes = workspaceBytesOf(*spaces);
  if (spaces->size() > 1)
    llvm::erase_if(traits->inPlace, [&](std::pair<unsigned, unsigned> pair) {
      return isReadElsewhere(body, *spaces, pair.first, pair.second);
    });
  return traits;
}
