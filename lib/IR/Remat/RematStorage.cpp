//===- RematStorage.cpp - Storage that bufferization gives to results -----===//
//
// Input:   an op on tensors, before bufferization.
// Output:  which operands its results may take over, and which other storages
//          they may share without a copy.
// Method:  by MLIR's interfaces for destinations, views, loops and regions.
//          One-shot bufferization writes a destination in place unless a later
//          op reads the old contents, or the op itself does by another operand;
//          a copy needs bytes of its own. If neither is certain, both are
//          reported.
// Fails:   never.
//
//===----------------------------------------------------------------------===//
#include "reprise/IR/Remat.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::remat;

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

SmallVector<InPlacePair> remat::destinationPairs(
    Operation *op,
    llvm::function_ref<bool(OpOperand &destination, OpOperand &other)>
        mayRead) {
  SmallVector<InPlacePair> pairs;
  auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destinations)
    return pairs;
  for (OpResult result : op->getResults()) {
    OpOperand *destination = destinations.getTiedOpOperand(result);
    bool isRead =
        llvm::any_of(destination->get().getUses(), [&](OpOperand &other) {
          bool isOther =
              other.getOwner() == op
                  ? &other != destination && !mayRead(*destination, other)
                  : op->isProperAncestor(other.getOwner());
          return isOther;
        });
    if (!isRead)
      pairs.push_back(
          {result.getResultNumber(), destination->getOperandNumber()});
  }
  return pairs;
}

static OpOperand *operandTakenBy(OpResult result) {
  Operation *op = result.getOwner();
  for (auto [made, operand] : inPlacePairsOf(op))
    if (made == result.getResultNumber())
      return &op->getOpOperand(operand);
  return nullptr;
}

/// Returns true if no op reads `value`, or values that may share its storage,
/// after `writer`. At `writer` itself only the operand that it takes over may,
/// and a part that it inserts where that was extracted.
static bool isLastReadBy(Value value, Operation *writer, bool isWhole = true) {
  for (Operation *user : value.getUsers()) {
    Operation *reader = writer->getBlock()->findAncestorOpInBlock(*user);
    if (reader == writer &&
        (isWhole || isa<SubsetInsertionOpInterface>(writer)))
      continue;
    if (!reader || !reader->isBeforeInBlock(writer))
      return false;
    for (OpResult made : reader->getResults())
      if (llvm::is_contained(storageSourcesOf(made).values, value) &&
          !isLastReadBy(made, writer, /*isWhole=*/false))
        return false;
  }
  return true;
}

