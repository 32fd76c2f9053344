//===- KernelSpace.cpp - The iteration space of a kernel ------------------===//

#include "reprise/Codegen/KernelSpace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace reprise;
using sg::tensorOf;

/// Returns the reduction that computes `value`, or null.
static ReductionOpInterface reductionOf(Value value) {
  return dyn_cast_or_null<ReductionOpInterface>(value.getDefiningOp());
}

static int64_t product(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

//===----------------------------------------------------------------------===//
// Grains
//===----------------------------------------------------------------------===//

/// A row of 1 KiB in f32 keeps the processor's prefetcher busy; narrower tiles
/// of wide rows ran at half the speed. More than two reductions would spill.
int64_t KernelSpace::tileColumns() const {
  int64_t columns = reductions().size() <= 2 ? 256 : 128;
  return std::max<int64_t>(columns, target.lanes);
}

int64_t KernelSpace::items() const {
  if (!hasReductions())
    return extents.size() == 1
               ? extents[0]
               : product(ArrayRef<int64_t>(extents).drop_back());
  int64_t kept = 1;
  for (auto [extent, isReduced] : llvm::zip(extents, reduced))
    kept *= isReduced ? 1 : extent;
  if (reducesLast())
    return kept;
  int64_t columns = extents.back();
  return columns == 0
             ? 0
             : kept / columns * llvm::divideCeil(columns, tileColumns());
}

int64_t KernelSpace::itemsPerGrain() const {
  int64_t total = product(extents), count = items();
  if (total == 0 || count == 0)
    return 1;
  return std::max<int64_t>(1, target.grainElements /
                                  llvm::divideCeil(total, count));
}

int64_t KernelSpace::grains() const {
  return std::max<int64_t>(1, llvm::divideCeil(items(), itemsPerGrain()));
}

bool KernelSpace::hasRows() const {
  return hasReductions() &&
         areTrailing(
             cast<ReductionOpInterface>(reductions().front()).getReducedDims(),
             shape.size());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult checkOp(Operation &op) {
  if (kernelRoleOf(&op) != KernelRole::None)
    return success();
  if (op.hasTrait<OpTrait::ConstantLike>())
    return op.emitOpError("in a kernel must be a splat; pass other constants "
                          "as operands");
  return op.emitOpError("cannot run in a kernel");
}

/// Returns true if a reader of a reduction's result finds it in registers: in
/// the row being processed, or at the same index of the kept values.
static bool readsAtHand(Operation *op, bool hasRows) {
  return isa<PointwiseOpInterface>(op) ||
         (hasRows && (isa<ReductionOpInterface>(op) || repeatsAlongRows(op)));
}

/// Checks the readers of the kernel's reductions and of values computed from
/// them.
static LogicalResult checkReaders(Block &body, const KernelSpace &space) {
  for (Operation &op : body.without_terminator()) {
    if (!space.work.before.contains(&op))
      continue;
    bool reads = llvm::any_of(op.getOperands(), [&](Value operand) {
      return space.work.passesBefore(operand) > 0;
    });
    if (!reads)
      continue;
    auto reduction = cast<ReductionOpInterface>(space.reductions().front());
    if (reduction.getReducedDims().empty())
      return op.emitOpError("reads a reduction over no dimensions of its own "
                            "kernel");
    if (!readsAtHand(&op, space.hasRows()))
      return op.emitOpError("moves what a reduction of its own kernel made")
             << (space.hasRows() ? " to other rows"
                                 : ", which is not over trailing dimensions");
  }
  return success();
}

static LogicalResult checkReductions(KernelSpace &space) {
  for (const KernelPass &pass : space.work.passes)
    for (Operation *op : pass.reductions) {
      if (tensorOf(op->getOperand(0)).getShape() !=
          ArrayRef<int64_t>(space.shape))
        return op->emitOpError("has another iteration space than its kernel");
      if (cast<ReductionOpInterface>(op).getReducedDims() !=
          cast<ReductionOpInterface>(space.reductions().front())
              .getReducedDims())
        return op->emitOpError("reduces other dimensions than its kernel");
    }
  return success();
}

/// Checks that every yielded value is a reduction, an op of a row, or has an
/// element for each index.
static LogicalResult checkOutputs(Block &body, const KernelSpace &space) {
  for (Value value : body.getTerminator()->getOperands()) {
    Operation *op = value.getDefiningOp();
    bool isOfRow = llvm::any_of(space.work.passes, [&](const KernelPass &pass) {
      return llvm::is_contained(pass.rowOps, op);
    });
    if (!reductionOf(value) && !isOfRow &&
        tensorOf(value).getShape() != ArrayRef<int64_t>(space.shape))
      return (op ? op : body.getTerminator())
          ->emitOpError("has another iteration space than its kernel");
  }
  return success();
}

/// The space of a kernel that reduces.
static FailureOr<KernelSpace> spaceOfReductions(Block &body,
                                                KernelPasses &&work) {
  KernelSpace space;
  space.work = std::move(work);
  Value first = space.reductions().front()->getOperand(0);
  space.shape = llvm::to_vector(tensorOf(first).getShape());
  for (Operation &op : body.without_terminator())
    space.ops.push_back(&op);
  if (failed(checkReductions(space)) || failed(checkOutputs(body, space)) ||
      failed(checkReaders(body, space)))
    return failure();
  return space;
}

/// Returns the ops that the yielded values `numbers` are computed from, in
/// order.
static SmallVector<Operation *> opsOf(Block &body, ArrayRef<unsigned> numbers) {
  llvm::SmallSetVector<Operation *, 16> needed;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      needed.insert(op);
  };
  for (unsigned i : numbers)
    add(body.getTerminator()->getOperand(i));
  for (size_t i = 0; i < needed.size(); ++i)
    llvm::for_each(needed[i]->getOperands(), add);
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (needed.contains(&op))
      ops.push_back(&op);
  return ops;
}

/// Returns a space for each stored shape.
static std::vector<KernelSpace> spacesOfStores(Block &body,
                                               const KernelPasses &work) {
  std::vector<KernelSpace> spaces;
  Operation *yield = body.getTerminator();
  for (unsigned i : work.passes.front().stored) {
    ArrayRef<int64_t> shape = tensorOf(yield->getOperand(i)).getShape();
    auto space = llvm::find_if(spaces, [&](const KernelSpace &each) {
      return ArrayRef<int64_t>(each.shape) == shape;
    });
    if (space == spaces.end()) {
      space = spaces.emplace(spaces.end());
      space->shape = llvm::to_vector(shape);
      space->work.passes.emplace_back();
    }
    space->work.passes.front().stored.push_back(i);
  }
  for (KernelSpace &space : spaces)
    space.ops = opsOf(body, space.work.passes.front().stored);
  return spaces;
}

static FailureOr<std::vector<KernelSpace>> readOutputs(Block &body) {
  Operation *yield = body.getTerminator();
  if (yield->getNumOperands() == 0)
    return yield->emitOpError("of a kernel needs a value");
  KernelPasses work = passesOf(body);
  if (work.passes.front().reductions.empty())
    return spacesOfStores(body, work);
  FailureOr<KernelSpace> space = spaceOfReductions(body, std::move(work));
  if (failed(space))
    return failure();
  std::vector<KernelSpace> spaces;
  spaces.push_back(std::move(*space));
  return spaces;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns true if `value`, the operand of a broadcast, is computed without
/// moving elements.
static bool isPlain(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return isa<PointwiseOpInterface>(op) &&
         llvm::all_of(op->getOperands(), isPlain);
}

/// Returns true if indices can be expressed in merged loops.
static bool allowsMerging(const KernelSpace &space) {
  return llvm::all_of(space.ops, [&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() ||
        isa<PointwiseOpInterface, ReductionOpInterface>(op))
      return true;
    bool spans =
        tensorOf(op->getResult(0)).getShape() == ArrayRef<int64_t>(space.shape);
    if (auto map = dyn_cast<IndexMapOpInterface>(op))
      return spans && isProjection(map) && isPlain(op->getOperand(0));
    return spans && cast<KernelOpInterface>(op).isLinear();
  });
}

static bool mergesWithNext(const KernelSpace &space, unsigned d) {
  return llvm::all_of(space.ops, [&](Operation *op) {
    auto moves = dyn_cast<IndexMapOpInterface>(op);
    if (!moves)
      return true;
    AffineMap map = moves.getIndexMap();
    std::optional<unsigned> a = resultAlong(map, d),
                            b = resultAlong(map, d + 1);
    return a.has_value() == b.has_value() && (!a || *a + 1 == *b);
  });
}

static void formLoops(KernelSpace &space) {
  SmallVector<bool> dimReduced(space.shape.size(), false);
  if (space.hasReductions())
    for (int64_t d : cast<ReductionOpInterface>(space.reductions().front())
                         .getReducedDims())
      dimReduced[d] = true;
  // The loops of a sum fix its order, so they follow from its shape alone and
  // not from the kernel's other operands.
  space.merged = !space.hasReductions() && allowsMerging(space);
  for (unsigned d = 0; d < space.shape.size(); ++d) {
    if (d && space.merged && mergesWithNext(space, d - 1)) {
      space.extents.back() *= space.shape[d];
    } else {
      space.extents.push_back(space.shape[d]);
      space.reduced.push_back(dimReduced[d]);
    }
    space.loopOf.push_back(space.extents.size() - 1);
  }
  if (space.extents.empty()) {
    space.merged = true;
    space.extents.push_back(1);
    space.reduced.push_back(space.hasReductions());
  }
}

namespace {

/// Decides for the values of a body whether lanes can be handled together;
/// examines each value once, since a value may have many readers.
class Lanes {
public:
  /// Returns true if the elements of `value` along its dimension `lane` can be
  /// handled together: they are contiguous in memory, or equal.
  bool areIn(Value value, std::optional<unsigned> lane) {
    if (!lane)
      return true;
    auto found = known.find({value, *lane});
    if (found != known.end())
      return found->second;
    bool answer = look(value, *lane);
    known[{value, *lane}] = answer;
    return answer;
  }

private:
  bool look(Value value, unsigned lane);

  llvm::DenseMap<std::pair<Value, unsigned>, bool> known;
};

} // namespace

bool Lanes::look(Value value, unsigned lane) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return product(tensorOf(value).getShape().drop_front(lane + 1)) == 1;
  // Its columns are contiguous; its operand is examined separately.
  if (isa<ReductionOpInterface>(op))
    return true;
  for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
    OperandLanes lanes = operandLanesOf(op, k, lane);
    if (!lanes.together || !areIn(operand, lanes.dim))
      return false;
  }
  return true;
}

