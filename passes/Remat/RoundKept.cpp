//===- RoundKept.cpp - Round the values that the backward pass keeps ------===//
//
// Input:   a flat function of primitives and library ops.
// Output:  the same forward pass; later phases read rounded numbers.
// Method:  each kept value is stored behind its producer and restored in front
//          of the first reader of each origin, in that reader's kernel.
// Cost:    linear.
// Fails:   on a type other than bf16 and fp8.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Kernel.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Remat.h"
#include "reprise/Passes/Remat.h"
#include "reprise/TrainingTerms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace reprise {
#define GEN_PASS_DEF_SGROUNDKEPT
#include "reprise/Passes/RematPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// The largest number of the 8-bit format.
static constexpr double kMostFp8 = 448;
/// The smallest magnitude that a row is scaled by, so that a row of zeros
/// stays zero: 2^-100.
static constexpr double kLeastMagnitude = 0x1p-100;
/// Rows of fewer elements save little beside their factors.
static constexpr int64_t kLeastRow = 8;

namespace {

/// A kept value as it is stored: one tensor, or bytes and a factor for each
/// row.
struct Stored {
  Value numbers, factors; // factors: null if there are none
};

class Rounder {
public:
  Rounder(Block &block, LossyKept type, uint64_t exactBytes)
      : block(block), type(type), exactBytes(exactBytes) {}

  void run();

  unsigned count = 0;
  uint64_t bytesBefore = 0, bytesAfter = 0;

private:
  /// Statistics, as an attention's log-sum-exp, and what is computed from them
  /// element by element.
  bool isStatistic(Value value);
  bool isRounded(Value value);
  Stored store(Value value);
  Value restore(OpBuilder &builder, const Stored &stored, Type like);
  void round(Value value, ArrayRef<OpOperand *> reads);
  BarrierOp passBarrier(BarrierOp barrier, unsigned input,
                        const Stored &stored);

  Block &block;
  LossyKept type;
  uint64_t exactBytes;
  llvm::DenseMap<Value, bool> statistics;
};

} // namespace

/// Returns true for an op of the backward pass or of a recomputation.
static bool isLater(Operation &op) {
  return hasOrigin(&op) && phaseOf(&op) != Phase::Forward;
}

/// Returns 0 for what is no tensor of a fixed shape.
static int64_t elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

bool Rounder::isStatistic(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto it = statistics.find(value); it != statistics.end())
    return it->second;
  int64_t size = elementsOf(value);
  bool is = isStatistics(value) || kernelRoleOf(op) == KernelRole::Reduction ||
            llvm::any_of(op->getResults(),
                         [&](Value other) { return size < elementsOf(other); });
  auto remat = dyn_cast<remat::RematOpInterface>(op);
  bool isView = remat && remat.getRematViewSource();
  if (!is && (isView || kernelRoleOf(op) == KernelRole::Pointwise))
    for (Value operand : op->getOperands())
      is |= elementsOf(operand) == size && isStatistic(operand);
  statistics[value] = is;
  return is;
}

bool Rounder::isRounded(Value value) {
  if (elementsOf(value) == 0)
    return false;
  RankedTensorType tensor = tensorOf(value);
  auto element = dyn_cast<FloatType>(tensor.getElementType());
  unsigned width = type == LossyKept::FP8 ? 8 : 16;
  if (!element || element.isF64() || element.getWidth() <= width ||
      byteSize(tensor) <= exactBytes)
    return false;
  if (type == LossyKept::FP8 &&
      (tensor.getRank() == 0 || tensor.getShape().back() < kLeastRow))
    return false;
  return !isStatistic(value);
}

/// Emits the stored form behind the producer of `value`, with its origin.
Stored Rounder::store(Value value) {
  Operation *op = value.getDefiningOp();
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  OriginScope scope(builder, op);
  Location loc = value.getLoc();
  RankedTensorType tensor = tensorOf(value);
  if (type == LossyKept::BF16)
    return {CastOp::create(builder, loc, tensor.clone(builder.getBF16Type()),
                           value),
            {}};
  RankedTensorType wide = tensor.clone(builder.getF32Type());
  Value numbers = value;
  if (tensor != wide)
    numbers = CastOp::create(builder, loc, wide, numbers);
  Value magnitudes = AbsOp::create(builder, loc, numbers);
  int64_t last = tensor.getRank() - 1;
  Value largest =
      ReduceMaxOp::create(builder, loc, magnitudes, ArrayRef<int64_t>{last});
  Value least = createSplat(builder, loc, tensorOf(largest), kLeastMagnitude);
  Value bounded = MaximumOp::create(builder, loc, largest, least);
  Value most = createSplat(builder, loc, tensorOf(largest), kMostFp8);
  Value factors = DivOp::create(builder, loc, bounded, most);
  Value repeated = broadcastLeading(builder, loc, factors, wide);
  Value scaled = DivOp::create(builder, loc, numbers, repeated);
  return {EncodeFp8Op::create(builder, loc, wide.clone(builder.getI8Type()),
                              scaled),
          factors};
}

