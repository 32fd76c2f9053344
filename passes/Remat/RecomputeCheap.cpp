//===- RecomputeCheap.cpp - Recompute cheap values at their readers -------===//
//
// Input:   a flat function of primitives and library ops.
// Output:  the same values; a value that a later phase reads is kept, or
//          recomputed from kept values by ops that take hardly any time in the
//          kernel that reads them.
// Method:  which values are kept is a minimum cut of bytes. Neighbouring ops of
//          one origin share their recomputed values.
// Cost:    a maximum flow over the values, and a walk.
// Fails:   where an option is not a pattern, a number of reads, or a target.
//
//===----------------------------------------------------------------------===//
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "reprise/Bridge/BudgetCurve.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Pattern.h"
#include "reprise/IR/Remat.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Plan/KeptValues.h"
#include "reprise/Target/Target.h"
#include "llvm/Support/FormatVariadic.h"

namespace reprise {
#define GEN_PASS_DEF_SGRECOMPUTECHEAP
#include "reprise/Passes/RematPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// Returns 0 if the number is not known.
static uint64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

/// Ops without an origin may be anywhere and cost nothing.
static bool isFree(Operation *op) { return !sg::hasOrigin(op); }

static bool isView(Operation *op) {
  auto remat = dyn_cast<remat::RematOpInterface>(op);
  return remat && remat.getRematViewSource() && isPure(op);
}

/// Returns true if recomputing the op in its reader's kernel takes hardly any
/// time: elementwise arithmetic, or moving elements.
static bool isCheap(Operation *op) {
  if (op->getNumResults() != 1 || !isPure(op) ||
      elementsOf(op->getResult(0)) == 0 ||
      op->hasAttr(sg::SgDialect::kKeepAttr))
    return false;
  bool isDraw = isa<RandomOpInterface>(op) && !isa<LibraryOpInterface>(op);
  if (isView(op) || isDraw)
    return true;
  switch (kernelRoleOf(op)) {
  case KernelRole::Pointwise:
  case KernelRole::Repeated:
    return true;
  case KernelRole::Generator: {
    auto cost = dyn_cast<CostOpInterface>(op);
    return cost && cost.getFlops() == 0;
  }
  default:
    return false;
  }
}

namespace {
/// The reads of a recomputation: the number of elements read from each value
/// that cannot be recomputed.
using Reads = llvm::SmallMapVector<Value, uint64_t, 4>;

/// An op that a library call may wait for.
struct PeerReader {
  /// The op that reads the value too, or begins with the same computation; and
  /// the op before which the call is then placed. Null: there is none.
  Operation *reader = nullptr, *behind = nullptr;
};

class Recomputer {
public:
  Recomputer(Block &block, ArrayRef<llvm::GlobPattern> keep, double mostReads)
      : block(block), keep(keep), mostReads(mostReads) {}

  void run() {
    number();
    markLaterReads();
    kept = plan::chooseKeptValues(values);
    waitForPeers();
    for (Operation &reader : llvm::make_early_inc_range(block))
      for (OpOperand &operand : reader.getOpOperands())
        operand.set(valueFor(operand.get(), &reader));
    eraseUnread();
  }

private:
  /// Returns true if `reader` runs in a later phase than the value's producer.
  /// The forward phase also has the optimizer's ops, which come last.
  static bool isFromBefore(Value value, Operation *reader) {
    Operation *op = value.getDefiningOp();
    Phase first = op ? sg::phaseOf(op) : Phase::Forward;
    Phase then = sg::phaseOf(reader);
    return first != then && first != Phase::Backward && then != Phase::Forward;
  }

  bool isKept(Operation *op) const {
    return llvm::any_of(keep, [&](const llvm::GlobPattern &pattern) {
      return isNamed(op, pattern);
    });
  }

  /// Returns the origin that `reader`'s values are recomputed for.
  sg::OriginAttr originFor(Operation *reader) const {
    auto it = borrows.find(reader);
    return it == borrows.end() ? sg::originOf(reader) : it->second;
  }