bool remat::isCarriedInPlace(LoopLikeOpInterface loop, unsigned index) {
  std::optional<MutableArrayRef<OpOperand>> yielded =
      loop.getYieldedValuesMutable();
  if (!yielded || loop->getNumRegions() != 1 || index >= yielded->size())
    return false;
  BlockArgument carried = loop.getRegionIterArgs()[index];
  Value value = (*yielded)[index].get();
  while (value != carried) {
    auto made = dyn_cast<OpResult>(value);
    if (!made || made.getOwner()->getBlock() != carried.getOwner())
      return false;
    OpOperand *taken = operandTakenBy(made);
    if (!taken || !isLastReadBy(taken->get(), made.getOwner()))
      return false;
    value = taken->get();
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Without a copy
//===----------------------------------------------------------------------===//

bool remat::mayFoldToConstant(Operation *op) {
  llvm::SetVector<Operation *> made;
  made.insert(op);
  for (size_t at = 0; at < made.size(); ++at) {
    Operation *maker = made[at];
    if (!maker)
      return false;
    if (maker->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (maker->getNumOperands() == 0 || maker->getNumRegions() ||
        !isMemoryEffectFree(maker))
      return false;
    for (Value operand : maker->getOperands())
      made.insert(operand.getDefiningOp());
  }
  return true;
}

static bool isStored(Type type) {
  return isa<TensorType, BaseMemRefType>(type);
}

/// Returns true if results of `op` may share the storage of operands of another
/// kind: a memref for a tensor, or the other way round, or a memref for a
/// memref.
static bool handsOnMemory(OpResult result, Value operand) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(result.getOwner());
  bool isAllocated =
      effects && effects.getEffectOnValue<MemoryEffects::Allocate>(result);
  bool isMemory = isa<BaseMemRefType>(result.getType()) ||
                  isa<BaseMemRefType>(operand.getType());
  return isMemory && !isAllocated && isStored(operand.getType());
}

namespace {
/// Follows values that regions pass on back to values defined outside them.
class RegionSources {
public:
  RegionSources(Operation *op, StorageSources &sources)
      : op(op), sources(sources) {}

  void find() {
    for (Value operand : op->getOperands())
      add(operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value handed : block.getTerminator()->getOperands())
          add(handed);
    sources.values.assign(outside.begin(), outside.end());
  }

private:
  void add(Value value) {
    if (!isStored(value.getType()) || !seen.insert(value).second)
      return;
    Operation *maker = value.getDefiningOp();
    if (!maker && op->isAncestor(value.getParentBlock()->getParentOp()))
      return;
    if (!maker || !op->isProperAncestor(maker)) {
      outside.insert(value);
      return;
    }
    StorageSources inner = storageSourcesOf(cast<OpResult>(value));
    sources.isOpaque |= inner.isOpaque || mayFoldToConstant(maker);
    for (Value source : inner.values)
      add(source);
  }

  Operation *op;
  StorageSources &sources;
  llvm::DenseSet<Value> seen;
  llvm::SetVector<Value> outside;
};
} // namespace

bool remat::mayBeWritten(Value tensor) {
  return llvm::any_of(tensor.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<RegionBranchOpInterface, CallOpInterface>(user))
      return true;
    auto destinations = dyn_cast<DestinationStyleOpInterface>(user);
    if (destinations && destinations.isDpsInit(&use))
      return true;
    return llvm::any_of(user->getResults(), [&](OpResult made) {
      StorageSources sources = storageSourcesOf(made);
      return !sources.isDestination &&
             llvm::is_contained(sources.values, use.get()) &&
             mayBeWritten(made);
    });
  });
}

static StorageSources sourcesOfDestination(Value destination) {
  StorageSources sources;
  sources.isDestination = true;
  sources.values.push_back(destination);
  return sources;
}

StorageSources remat::storageSourcesOf(OpResult result) {
  StorageSources sources;
  Operation *op = result.getOwner();
  if (!isStored(result.getType()))
    return sources;
  std::optional<unsigned> viewed = viewSourceOf(op);
  if (viewed || isReshape(op)) {
    sources.values.push_back(op->getOperand(viewed.value_or(0)));
    return sources;
  }
  if (auto destinations = dyn_cast<DestinationStyleOpInterface>(op))
    return sourcesOfDestination(destinations.getTiedOpOperand(result)->get());
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    if (isCarriedInPlace(loop, result.getResultNumber()))
      return sourcesOfDestination(
          loop.getInitsMutable()[result.getResultNumber()].get());
  if (auto select = dyn_cast<SelectLikeOpInterface>(op)) {
    sources.values = {select.getTrueValue(), select.getFalseValue()};
    return sources;
  }
  if (isa<RegionBranchOpInterface>(op)) {
    sources.isFreedAtEnd = true;
    RegionSources(op, sources).find();
    return sources;
  }
  sources.isOpaque = isa<CallOpInterface>(op);
  for (Value operand : op->getOperands())
    if (handsOnMemory(result, operand))
      sources.values.push_back(operand);
  return sources;
}

//===----------------------------------------------------------------------===//
// Donated by the caller
//===----------------------------------------------------------------------===//

SmallVector<std::optional<unsigned>>
remat::donatedArguments(FunctionOpInterface function) {
  SmallVector<std::optional<unsigned>> sources(function.getNumResults());
  ArrayRef<Type> results = function.getResultTypes();
  auto isFreeFor = [&](unsigned result, unsigned argument) {
    return result < results.size() && !sources[result] &&
           results[result] == function.getArgument(argument).getType();
  };
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
    if (auto result = function.getArgAttrOfType<IntegerAttr>(
            argument, "tf.aliasing_output");
        result && result.getValue().isIntN(31) &&
        isFreeFor(result.getInt(), argument))
      sources[result.getInt()] = argument;
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
    for (unsigned result = 0;
         function.getArgAttr(argument, "jax.buffer_donor") &&
         result < results.size();
         ++result)
      if (isFreeFor(result, argument)) {
        sources[result] = argument;
        break;
      }
  return sources;
}
