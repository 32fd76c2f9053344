//===- RematDefaults.cpp - An op's facts for the planner ------------------===//
//
// Input:   an op of any dialect, registered or not.
// Output:  its OpFacts: from attributes of the remat dialect if it has some,
//          else from RematOpInterface, else from defaults.
// Fails:   with an error at the op, if bytes are unknown, or if the op's facts
//          are invalid for the planner: operands and results that it doesn't
//          have, numbers out of range, values that their enum doesn't have.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/Remat.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::remat;

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// Bytes of an element in memory, none if unknown.
static std::optional<uint64_t> elementBytes(Type type) {
  if (type.isIntOrFloat())
    return llvm::PowerOf2Ceil((type.getIntOrFloatBitWidth() + 7) / 8);
  if (isa<IndexType>(type))
    return 8;
  std::optional<uint64_t> inner;
  if (auto number = dyn_cast<ComplexType>(type)) {
    inner = elementBytes(number.getElementType());
    return inner ? std::optional(2 * *inner) : std::nullopt;
  }
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.isScalable())
    return std::nullopt;
  inner = elementBytes(vector.getElementType());
  return inner ? std::optional(*inner * vector.getNumElements()) : std::nullopt;
}

static constexpr uint64_t kTooManyBytes = uint64_t(1) << 56;

std::optional<uint64_t> remat::bytesOf(Type type) {
  if (!isa<TensorType, BaseMemRefType>(type))
    return 0;
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto memref = dyn_cast<MemRefType>(type);
  if ((!tensor && !memref) || (tensor && tensor.getEncoding()) ||
      (memref && !memref.getLayout().isIdentity()))
    return std::nullopt;
  auto shaped = cast<ShapedType>(type);
  std::optional<uint64_t> bytes = elementBytes(shaped.getElementType());
  if (!bytes || !shaped.hasStaticShape())
    return std::nullopt;
  for (int64_t extent : shaped.getShape())
    bytes = llvm::SaturatingMultiply<uint64_t>(*bytes, extent);
  return *bytes < kTooManyBytes ? bytes : std::nullopt;
}

uint64_t remat::defaultFlops(Operation *op) {
  uint64_t elements = 0;
  for (Type type : op->getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasStaticShape())
      continue;
    uint64_t count = 1;
    for (int64_t extent : shaped.getShape())
      count = llvm::SaturatingMultiply<uint64_t>(count, extent);
    elements = llvm::SaturatingAdd(elements, count);
  }
  return elements;
}

/// The ops in regions count whatever `op` itself states: tensor.pad is free of
/// effects, but its body may load.
Execution remat::defaultExecution(Operation *op) {
  WalkResult walk = op->walk([](Operation *inner) {
    return isMemoryEffectFree(inner) ? WalkResult::advance()
                                     : WalkResult::interrupt();
  });
  return walk.wasInterrupted() ? Execution::InOrder : Execution::Anywhere;
}

static std::optional<unsigned> operandIndex(Operation *op, Value value) {
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get() == value)
      return operand.getOperandNumber();
  return std::nullopt;
}

std::optional<unsigned> remat::defaultViewSource(Operation *op) {
  auto view = dyn_cast<ViewLikeOpInterface>(op);
  return view ? operandIndex(op, view.getViewSource()) : std::nullopt;
}

SmallVector<InPlacePair> remat::defaultInPlacePairs(Operation *op) {
  SmallVector<InPlacePair> pairs =
      destinationPairs(op, [](OpOperand &, OpOperand &) { return false; });
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  std::optional<ResultRange> results =
      loop ? loop.getLoopResults() : std::nullopt;
  if (!results || isa<DestinationStyleOpInterface>(op))
    return pairs;
  MutableArrayRef<OpOperand> inits = loop.getInitsMutable();
  for (unsigned index = 0; index < inits.size(); ++index) {
    OpOperand &init = inits[index];
    bool isRead = llvm::any_of(init.get().getUses(), [&](OpOperand &other) {
      return &other != &init && op->isAncestor(other.getOwner());
    });
    if (!isRead && isCarriedInPlace(loop, index))
      pairs.push_back({index, init.getOperandNumber()});
  }
  return pairs;
}

//===----------------------------------------------------------------------===//
// Attributes over interface over defaults
//===----------------------------------------------------------------------===//

namespace {
class Describer {
public:
  explicit Describer(Operation *op)
      : op(op), interface(dyn_cast<RematOpInterface>(op)) {}

  FailureOr<OpFacts> describe() {
    askOp();
    readAttributes();
    if (failed(checkAnswers()) || failed(checkView()) || failed(checkPairs()) ||
        failed(readBytes()))
      return failure();
    return std::move(facts);
  }

private:
  void askOp() {
    if (!interface) {
      facts.flops = defaultFlops(op);
      facts.execution = defaultExecution(op);
      return;
    }
    facts.milliseconds = interface.getRematMilliseconds();
    facts.flops = interface.getRematFlops();
    facts.execution = interface.getRematExecution();
    facts.workspaceBytes = interface.getRematWorkspaceBytes();
    facts.phase = interface.getRematPhase();
  }