/// Decides for values with one element for each kept index. If the last
/// dimension is reduced, these are scalars.
static bool canVectorizeKept(const KernelPass &pass, const KernelSpace &space,
                             Lanes &lanes) {
  return space.reduced.back() || llvm::all_of(pass.rowOps, [&](Operation *op) {
           Value result = op->getResult(0);
           return lanes.areIn(result, tensorOf(result).getRank() - 1);
         });
}

static bool canVectorize(Block &body, const KernelSpace &space) {
  if (space.merged || space.shape.empty())
    return true;
  unsigned last = space.shape.size() - 1;
  Lanes lanes;
  OperandRange yielded = body.getTerminator()->getOperands();
  return llvm::all_of(space.work.passes, [&](const KernelPass &pass) {
    return llvm::all_of(pass.reductions,
                        [&](Operation *op) {
                          return lanes.areIn(op->getOperand(0), last);
                        }) &&
           llvm::all_of(
               pass.stored,
               [&](unsigned i) { return lanes.areIn(yielded[i], last); }) &&
           canVectorizeKept(pass, space, lanes);
  });
}

FailureOr<std::vector<KernelSpace>>
reprise::readKernelSpaces(Block &body, const KernelShape &target) {
  for (Operation &op : body.without_terminator())
    if (failed(checkOp(op)))
      return failure();
  FailureOr<std::vector<KernelSpace>> spaces = readOutputs(body);
  if (failed(spaces))
    return failure();
  for (KernelSpace &space : *spaces) {
    space.target = target;
    formLoops(space);
    space.vectorized = canVectorize(body, space);
  }
  return spaces;
}
