//===- RowKernels.cpp - Kernels that read their own reductions ------------===//

#include "RowKernels.h"
#include "Repeats.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <functional>
#include <numeric>

using namespace mlir;
using namespace reprise;

/// Bytes of all operands' elements of one row that a core's caches hold from
/// one pass to the next.
static constexpr int64_t kLargestRow = 256 << 10;
/// The number of rows that keeps several threads busy.
static constexpr int64_t kLeastRows = 8;
/// The number of elements below which one thread is as fast as several.
static constexpr int64_t kSmallKernel = 16384;

/// The least factor by which a reduction's result is smaller than its operand
/// if keeping the result may be ignored.
static constexpr uint64_t kMuchReduced = 16;
/// The number of ops over which it may be ignored.
static constexpr unsigned kLongestWait = 48;
/// The largest number of reductions in one sweep over columns, each of which
/// holds accumulators for a whole tile.
static constexpr unsigned kMostSums = 4;

/// The largest number of reductions that depend on one another. Each pass
/// begins at the inputs, so the arithmetic grows with the square of this
/// number.
static constexpr unsigned kMostReductions = 3;

using Members = ArrayRef<unsigned>;

static int64_t product(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

GroupSpace reprise::spaceOf(const FlatGraph &graph, Members members) {
  GroupSpace space;
  space.shape = graph.ops[members.front()].space;
  for (unsigned member : members) {
    const FlatOp &op = graph.ops[member];
    if (op.role != KernelRole::Reduction)
      continue;
    space.reduction = op.op;
    space.shape = op.space;
    ArrayRef<int64_t> dims = cast<ReductionOpInterface>(op.op).getReducedDims();
    space.kept = shapeOf(op.op->getResult(0));
    space.hasRows = areTrailing(dims, op.space.size());
    break;
  }
  return space;
}

bool reprise::staysInRow(const FlatGraph &graph, const Edge &edge,
                         const GroupSpace &space) {
  const FlatOp &from = graph.ops[edge.from];
  if (edge.reading == Reading::InPlace)
    return from.role != KernelRole::Reduction || *space.kept != space.shape;
  return edge.reading == Reading::AlongRow && space.hasRows &&
         shapeOf(from.op->getResult(0)) == *space.kept;
}

/// Returns true if the reader depends on a pass over the row that `edge` comes
/// from.
static bool waitsForPass(const FlatGraph &graph, const Edge &edge) {
  return graph.ops[edge.from].role == KernelRole::Reduction;
}

bool reprise::readsOwnReduction(const FlatGraph &graph, Members members) {
  return llvm::any_of(members, [&](unsigned member) {
    return llvm::any_of(graph.ops[member].producers, [&](const Edge &edge) {
      return waitsForPass(graph, edge) &&
             llvm::binary_search(members, edge.from);
    });
  });
}

static bool readsOneElement(Operation *op) {
  unsigned last = shapeOf(op->getResult(0)).size() - 1;
  for (unsigned k = 0; k < op->getNumOperands(); ++k) {
    OperandLanes lanes = operandLanesOf(op, k, last);
    if (!lanes.together || lanes.dim)
      return false;
  }
  return true;
}

bool reprise::generateBesideSums(const FlatGraph &graph, Members members) {
  llvm::DenseSet<unsigned> generated;
  for (unsigned member : members) {
    const FlatOp &op = graph.ops[member];
    bool isGenerated = llvm::any_of(op.producers, [&](const Edge &edge) {
      return generated.contains(edge.from);
    });
    if (op.role == KernelRole::Generator) {
      if (!readsOneElement(op.op))
        return false;
      isGenerated = true;
    }
    if (isGenerated && op.role == KernelRole::Reduction)
      return false;
    if (isGenerated)
      generated.insert(member);
  }
  return true;
}

/// Returns the operands with an element for each index that no member computes.
static llvm::SetVector<Value> largeOperands(const FlatGraph &graph,
                                            Members members) {
  llvm::SetVector<Value> found;
  ArrayRef<int64_t> shape = spaceOf(graph, members).shape;
  for (unsigned member : members)
    for (Value operand : graph.ops[member].op->getOperands()) {
      Operation *op = operand.getDefiningOp();
      bool isOwn =
          op &&
          (graph.ops[graph.position.lookup(op)].role == KernelRole::Repeated ||
           llvm::binary_search(members, graph.position.lookup(op)));
      if (!isOwn && shapeOf(operand) == shape)
        found.insert(operand);
    }
  return found;
}

/// Returns the length of the longest chain of dependent reductions.
static unsigned longestChain(const FlatGraph &graph, Members members) {
  llvm::DenseMap<unsigned, unsigned> before;
  unsigned longest = 0;
  for (unsigned member : members) {
    unsigned count = graph.ops[member].role == KernelRole::Reduction;
    unsigned most = 0;
    for (const Edge &edge : graph.ops[member].producers)
      most = std::max(most, before.lookup(edge.from));
    before[member] = most + count;
    longest = std::max(longest, most + count);
  }
  return longest;
}

bool reprise::haveSumsThatFit(const FlatGraph &graph, Members members) {
  GroupSpace space = spaceOf(graph, members);
  if (!space.reduction)
    return true;
  auto isSum = [&](unsigned member) {
    return graph.ops[member].role == KernelRole::Reduction;
  };
  if (!space.hasRows && llvm::count_if(members, isSum) > kMostSums)
    return false;
  // Writes run once: they prevent no large value from being recomputed.
  bool writes = false, makes = false;
  for (unsigned member : members)
    for (Operation *user : graph.ops[member].op->getUsers()) {
      bool isWrite = user->getNumResults() == 0 &&
                     !user->hasTrait<OpTrait::IsTerminator>();
      writes |= isWrite;
      makes |= !isWrite && !isSum(member) &&
               graph.ops[member].space == space.shape &&
               !llvm::binary_search(members, graph.position.lookup(user)) &&
               repeatOf(graph, members, member) == Repeat::No;
    }
  return !(writes && makes);
}

bool reprise::haveRowsThatFit(const FlatGraph &graph, Members members) {
  GroupSpace space = spaceOf(graph, members);
  if (!space.hasRows)
    return true;
  int64_t rows = product(*space.kept), bytes = 0;
  for (Value operand : largeOperands(graph, members))
    bytes += sg::byteSize(operand.getType());
  bool isParallel = rows >= kLeastRows || product(space.shape) < kSmallKernel;
  return isParallel && longestChain(graph, members) <= kMostReductions &&
         bytes / rows <= kLargestRow;
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

/// Returns true if an op computes nothing of its own: views, reads, writes,
/// barriers.
static bool isFree(const FlatOp &op) {
  auto cost = dyn_cast<CostOpInterface>(op.op);
  return op.role == KernelRole::Repeated || op.op->getNumResults() == 0 ||
         (cost && cost.getKernelClass() == KernelClass::None);
}

/// Returns the position of the last op that reads the bytes of `value`.
static unsigned lastReader(const FlatGraph &graph, Value value) {
  unsigned last = 0;
  llvm::SmallVector<Value> open = {value};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      unsigned at = graph.position.lookup(user);
      last = std::max(last, at);
      if (isFree(graph.ops[at]))
        open.append(user->result_begin(), user->result_end());
    }
  return last;
}

namespace {
/// Live ranges of members' operands when the members become a kernel.
class Lives {
public:
  Lives(const FlatGraph &graph, Members members, Sums sums);

  /// Returns true if `operand` would be kept while other ops run.
  bool areLonger(Value operand) const;

private:
  bool isMember(unsigned at) const { return llvm::binary_search(members, at); }
  bool isNeededLate(Value operand) const;
  bool crosses(Value value, uint64_t bytes) const;
  unsigned lastOutside(Value operand) const;

  const FlatGraph &graph;
  Members members;
  /// True if all operands are read where sums of columns run in any case, with
  /// their derived values or without; and the place of that run.
  bool runsAnyway;
  unsigned sumsRun = 0;
  /// Members that a reduction of another must precede.
  llvm::DenseSet<unsigned> waiting;
  /// Those, and the values they read element by element, whose inputs are
  /// needed by then however kernels are cut.
  llvm::DenseSet<unsigned> late;
};
} // namespace

Lives::Lives(const FlatGraph &graph, Members members, Sums sums)
    : graph(graph), members(members),
      runsAnyway(sums == Sums::AreOneKernel &&
                 !spaceOf(graph, members).hasRows) {
  ArrayRef<int64_t> shape = spaceOf(graph, members).shape;
  for (unsigned member : members)
    for (const Edge &edge : graph.ops[member].producers)
      if (isMember(edge.from) &&
          (waitsForPass(graph, edge) || waiting.contains(edge.from)))
        waiting.insert(member);
  if (runsAnyway)
    for (unsigned member : members)
      if (!waiting.contains(member))
        sumsRun = member;
  for (unsigned member : llvm::reverse(members)) {
    const FlatOp &op = graph.ops[member];
    if (op.role == KernelRole::Reduction || op.space != shape)
      continue;
    if (waiting.contains(member))
      late.insert(member);
    if (late.contains(member))
      for (const Edge &edge : op.producers)
        if (edge.reading == Reading::InPlace)
          late.insert(edge.from);
  }
}

bool Lives::isNeededLate(Value operand) const {
  return llvm::any_of(operand.getUsers(), [&](Operation *user) {
    unsigned at = graph.position.lookup(user);
    return late.contains(at) && isMember(at);
  });
}

/// Returns true if waiting ops read `value` or as many bytes derived from it: a
/// mask would be smaller to keep.
bool Lives::crosses(Value value, uint64_t bytes) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    unsigned at = graph.position.lookup(user);
    if (!isMember(at) || !late.contains(at))
      return false;
    if (waiting.contains(at))
      return sg::byteSize(value.getType()) >= bytes;
    return crosses(user->getResult(0), bytes);
  });
}