  Reads readsOf(Operation *op) const;
  unsigned depthOf(Operation *op) const;
  /// Numbers arguments, then results in program order.
  void number();
  void markLaterReads();
  bool isAbsent(Value value, Operation *reader) const;
  void waitForPeers();
  PeerReader findSums(Operation *call, Value value) const;
  PeerReader findPeer(Operation *call, Value value) const;
  Operation *findSame(Operation *op, Operation *reader) const;
  Operation *lastOf(Operation *peer, Operation *op, Attribute origin) const;
  Value valueFor(Value value, Operation *reader);
  SmallVector<Operation *> missingFor(Value value, Operation *reader) const;
  void eraseUnread();

  Block &block;
  ArrayRef<llvm::GlobPattern> keep;
  /// The largest number of elements that a recomputation may read, as a
  /// multiple of the value's own: otherwise a sum along a network of residual
  /// blocks would be recomputed from all of its terms.
  double mostReads;
  llvm::DenseMap<Value, uint32_t> numbers; // of values that cost bytes
  llvm::DenseMap<Value, Reads> reads;      // of values that may be recomputed
  /// The number of ops on the longest path to such a value from values that
  /// cannot be recomputed.
  llvm::DenseMap<Value, unsigned> depths;
  std::vector<plan::PassedValue> values;
  std::vector<bool> kept;
  /// Calls that read values recomputed for others.
  llvm::DenseMap<Operation *, sg::OriginAttr> borrows;
  /// The first op of a kernel that computes part of those values on its way.
  llvm::DenseMap<Operation *, Operation *> peers;
  /// Recomputed values, by the original and the origin they were recomputed
  /// for.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> again;
};
} // namespace

/// An op that only moves elements reads no more than its result has. A
/// recomputation for it belongs to another kernel, and counts if not even two
/// values may be read.
Reads Recomputer::readsOf(Operation *op) const {
  constexpr double two = 2;
  Reads all;
  bool isMove = kernelRoleOf(op) == KernelRole::Generator;
  uint64_t most = isMove ? elementsOf(op->getResult(0)) : UINT64_MAX;
  for (Value operand : op->getOperands()) {
    if (!numbers.contains(operand))
      continue;
    auto made = reads.find(operand);
    if (made != reads.end())
      for (auto [value, count] : made->second)
        all[value] = std::max(all[value], std::min(count, most));
    if (made == reads.end() || (isMove && mostReads < two))
      all[operand] = std::min(elementsOf(operand), most);
  }
  return all;
}

/// The largest number of successive ops in a recomputation: otherwise each
/// layer of a long network of such ops would recompute all layers before it.
/// ResNets, Swin and ViT have 13 to 24 such ops in a row.
static constexpr unsigned kMostDepth = 24;

unsigned Recomputer::depthOf(Operation *op) const {
  // Values computed from fewer elements count themselves: the smaller ones are
  // not kept in their place. Nor are the operands of casts.
  unsigned depth = 0;
  uint64_t own = elementsOf(op->getResult(0));
  for (Value operand : op->getOperands())
    if (elementsOf(operand) >= own)
      depth = std::max(depth, depths.lookup(operand));
  return depth + !(isView(op) || isa<sg::CastOp>(op));
}

/// Returns true for a barrier's result if the backward pass also reads the
/// barrier's operand: the value is in memory under that name in any case.
static bool isThereAgain(Value value) {
  auto barrier = value.getDefiningOp<sg::BarrierOp>();
  if (!barrier)
    return false;
  Value before = barrier.getInputs()[cast<OpResult>(value).getResultNumber()];
  return llvm::any_of(before.getUsers(), [&](Operation *user) {
    return user != barrier && sg::hasOrigin(user) &&
           sg::phaseOf(user) == Phase::Backward;
  });
}

void Recomputer::number() {
  auto add = [&](Value value, Operation *op) {
    plan::PassedValue passed;
    if (!isThereAgain(value))
      passed.bytes = remat::bytesOf(value.getType()).value_or(0);
    if (op && isCheap(op) && !isKept(op)) {
      Reads from = readsOf(op);
      uint64_t sum = 0;
      for (auto [read, count] : from)
        sum += count;
      unsigned depth = depthOf(op);
      passed.canRecompute =
          double(sum) <= mostReads * double(elementsOf(value));
      passed.canRecompute &= depth <= kMostDepth;
      if (passed.canRecompute) {
        reads[value] = std::move(from);
        depths[value] = depth;
      }
    }
    if (passed.canRecompute)
      for (Value operand : op->getOperands())
        if (auto it = numbers.find(operand); it != numbers.end())
          passed.operands.push_back(it->second);
    numbers[value] = values.size();
    values.push_back(std::move(passed));
  };
  for (BlockArgument argument : block.getArguments())
    add(argument, nullptr);
  for (Operation &op : block)
    if (!isFree(&op))
      for (Value result : op.getResults())
        add(result, &op);
}

/// Marks the values that later phases read; returned values exist in any case.
void Recomputer::markLaterReads() {
  for (Operation &reader : block)
    for (Value value : reader.getOperands()) {
      auto it = numbers.find(value);
      if (it == numbers.end())
        continue;
      plan::PassedValue &passed = values[it->second];
      if (reader.hasTrait<OpTrait::IsTerminator>())
        passed.bytes = 0;
      else if (isFromBefore(value, &reader))
        passed.isReadLater = true;
      // The user asked to keep the inputs of an annotated block.
      if (isa<sg::BarrierOp>(reader))
        passed.canRecompute = false;
    }
}

/// Returns true if the value no longer exists for the reader, which is of
/// another phase.
bool Recomputer::isAbsent(Value value, Operation *reader) const {
  auto it = numbers.find(value);
  return it != numbers.end() && isFromBefore(value, reader) &&
         !kept[it->second];
}

/// Returns the ops to clone for `value`, in program order.
SmallVector<Operation *> Recomputer::missingFor(Value value,
                                                Operation *reader) const {
  Attribute origin = originFor(reader);
  llvm::SetVector<Operation *> ops;
  ops.insert(value.getDefiningOp());
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (isAbsent(operand, reader) && !again.contains({operand, origin}))
        ops.insert(operand.getDefiningOp());
  SmallVector<Operation *> sorted(ops.begin(), ops.end());
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// Finds, after `call` and without another call in between, a reader of `value`
/// in the same phase, and sums of values derived from it.
PeerReader Recomputer::findSums(Operation *call, Value value) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  PeerReader found;
  llvm::DenseSet<Value> made, summed; // from the value; sums of these
  auto follows = [](Operation *op, const llvm::DenseSet<Value> &values) {
    return llvm::any_of(op->getOperands(),
                        [&](Value v) { return values.contains(v); });
  };
  for (Operation *op = call->getNextNode(); op; op = op->getNextNode()) {
    bool reads = llvm::is_contained(op->getOperands(), value) &&
                 sg::phaseOf(op) == sg::phaseOf(call);
    if (isa<LibraryOpInterface>(op))
      return {};
    bool isLarge =
        kernelRoleOf(op) != KernelRole::None && iterationSpaceOf(op) == shape;
    if (!found.reader && reads)
      found.reader = op;
    if (follows(op, summed)) {
      found.behind = op;
      if (isLarge)
        return found;
      summed.insert(op->result_begin(), op->result_end());
    } else if (op == found.reader || follows(op, made)) {
      bool isSum = isLarge && isa<ReductionOpInterface>(op);
      (isSum ? summed : made).insert(op->result_begin(), op->result_end());
    }
  }
  return {};
}

static bool areSame(Value a, Value b);

/// Returns true if `b` computes, for any reader, the same as `a` on the given
/// operands.
static bool isSameOp(Operation *a, ValueRange operands, Operation *b) {
  auto attributes = [](Operation *op) {
    NamedAttrList list(op->getAttrDictionary());
    list.erase(sg::SgDialect::kOriginAttr);
    return list.getDictionary(op->getContext());
  };
  return a->getName() == b->getName() &&
         a->getResultTypes() == b->getResultTypes() &&
         operands.size() == b->getNumOperands() &&
         attributes(a) == attributes(b) &&
         llvm::all_of_zip(operands, b->getOperands(), areSame);
}

/// Returns true if two values are the same, or constants or repetitions of
/// constants or of the same value.
static bool areSame(Value a, Value b) {
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  auto isRepeated = [](Operation *op) {
    return op && (kernelRoleOf(op) == KernelRole::Repeated ||
                  op->hasTrait<OpTrait::ConstantLike>());
  };
  return a == b || (isRepeated(first) && isRepeated(second) &&
                    isSameOp(first, first->getOperands(), second));
}

/// Finds, after `call` and without another call in between, an op of the same
/// phase that begins with the computation of `value`, each of whose elements is
/// recomputed at its own place.
PeerReader Recomputer::findPeer(Operation *call, Value value) const {
  SmallVector<Operation *> missing = missingFor(value, call);
  for (Operation *op : missing) {
    KernelRole role = kernelRoleOf(op);
    if (role != KernelRole::Pointwise && role != KernelRole::Repeated &&
        !isView(op))
      return {};
  }
  auto begins = [&](Operation *op) {
    return sg::hasOrigin(op) && sg::phaseOf(op) == sg::phaseOf(call) &&
           llvm::any_of(missing, [&](Operation *other) {
             return kernelRoleOf(other) == KernelRole::Pointwise &&
                    isSameOp(other, other->getOperands(), op);
           });
  };
  PeerReader found;
  for (Operation *op = call->getNextNode(); op; op = op->getNextNode()) {
    if (isa<LibraryOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>()) {
      found.behind = op;
      break;
    }
    if (!found.reader && begins(op))
      found.reader = op;
  }
  return found.reader ? found : PeerReader();
}

/// Returns the call and its dependent ops before `behind`; nothing if these
/// cannot wait.
static SmallVector<Operation *> whatWaits(Operation *call, Operation *behind) {
  llvm::SetVector<Operation *> ops;
  ops.insert(call);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (!isPure(ops[i]) || (i && isa<LibraryOpInterface>(ops[i])))
      return {};
    for (Operation *user : ops[i]->getUsers())
      if (user->isBeforeInBlock(behind))
        ops.insert(user);
  }
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// A filter's gradient reads an activation that the next kernel recomputes for
/// the mask and the sums of its gradient. After that kernel the call need not
/// recompute it:
///
///   input gradient, activation, filter gradient, {activation, mask, sums}
///   input gradient, {activation, mask, sums}, filter gradient
///
/// The values that live during the sums are then those that lived during the
/// filter's gradient before. A kernel that needs no activation may compute the
/// same on the way to another value, like a GELU's gradient; it then computes
/// both at once:
///
///   input gradient, {activation}, filter gradient, {slope}
///   input gradient, {activation, slope}, filter gradient
void Recomputer::waitForPeers() {
  SmallVector<Operation *> calls;
  for (Operation &op : block)
    if (isa<LibraryOpInterface>(op))
      calls.push_back(&op);
  for (Operation *call : calls)
    for (Value operand : call->getOperands()) {
      if (!isAbsent(operand, call))
        continue;
      PeerReader peer = findSums(call, operand);
      bool isSame = peer.behind;
      if (!isSame)
        peer = findPeer(call, operand);
      if (!peer.behind)
        continue;
      SmallVector<Operation *> waiting = whatWaits(call, peer.behind);
      if (waiting.empty())
        continue;
      borrows[call] = sg::originOf(peer.reader);
      if (!isSame)
        peers[call] = peer.reader;
      for (Operation *op : waiting)
        op->moveBefore(peer.behind);
      break;
    }
}

/// Returns the op before the reader, in its phase, that computes the same as a
/// clone of `op` would; null if there is none.
Operation *Recomputer::findSame(Operation *op, Operation *reader) const {
  Attribute origin = originFor(reader);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value there = again.lookup({operand, origin});
    operands.push_back(there ? there : operand);
  }
  for (Value operand : operands)
    for (Operation *user : operand.getUsers())
      if (user != op && sg::hasOrigin(user) && user->getBlock() == &block &&
          sg::phaseOf(user) == sg::phaseOf(reader) &&
          user->isBeforeInBlock(reader) && isSameOp(op, operands, user))
        return user;
  return nullptr;
}