Value Rounder::restore(OpBuilder &builder, const Stored &stored, Type like) {
  Location loc = stored.numbers.getLoc();
  if (!stored.factors)
    return CastOp::create(builder, loc, like, stored.numbers);
  auto wide = cast<RankedTensorType>(like).clone(builder.getF32Type());
  Value numbers = DecodeFp8Op::create(builder, loc, wide, stored.numbers);
  Value factors = broadcastLeading(builder, loc, stored.factors, wide);
  Value restored = MulOp::create(builder, loc, numbers, factors);
  return wide == like ? restored
                      : Value(CastOp::create(builder, loc, like, restored));
}

/// Lets a barrier pass the stored form, which its readers restore. Returns the
/// barrier that replaces it.
BarrierOp Rounder::passBarrier(BarrierOp barrier, unsigned input,
                               const Stored &stored) {
  OpBuilder builder(barrier);
  OriginScope scope(builder, barrier);
  SmallVector<Value> inputs(barrier.getInputs());
  Type like = barrier.getResult(input).getType();
  inputs[input] = stored.numbers;
  if (stored.factors)
    inputs.push_back(stored.factors);
  SmallVector<Value> after(barrier.getAfter());
  auto passed = BarrierOp::create(builder, barrier.getLoc(),
                                  ValueRange(inputs).getTypes(), inputs, after);
  Stored fresh{passed.getResult(input), {}};
  if (stored.factors)
    fresh.factors = passed->getResults().back();
  for (OpResult result : barrier->getResults())
    if (result.getResultNumber() != input)
      result.replaceAllUsesWith(passed.getResult(result.getResultNumber()));
  llvm::DenseMap<Attribute, Value> restored;
  // In the order of the block: the first reader of an origin comes first.
  SmallVector<OpOperand *> reads;
  for (OpOperand &use : barrier.getResult(input).getUses())
    reads.push_back(&use);
  llvm::sort(reads, [](OpOperand *a, OpOperand *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  for (OpOperand *read : reads) {
    Value &value = restored[originOf(read->getOwner())];
    if (!value) {
      OpBuilder before(read->getOwner());
      OriginScope origin(before, read->getOwner());
      value = restore(before, fresh, like);
    }
    read->set(value);
  }
  barrier.erase();
  return passed;
}

void Rounder::round(Value value, ArrayRef<OpOperand *> reads) {
  Stored stored = store(value);
  ++count;
  bytesBefore += byteSize(value.getType());
  bytesAfter += byteSize(stored.numbers.getType());
  if (stored.factors)
    bytesAfter += byteSize(stored.factors.getType());
  llvm::DenseMap<Attribute, Value> restored;
  llvm::SetVector<Operation *> barriers;
  for (OpOperand *read : reads) {
    Operation *reader = read->getOwner();
    if (isa<BarrierOp>(reader)) {
      barriers.insert(reader);
      continue;
    }
    Value &again = restored[originOf(reader)];
    if (!again) {
      OpBuilder builder(reader);
      OriginScope scope(builder, reader);
      again = restore(builder, stored, value.getType());
    }
    read->set(again);
  }
  // A barrier may have the value more than once.
  for (Operation *op : barriers)
    for (auto barrier = cast<BarrierOp>(op); barrier;) {
      ValueRange inputs = barrier.getInputs();
      auto input = llvm::find(inputs, value);
      barrier = input == inputs.end()
                    ? BarrierOp()
                    : passBarrier(barrier, input - inputs.begin(), stored);
    }
}

void Rounder::run() {
  SmallVector<Value> values;
  for (Operation &op : block)
    if (hasOrigin(&op) && phaseOf(&op) == Phase::Forward)
      llvm::append_range(values, op.getResults());
  for (Value value : values) {
    SmallVector<OpOperand *> reads;
    bool isReturned = false;
    for (OpOperand &use : value.getUses()) {
      isReturned |= use.getOwner()->hasTrait<OpTrait::IsTerminator>();
      if (isLater(*use.getOwner()))
        reads.push_back(&use);
    }
    if (reads.empty() || isReturned || !isRounded(value))
      continue;
    llvm::sort(reads, [](OpOperand *a, OpOperand *b) {
      return a->getOwner()->isBeforeInBlock(b->getOwner());
    });
    round(value, reads);
  }
}

namespace {
class RoundKept : public reprise::impl::SgRoundKeptBase<RoundKept> {
public:
  using SgRoundKeptBase::SgRoundKeptBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    std::optional<LossyKept> named = termOf<LossyKept>(type.getValue());
    if (!named || *named == LossyKept::None) {
      function.emitError() << "'type' must be bf16 or fp8, not '" << type
                           << "'";
      return signalPassFailure();
    }
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return;
    Rounder rounder(function.getBody().front(), *named, exactBytes);
    rounder.run();
    auto mebibytes = [](uint64_t bytes) {
      return llvm::formatv("{0:f1} MiB", bytes / double(1 << 20)).str();
    };
    if (!rounder.count && llvm::any_of(function.getBody().front(), isLater))
      function.emitWarning()
          << "no kept value is rounded to " << type
          << ": each is as narrow, or a statistic, or of at most "
          << uint64_t(exactBytes) << " bytes";
    if (rounder.count)
      function.emitRemark()
          << rounder.count
          << (rounder.count == 1 ? " kept value is" : " kept values are")
          << " rounded to " << type << ": " << mebibytes(rounder.bytesAfter)
          << " instead of " << mebibytes(rounder.bytesBefore);
  }
};
} // namespace