  // The dialect's verifier has checked the attributes.
  void readAttributes() {
    if (auto cost = op->getAttrOfType<FloatAttr>(RematDialect::kCost))
      facts.milliseconds = cost.getValueAsDouble();
    if (op->hasAttr(RematDialect::kPure))
      facts.execution = Execution::Anywhere;
    if (op->hasAttr(RematDialect::kFixed) &&
        facts.execution == Execution::Anywhere)
      facts.execution = Execution::Once;
    facts.viewSource = viewSourceOf(op);
    facts.inPlace = inPlacePairsOf(op);
    if (auto bytes = op->getAttrOfType<IntegerAttr>(RematDialect::kWorkspace))
      facts.workspaceBytes = bytes.getInt();
    if (auto phase = op->getAttrOfType<StringAttr>(RematDialect::kPhase))
      facts.phase =
          phase.getValue() == "backward" ? Phase::Backward : Phase::Forward;
  }

  /// Attributes were verified; a class may return anything.
  LogicalResult checkAnswers() {
    if (facts.execution < Execution::Anywhere ||
        facts.execution > Execution::InOrder)
      return op->emitOpError()
             << "answers " << int64_t(facts.execution)
             << " for its execution; known are Anywhere (0), Once (1) and "
                "InOrder (2)";
    if (facts.phase && *facts.phase != Phase::Forward &&
        *facts.phase != Phase::Backward)
      return op->emitOpError()
             << "answers " << int64_t(*facts.phase)
             << " for its phase; known are Forward (0) and Backward (1)";
    if (facts.milliseconds &&
        !(*facts.milliseconds >= 0 && *facts.milliseconds <= 1e9))
      return op->emitOpError() << "takes " << *facts.milliseconds
                               << " milliseconds; the number must be at least "
                                  "0 and at most 1e9";
    return checkBytes("a workspace", facts.workspaceBytes);
  }

  LogicalResult checkBytes(const Twine &what, uint64_t bytes) {
    if (bytes < kTooManyBytes)
      return success();
    return op->emitOpError() << "has " << what << " of " << bytes
                             << " bytes; the number must be below 2^56";
  }

  LogicalResult checkView() {
    if (!facts.viewSource)
      return success();
    if (op->getNumResults() != 1)
      return op->emitOpError()
             << "is a view with " << op->getNumResults()
             << " results; only views with one can be planned";
    if (*facts.viewSource >= op->getNumOperands())
      return op->emitOpError() << "is a view of operand " << *facts.viewSource
                               << ", but has " << op->getNumOperands();
    if (facts.execution == Execution::InOrder)
      return op->emitOpError() << "is a view, but not free of memory effects";
    return success();
  }

  LogicalResult checkPairs() {
    for (auto [result, operand] : facts.inPlace)
      if (result >= op->getNumResults() || operand >= op->getNumOperands())
        return op->emitOpError()
               << "writes result " << result << " over operand " << operand
               << ", but has " << op->getNumResults() << " results and "
               << op->getNumOperands() << " operands";
    return success();
  }

  LogicalResult readBytes() {
    auto said = op->getAttrOfType<DenseI64ArrayAttr>(RematDialect::kBytes);
    for (OpResult result : op->getResults()) {
      unsigned number = result.getResultNumber();
      std::optional<uint64_t> bytes =
          facts.viewSource ? 0
          : said           ? uint64_t(said[number])
          : interface      ? interface.getRematBytes(number)
                           : bytesOf(result.getType());
      if (!bytes)
        return op->emitOpError()
               << "has result " << number << " of unknown bytes: it is a "
               << result.getType() << "; give them by '" << RematDialect::kBytes
               << "'";
      if (failed(checkBytes("result " + Twine(number), *bytes)))
        return failure();
      facts.resultBytes.push_back(*bytes);
    }
    return success();
  }

  Operation *op;
  RematOpInterface interface;
  OpFacts facts;
};
} // namespace

std::optional<unsigned> remat::viewSourceOf(Operation *op) {
  if (auto view = op->getAttrOfType<IntegerAttr>(RematDialect::kView))
    return view.getInt();
  auto interface = dyn_cast<RematOpInterface>(op);
  return interface ? interface.getRematViewSource() : defaultViewSource(op);
}

SmallVector<InPlacePair> remat::inPlacePairsOf(Operation *op) {
  auto pairs = op->getAttrOfType<DenseI64ArrayAttr>(RematDialect::kInPlace);
  auto interface = dyn_cast<RematOpInterface>(op);
  if (!pairs)
    return interface ? interface.getRematInPlacePairs()
                     : defaultInPlacePairs(op);
  SmallVector<InPlacePair> said;
  for (int64_t k = 0; k + 1 < pairs.size(); k += 2)
    said.push_back({pairs[k], pairs[k + 1]});
  return said;
}

FailureOr<OpFacts> remat::describeOp(Operation *op) {
  return Describer(op).describe();
}