/// Returns the later of `peer` and the producers of the operands of a clone
/// of `op`: a kernel runs at the place of its last op, and others wait for it.
Operation *Recomputer::lastOf(Operation *peer, Operation *op,
                              Attribute origin) const {
  for (Value operand : op->getOperands()) {
    Value there = again.lookup({operand, origin});
    Operation *maker = (there ? there : operand).getDefiningOp();
    if (maker && peer->isBeforeInBlock(maker))
      peer = maker;
  }
  return peer;
}

Value Recomputer::valueFor(Value value, Operation *reader) {
  if (!isAbsent(value, reader))
    return value;
  sg::OriginAttr origin = originFor(reader);
  if (Value found = again.lookup({value, origin}))
    return found;
  OpBuilder builder(reader);
  for (Operation *op : missingFor(value, reader)) {
    Operation *peer = peers.lookup(reader);
    if (Operation *same = peer ? findSame(op, reader) : nullptr) {
      again[{op->getResult(0), origin}] = same->getResult(0);
      continue;
    }
    builder.setInsertionPoint(reader);
    if (peer && !isView(op))
      builder.setInsertionPointAfter(lastOf(peer, op, origin));
    Operation *clone = builder.clone(*op);
    for (OpOperand &operand : clone->getOpOperands())
      if (Value other = again.lookup({operand.get(), origin}))
        operand.set(other);
    sg::setOrigin(clone, origin);
    again[{op->getResult(0), origin}] = clone->getResult(0);
  }
  return again.lookup({value, origin});
}

