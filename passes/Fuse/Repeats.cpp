//===- Repeats.cpp - Values that readers recompute ------------------------===//

#include "Repeats.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;

/// The number of ops that a reader may recompute instead of loading their
/// result: from one value, and from values that it reads anyway.
static constexpr unsigned kLongestChain = 6, kLongestAtHand = 12;
/// The number of elements below which storing a value costs almost nothing.
static constexpr int64_t kSmallValue = 4096;

using Members = ArrayRef<unsigned>;

static const FlatOp &flat(const FlatGraph &graph, Operation *op) {
  return graph.ops[graph.position.lookup(op)];
}

/// Returns true if every reader is an op of a kernel of the same phase that
/// reads the value in place.
static bool readersCanRepeat(const FlatGraph &graph, unsigned member) {
  const FlatOp &own = graph.ops[member];
  return llvm::all_of(own.op->getUsers(), [&](Operation *user) {
    const FlatOp &reader = flat(graph, user);
    return (reader.role == KernelRole::Pointwise ||
            reader.role == KernelRole::Reduction) &&
           reader.phase == own.phase;
  });
}

/// Values marked to be kept are computed once and returned.
static bool isCheap(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return kernel && isa<PointwiseOpInterface>(op) && kernel.isCheap() &&
         !op->hasAttr(sg::SgDialect::kKeepAttr);
}

/// Returns true if an op moves whole rows: a reader may do so too.
static bool movesRows(const FlatGraph &graph, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (flat(graph, op).role != KernelRole::Generator ||
      op->getNumOperands() != 1 || type.getRank() == 0 ||
      op->hasAttr(sg::SgDialect::kKeepAttr))
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  OperandLanes lanes = operandLanesOf(op, 0, type.getRank() - 1);
  return from && from.getShape().back() == type.getShape().back() &&
         lanes.together && lanes.dim == unsigned(from.getRank() - 1);
}

/// Follows the operands of `op` inside its kernel. Returns false if they are
/// not a short, cheap chain.
static bool followChain(const FlatGraph &graph, Members members, Operation *op,
                        CheapChain &chain) {
  bool moves = movesRows(graph, op);
  if ((!isCheap(op) && !moves) || ++chain.length > kLongestAtHand)
    return false;
  chain.moves |= moves;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *from = operand.getDefiningOp();
    if (from && flat(graph, from).role == KernelRole::Repeated) {
      // An operand moved by the reader itself is a tensor that it reads.
      if (kernelRoleOf(from) == KernelRole::Generator)
        chain.leaves.insert(from->getOperand(0));
      return true;
    }
    auto isMember = [&](Operation *op) {
      return llvm::binary_search(members, graph.position.lookup(op));
    };
    // A moved value that other kernels read is stored anyway.
    bool isHandedOut = from &&
                       flat(graph, from).role == KernelRole::Generator &&
                       !llvm::all_of(from->getUsers(), isMember);
    if (from && isMember(from) && !isHandedOut)
      return followChain(graph, members, from, chain);
    chain.leaves.insert(operand);
    return true;
  });
}

std::optional<CheapChain> reprise::chainOf(const FlatGraph &graph,
                                           Members members, unsigned member) {
  const FlatOp &own = graph.ops[member];
  auto type = cast<RankedTensorType>(own.op->getResult(0).getType());
  if (own.role != KernelRole::Pointwise ||
      type.getNumElements() < kSmallValue || !readersCanRepeat(graph, member))
    return std::nullopt;
  CheapChain chain;
  if (!followChain(graph, members, own.op, chain))
    return std::nullopt;
  return chain;
}

/// Returns true if an op's result has wider elements than its operand.
static bool isWidening(Operation *op) {
  if (!isCheap(op) || op->getNumOperands() != 1)
    return false;
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  return from && to && from.getWidth() < to.getWidth();
}

Repeat reprise::repeatOf(const FlatGraph &graph, Members members,
                         unsigned member) {
  if (!readersCanRepeat(graph, member))
    return Repeat::No;
  std::optional<CheapChain> chain = chainOf(graph, members, member);
  Type type = graph.ops[member].op->getResult(0).getType();
  // Only part of a moved value may be read.
  auto isNoLarger = [&](Value leaf) {
    return !chain->moves || sg::byteSize(leaf.getType()) <= sg::byteSize(type);
  };
  if (chain && chain->leaves.size() <= 1 && chain->length <= kLongestChain &&
      llvm::all_of(chain->leaves, isNoLarger))
    return Repeat::Chain;
  return isWidening(graph.ops[member].op) ? Repeat::Widening : Repeat::No;
}
