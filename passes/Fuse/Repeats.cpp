//===- Repeats.cpp - What readers compute again ---------------------------===//

#include "Repeats.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;

/// Ops that a reader may compute again instead of loading their result, from
/// one value and from what it reads in any case.
static constexpr unsigned kLongestChain = 6, kLongestAtHand = 12;
/// Elements below which storing a value costs nothing to speak of.
static constexpr int64_t kSmallValue = 4096;

using Members = ArrayRef<unsigned>;

static const FlatOp &flat(const FlatGraph &graph, Operation *op) {
  return graph.ops[graph.position.lookup(op)];
}

/// Whether every reader is a kernel's op of the same phase that reads the value
/// in place.
static bool readersCanRepeat(const FlatGraph &graph, unsigned member) {
  const FlatOp &own = graph.ops[member];
  return llvm::all_of(own.op->getUsers(), [&](Operation *user) {
    const FlatOp &reader = flat(graph, user);
    return (reader.role == KernelRole::Pointwise ||
            reader.role == KernelRole::Reduction) &&
           reader.phase == own.phase;
  });
}

/// What is marked to be kept is made once and handed out.
static bool isCheap(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return kernel && isa<PointwiseOpInterface>(op) && kernel.isCheap() &&
         !op->hasAttr(sg::SgDialect::kKeepAttr);
}

/// Whether an op takes whole rows from other places: a reader may do so too.
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

/// Follows what `op` is computed from inside its kernel. False when that is no
/// short, cheap chain.
static bool followChain(const FlatGraph &graph, Members members, Operation *op,
                        CheapChain &chain) {
  bool moves = movesRows(graph, op);
  if ((!isCheap(op) && !moves) || ++chain.length > kLongestAtHand)
    return false;
  chain.moves |= moves;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *from = operand.getDefiningOp();
    if (from && flat(graph, from).role == KernelRole::Repeated) {
      // What its reader moves in its place is a tensor to read.
      if (kernelRoleOf(from) == KernelRole::Generator)
        chain.leaves.insert(from->getOperand(0));
      return true;
    }
    auto isMember = [&](Operation *op) {
      return llvm::binary_search(members, graph.position.lookup(op));
    };
    // What others read as it was moved is there.
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

/// Whether an op gives wider numbers than it takes.
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
  // Of what is moved, a part may be taken.
  auto isNoLarger = [&](Value leaf) {
    return !chain->moves || sg::byteSize(leaf.getType()) <= sg::byteSize(type);
  };
  if (chain && chain->leaves.size() <= 1 && chain->length <= kLongestChain &&
      llvm::all_of(chain->leaves, isNoLarger))
    return Repeat::Chain;
  return isWidening(graph.ops[member].op) ? Repeat::Widening : Repeat::No;
}