/// Erases recomputed ops without readers: their readers all recompute them for
/// themselves.
void Recomputer::eraseUnread() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (sg::hasOrigin(&op) && sg::phaseOf(&op) == Phase::Recompute &&
        isOpTriviallyDead(&op))
      op.erase();
}

namespace {
class RecomputeCheap
    : public reprise::impl::SgRecomputeCheapBase<RecomputeCheap> {
public:
  using SgRecomputeCheapBase::SgRecomputeCheapBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!(mostReads >= 0.0)) { // nor is a NaN a number of reads
      function.emitError()
          << "'most-reads' must be a number of at least 0, not "
          << llvm::formatv("{0}", mostReads.getValue()).str();
      return signalPassFailure();
    }
    SmallVector<llvm::GlobPattern> patterns;
    for (const std::string &text : keep) {
      auto pattern = parsePattern(text, [&] { return function.emitError(); });
      if (failed(pattern))
        return signalPassFailure();
      patterns.push_back(std::move(*pattern));
    }
    std::optional<double> reads = chooseReads();
    if (!reads)
      return signalPassFailure();
    if (!function.isExternal() && function.getBody().hasOneBlock())
      Recomputer(function.getBody().front(), patterns, *reads).run();
  }

  /// Returns nothing if there is no such target, which is reported.
  std::optional<double> chooseReads() {
    if (mostReads > 0)
      return mostReads;
    if (target.empty())
      return kReadsOfCheapValues;
    FailureOr<std::unique_ptr<Target>> created =
        createTargetFor(getOperation(), target);
    if (failed(created))
      return std::nullopt;
    return (*created)->readsOfCheapValues();
  }
};
} // namespace