/// Returns the position of the last op outside the members that computes or
/// reads it.
unsigned Lives::lastOutside(Value operand) const {
  Operation *op = operand.getDefiningOp();
  unsigned last = op ? graph.position.lookup(op) : 0;
  for (Operation *user : operand.getUsers())
    if (unsigned at = graph.position.lookup(user); !isMember(at))
      last = std::max(last, at);
  return last;
}

bool Lives::areLonger(Value operand) const {
  if (!isNeededLate(operand))
    for (unsigned at = std::max(lastReader(graph, operand), sumsRun) + 1;
         at < members.back(); ++at)
      if (!isFree(graph.ops[at]) && !isMember(at))
        return true;
  if (runsAnyway || crosses(operand, sg::byteSize(operand.getType())))
    return false;
  // Ops that depend on it alone could run before the other operands exist.
  unsigned last = lastOutside(operand);
  return llvm::any_of(members, [&](unsigned member) {
    return llvm::any_of(graph.ops[member].producers, [&](const Edge &edge) {
      return edge.from > last && !isMember(edge.from) &&
             graph.ops[edge.from].op->getNumOperands() > 0;
    });
  });
}

/// Returns true if a reduction computed it from so much more data that keeping
/// it for a few ops is negligible.
static bool isMuchReduced(Value value) {
  auto reduction = value.getDefiningOp<ReductionOpInterface>();
  return reduction && sg::byteSize(reduction->getOperand(0).getType()) >=
                          kMuchReduced * sg::byteSize(value.getType());
}

bool reprise::keepOperandsLonger(const FlatGraph &graph, Members members,
                                 Sums sums) {
  Lives lives(graph, members, sums);
  bool hasRows = spaceOf(graph, members).hasRows;
  return llvm::any_of(largeOperands(graph, members), [&](Value operand) {
    bool mayWait = !hasRows && isMuchReduced(operand) &&
                   lastReader(graph, operand) + kLongestWait >= members.back();
    return !mayWait && lives.areLonger(operand);
  });
}
