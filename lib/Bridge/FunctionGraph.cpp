//===- FunctionGraph.cpp - A function of any dialect, for planning --------===//
//
// Input:   a function of one block.
// Output:  a checked plan::Graph and the ops that its ops represent.
// Method:  one walk in program order. Ops that may not move relative to each
//          other form a chain. Tensors that bufferization may leave in memory,
//          as those of bufferization.to_tensor, are read from that memory by
//          their readers: no execution of a reader passes a write. Ops after
//          the point of most live bytes are the backward pass, unless ops state
//          otherwise.
//
//          A storage that another value may share without a copy lives as long
//          as that value; since a clone of it would have another address, both
//          run once. If deallocation cannot determine the storage of a value,
//          the value and all its possible storages are held to the end.
//
//          The blocks of an op, and of functions it calls, are graphs in
//          program order; the bytes that they hold are the op's workspace.
// Cost:    linear in the uses.
// Fails:   see buildFunctionGraph.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/FunctionGraph.h"

#include "DonatedStorage.h"
#include "HeldInside.h"
#include "TensorsInMemory.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::StorageClass;
using plan::ValueId;

static plan::Schedule inProgramOrder(const plan::Graph &graph) {
  plan::Schedule schedule;
  for (OpId id = 0; id < graph.ops.size(); ++id)
    schedule.order.push_back(id);
  return schedule;
}

uint64_t FunctionGraph::liveBytes() const {
  return plan::computeLiveness(graph, inProgramOrder(graph)).maxLive;
}

namespace {
class GraphBuilder {
public:
  GraphBuilder(Block &block, const rt::Roofline &roofline, HeldInside &inside)
      : block(block), roofline(roofline), inside(inside) {}

  /// Adds arguments that have bytes, in a storage that may be taken over, as if
  /// an op at the start of the block had created them.
  void addCarried(ValueRange carried) {
    hasCarried = !carried.empty();
    if (!hasCarried)
      return;
    plan::Op node;
    node.name = "carry";
    for (Value value : carried) {
      ValueId id = addValue(value, node.name,
                            remat::bytesOf(value.getType()).value_or(0));
      result.graph.values[id].producer = 0;
      node.outputs.push_back(id);
    }
    addNode(std::move(node), block.getParentOp(), std::nullopt);
  }

  /// For each result, the argument that the caller gives up for it.
  SmallVector<std::optional<unsigned>> donated;

  FailureOr<FunctionGraph> build() {
    addArguments();
    bool hasTerminator = block.mightHaveTerminator();
    for (Operation &op : block)
      if (!(hasTerminator && &op == &block.back()) && failed(addOp(&op)))
        return failure();
    if (hasTerminator)
      addReturned(&block.back());
    std::string error = plan::checkGraph(result.graph);
    if (!error.empty())
      return block.getParentOp()->emitError() << "cannot be planned: " << error;
    setPhases();
    return std::move(result);
  }

private:
  /// Further inputs and dependences of a value's readers: those of the op that
  /// creates a view, and other storages that the value may share.
  struct MadeOf {
    SmallVector<ValueId> inputs;
    SmallVector<OpId> after;
  };

  ValueId addValue(Value value, std::string name, uint64_t bytes) {
    plan::Value added;
    added.name = std::move(name);
    added.bytes = bytes;
    result.graph.values.push_back(std::move(added));
    return ids[value] = result.graph.values.size() - 1;
  }

  void addFixed(Value value, std::string name) {
    ValueId id = addValue(value, std::move(name), 0);
    result.graph.values[id].storage = StorageClass::Fixed;
    if (Operation *op = value.getDefiningOp();
        op && op->hasTrait<OpTrait::ConstantLike>())
      ofUnknownOrigin.insert(id);
  }

  void addNode(plan::Op node, Operation *op, std::optional<Phase> phase) {
    result.graph.ops.push_back(std::move(node));
    result.ops.push_back(op);
    phases.push_back(phase);
  }

  void addArguments() {
    for (BlockArgument argument : block.getArguments()) {
      if (ids.contains(argument))
        continue;
      result.argumentBytes = llvm::SaturatingAdd(
          result.argumentBytes, remat::bytesOf(argument.getType()).value_or(0));
      addFixed(argument, "arg" + std::to_string(argument.getArgNumber()));
    }
  }

  /// Values from outside the block are as fixed as its arguments.
  ValueId idOf(Value value) {
    if (!ids.contains(value))
      addFixed(value, "outside");
    return ids.lookup(value);
  }

  /// "linalg.matmul", after the name of its location if that has one.
  static std::string nameOf(Operation *op) {
    std::string name = op->getName().getStringRef().str();
    if (auto loc = dyn_cast<NameLoc>(op->getLoc()))
      return loc.getName().str() + ":" + name;
    return name;
  }

  LogicalResult addOp(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>()) {
      addFixed(op->getResult(0), nameOf(op));
      return success();
    }
    if (remat::isOnlyDestination(op)) {
      result.destinations.insert(op);
      addFixed(op->getResult(0), nameOf(op));
      return success();
    }
    FailureOr<remat::OpFacts> facts = remat::describeOp(op);
    if (failed(facts) || failed(countInside(op, *facts)))
      return failure();
    // A selection has the storage of an operand. It copies both if an op writes
    // a storage that it shares.
    if (isa<SelectLikeOpInterface>(op))
      facts->resultBytes.front() *= sharesWrittenStorage(op) * 2;
    if (facts->viewSource && facts->execution == remat::Execution::Anywhere) {
      addView(op, *facts->viewSource);
    } else {
      addRunnable(op, *facts);
      if (failed(addToTotals(op)))
        return failure();
    }
    inMemory.note(op);
    return success();
  }

  /// Adds the bytes that regions and callees hold to the workspace. Values that
  /// they return are already counted as results; a loop that cannot carry a
  /// value in place holds both the copy it starts with and the newest value.
  LogicalResult countInside(Operation *op, remat::OpFacts &facts) {
    bool isSaid = op->hasAttr(remat::RematDialect::kWorkspace);
    bool isCall = isa<CallOpInterface>(op);
    if (isSaid || isa<remat::RematOpInterface>(op) ||
        (!isCall && op->getNumRegions() == 0))
      return success();
    FailureOr<uint64_t> held = inside.of(op);
    if (failed(held))
      return failure();
    uint64_t handedOut = 0;
    for (auto [made, bytes] : llvm::zip(op->getResults(), facts.resultBytes)) {
      bool isLoop = isa<LoopLikeOpInterface>(op);
      if (isLoop && remat::storageSourcesOf(made).isFreedAtEnd)
        bytes *= 2;
      if (!isLoop)
        handedOut = llvm::SaturatingAdd(handedOut,
                                        llvm::alignTo(bytes, plan::kAlignment));
    }
    uint64_t copies = isCall ? bytesOfCopies(op) : 0;
    *held = llvm::SaturatingAdd(*held, copies);
    facts.workspaceBytes += *held - std::min(*held, handedOut);
    if (handedOut)
      facts.resultBytes.front() += copies;
    return success();
  }

  /// Bytes of operands that a callee may overwrite although others read them.
  uint64_t bytesOfCopies(Operation *call) {
    uint64_t bytes = 0;
    for (Value operand : call->getOperands())
      if (isa<TensorType>(operand.getType()) &&
          !(operand.hasOneUse() && rootOf(idOf(operand)) == idOf(operand)))
        bytes = llvm::SaturatingAdd(
            bytes, llvm::alignTo(bytesOf(operand), plan::kAlignment));
    return bytes;
  }

  /// Keeps every execution of `node` between the writes around it, if it reads
  /// memory: it reads a value that the next write overwrites.
  void readMemory(OpId id, ArrayRef<Value> read, plan::Op &node) {
    if (llvm::none_of(read,
                      [&](Value value) { return inMemory.contains(value); }))
      return;
    if (content == kNone) {
      content = result.graph.values.size();
      result.graph.values.emplace_back().name = "memory";
      result.graph.values.back().storage = StorageClass::Fixed;
    }
    node.inputs.push_back(content);
    readers.push_back(id);
    if (lastWrite)
      node.after.push_back(*lastWrite);
  }

  void writeMemory(OpId id, plan::Op &node) {
    if (content != kNone)
      node.overwrites.push_back(content);
    llvm::append_range(node.after, readers);
    readers.clear();
    content = kNone;
    lastWrite = id;
  }

  void addView(Operation *op, unsigned source) {
    Value view = op->getResult(0), viewed = op->getOperand(source);
    ValueId base = idOf(viewed);
    // Copied, since adding a value may move the vector's elements.
    plan::Value named = result.graph.values[base];
    ValueId id = addValue(view, named.name, named.bytes);
    result.graph.values[id].viewOf = base;
    result.viewed[view] = viewed;
    MadeOf made = madeOf.lookup(viewed);
    for (Value value : valuesReadBy(op))
      if (value != viewed)
        addMaking(value, isa<remat::BarrierOp>(op), made);
    sortUnique(made.inputs);
    sortUnique(made.after);
    madeOf[view] = std::move(made);
  }

  /// Adds `value` as read, or only waited for.
  void addMaking(Value value, bool isWaitedFor, MadeOf &made) {
    MadeOf other = madeOf.lookup(value);
    ValueId id = idOf(value);
    if (result.graph.values[rootOf(id)].storage != StorageClass::Fixed)
      other.inputs.push_back(id);
    made.after.append(other.after);
    if (!isWaitedFor)
      return made.inputs.append(other.inputs);
    for (ValueId input : other.inputs)
      if (OpId producer = result.graph.values[rootOf(input)].producer;
          producer != kNone)
        made.after.push_back(producer);
  }

  template <typename T> static void sortUnique(SmallVector<T> &list) {
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
  }

  ValueId rootOf(ValueId value) const {
    while (result.graph.values[value].viewOf != kNone)
      value = result.graph.values[value].viewOf;
    return value;
  }

  /// A tensor in memory has no bytes of its own, but its copy has.
  uint64_t bytesOfCopy(Value value) {
    return std::max(bytesOf(value),
                    remat::bytesOf(value.getType()).value_or(0));
  }

  /// Bytes that reading a value counts: arguments and constants have some as
  /// well, and empty tensors none.
  uint64_t bytesOf(Value value) {
    if (Operation *op = value.getDefiningOp(); op && result.isDestination(op))
      return 0;
    ValueId root = rootOf(idOf(value));
    return result.graph.values[root].storage == StorageClass::Fixed
               ? remat::bytesOf(value.getType()).value_or(0)
               : result.graph.values[root].bytes;
  }

  /// The time of one execution, stated by the op or estimated.
  double millisecondsOf(Operation *op, ArrayRef<Value> read,
                        const remat::OpFacts &facts) {
    if (facts.milliseconds)
      return *facts.milliseconds;
    uint64_t bytes = 0;
    for (uint64_t written : facts.resultBytes)
      bytes = llvm::SaturatingAdd(bytes, written);
    for (Value value : read)
      bytes = llvm::SaturatingAdd(bytes, bytesOf(value));
    return roofline.milliseconds(facts.flops, bytes);
  }

  void addRunnable(Operation *op, const remat::OpFacts &facts) {
    OpId id = result.graph.ops.size();
    plan::Op node;
    node.name = nameOf(op);
    node.workspaceBytes = facts.workspaceBytes;
    bool isUpdate = inMemory.isUpdatedBy(op);
    bool isInOrder = isUpdate || facts.execution == remat::Execution::InOrder;
    // Two executions would create two memories, not the same one.
    bool makesMemory =
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
    node.runsOnce = isInOrder || makesMemory ||
                    facts.execution != remat::Execution::Anywhere;
    SmallVector<Value> read = valuesReadBy(op);
    node.cost = millisecondsOf(op, read, facts);
    for (Value value : read)
      node.inputs.push_back(idOf(value));
    for (Value value : read)
      readMaking(value, isa<SubsetInsertionOpInterface>(op), node);
    for (auto [output, operand] : facts.inPlace) {
      auto input = llvm::find(read, op->getOperand(operand)) - read.begin();
      node.inPlace.push_back({output, uint32_t(input)});
    }
    for (OpResult made : op->getResults()) {
      ValueId value =
          addValue(made, node.name, facts.resultBytes[made.getResultNumber()]);
      result.graph.values[value].producer = id;
      node.outputs.push_back(value);
    }
    if (isInOrder) {
      if (last)
        node.after.push_back(*last);
      last = id;
    }
    if (!isInOrder)
      readMemory(id, read, node);
    else if (isUpdate || mayWriteMemory(op))
      writeMemory(id, node);
    addNode(std::move(node), op, facts.phase);
    for (OpResult made : op->getResults())
      shareStorage(made);
  }

  /// Adds the last added op, which is `op`, to the sums that the planner
  /// limits, and refuses the op that exceeds a limit.
  LogicalResult addToTotals(Operation *op) {
    const plan::Op &node = result.graph.ops.back();
    milliseconds += node.cost;
    if (!(milliseconds <= plan::kMostMilliseconds))
      return op->emitOpError() << "takes the function past 1e9 milliseconds";
    auto add = [&](uint64_t more) {
      bytes = llvm::SaturatingAdd(bytes, more, plan::kAlignment);
    };
    add(node.workspaceBytes);
    for (ValueId made : node.outputs)
      add(result.graph.values[made].bytes);
    if (bytes > plan::kMostBytes)
      return op->emitOpError() << "takes the function past 2^56 bytes";
    return success();
  }

  /// Extends the lives of the storages that `made` may share to that of `made`.
  void shareStorage(OpResult made) {
    if (!isa<TensorType, BaseMemRefType>(made.getType()))
      return;
    remat::StorageSources sources = remat::storageSourcesOf(made);
    isOpaque |= sources.isOpaque;
    uint64_t bytes = result.graph.values[ids.lookup(made)].bytes;
    MadeOf shared;
    bool isUnknown = sources.values.empty() && bytes == 0 &&
                     remat::bytesOf(made.getType()) != 0;
    for (Value source : sources.values) {
      MadeOf other = madeOf.lookup(source);
      ValueId root = rootOf(idOf(source));
      const plan::Value &storage = result.graph.values[root];
      bool isFixed = storage.storage == StorageClass::Fixed;
      isUnknown |= ofUnknownOrigin.contains(root) || mayBeConstant(source);
      // A destination of the same size is taken over, or copied as a whole.
      if (!isFixed && !(sources.isDestination && storage.bytes == bytes))
        shared.inputs.push_back(root);
      shared.inputs.append(other.inputs);
      shared.after.append(other.after);
    }
    if (isUnknown)
      ofUnknownOrigin.insert(ids.lookup(made));
    isOpaque |= isUnknown && sources.isFreedAtEnd;
    if (!shared.inputs.empty())
      runOnce(ids.lookup(made));
    for (ValueId storage : shared.inputs)
      runOnce(storage);
    if (sources.isFreedAtEnd) {
      holdToEnd(ids.lookup(made));
      llvm::for_each(shared.inputs,
                     [&](ValueId storage) { holdToEnd(storage); });
    }
    sortUnique(shared.inputs);
    sortUnique(shared.after);
    madeOf[made] = std::move(shared);
    isDynamic |= sources.isFreedAtEnd;
  }

  static bool sharesWrittenStorage(Operation *op) {
    auto isWritten = [](Value value) {
      return isa<TensorType>(value.getType()) && remat::mayBeWritten(value);
    };
    return isWritten(op->getResult(0)) ||
           llvm::any_of(op->getOperands(), isWritten);
  }

  static bool mayBeConstant(Value value) {
    Operation *op = value.getDefiningOp();
    return op && remat::mayFoldToConstant(op);
  }

  /// Keeps a value to the end and its op to one execution: an earlier one would
  /// be held as long.
  void holdToEnd(ValueId value) {
    keep(value);
    runOnce(value);
  }

  void runOnce(ValueId value) {
    if (OpId producer = result.graph.values[rootOf(value)].producer;
        producer != kNone)
      result.graph.ops[producer].runsOnce = true;
  }

  /// Adds the further inputs of a value to its reader. An op that inserts a
  /// part may overwrite the whole that contains the part.
  void readMaking(Value value, bool isInsertion, plan::Op &node) const {
    MadeOf made = madeOf.lookup(value);
    for (ValueId input : made.inputs)
      if (!isInsertion || !llvm::is_contained(node.inputs, input))
        node.inputs.push_back(input);
    llvm::append_range(node.after, made.after);
  }

  void keep(ValueId value) {
    value = rootOf(value);
    if (result.graph.values[value].storage != StorageClass::Fixed)
      result.graph.values[value].storage = StorageClass::Output;
  }

  void addReturned(Operation *terminator) {
    for (Value value : valuesReadBy(terminator))
      keep(idOf(value));
    giveDonated(terminator);
    for (Value value : valuesReadBy(terminator)) {
      // A constant itself is copied.
      ValueId root = rootOf(idOf(value));
      isOpaque |= ofUnknownOrigin.contains(root) &&
                  result.graph.values[root].storage != StorageClass::Fixed;
      for (ValueId read : madeOf.lookup(value).inputs)
        keep(read);
    }
    if (isOpaque)
      for (ValueId id = 0; id < result.graph.values.size(); ++id)
        holdToEnd(id);
    uint64_t bytes = bytesOfReturning(terminator);
    if (bytes || hasCarried)
      addReturning(terminator, bytes);
  }

  /// Lets results take the storage of donated arguments where they can.
  void giveDonated(Operation *terminator) {
    for (auto [index, argument] : llvm::enumerate(donated)) {
      if (!argument)
        continue;
      Value given = block.getArgument(*argument);
      ValueId root = rootOf(idOf(terminator->getOperand(index)));
      if (root == idOf(given) ||
          takeDonated(result.graph, root, idOf(given),
                      remat::bytesOf(given.getType()).value_or(0)))
        result.inDonated.insert(index);
    }
  }

  /// Bytes of returning. A function returns memory that has no other owner, so
  /// it copies arguments, constants, tensors in memory, and values that it
  /// returns twice. Tables take bytes if storages are compared before they are
  /// freed.
  uint64_t bytesOfReturning(Operation *terminator) {
    uint64_t bytes = 0;
    llvm::DenseSet<ValueId> handedOut;
    bool isFunction = isa<FunctionOpInterface>(block.getParentOp());
    for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
      ValueId root = rootOf(idOf(value));
      if (result.inDonated.contains(index) && handedOut.insert(root).second)
        continue;
      bool isOwned = result.graph.values[root].storage != StorageClass::Fixed &&
                     !inMemory.contains(value) &&
                     madeOf.lookup(value).inputs.empty() &&
                     handedOut.insert(root).second;
      if (isFunction && !isOwned && isa<ShapedType>(value.getType()))
        bytes = llvm::SaturatingAdd(
            bytes, llvm::alignTo(bytesOfCopy(value), plan::kAlignment));
    }
    if (!isOpaque && !isDynamic)
      return bytes;
    auto tables = [](uint64_t count) {
      return llvm::alignTo(count * sizeof(int64_t), plan::kAlignment) +
             llvm::alignTo(count, plan::kAlignment);
    };
    // Clones are not among the compared storages.
    uint64_t freed =
        llvm::count_if(result.graph.values, [&](const auto &value) {
          return value.bytes && value.producer != kNone &&
                 !result.ops[value.producer]->hasAttr(
                     remat::RematDialect::kRecomputed);
        });
    return llvm::SaturatingAdd(
        bytes, tables(freed) + tables(terminator->getNumOperands()) +
                   llvm::alignTo(freed, plan::kAlignment));
  }

  /// Adds the terminator as an op, after all others.
  void addReturning(Operation *terminator, uint64_t bytes) {
    plan::Op node;
    node.name = nameOf(terminator);
    node.runsOnce = true;
    node.workspaceBytes = bytes;
    for (Value value : valuesReadBy(terminator)) {
      node.inputs.push_back(idOf(value));
      readMaking(value, /*isInsertion=*/false, node);
    }
    for (OpId id = 0; id < result.graph.ops.size(); ++id)
      node.after.push_back(id);
    addNode(std::move(node), terminator, std::nullopt);
  }

  void setPhases() {
    plan::Liveness liveness =
        plan::computeLiveness(result.graph, inProgramOrder(result.graph));
    for (OpId id = 0; id < phases.size(); ++id)
      result.graph.ops[id].backward =
          phases[id] ? *phases[id] == Phase::Backward : id > liveness.peakStep;
  }

  Block &block;
  const rt::Roofline &roofline;
  HeldInside &inside;
  FunctionGraph result;
  llvm::DenseMap<Value, ValueId> ids;
  llvm::DenseMap<Value, MadeOf> madeOf;
  std::vector<std::optional<Phase>> phases; // by OpId
  std::optional<OpId> last;                 // of those that keep their order
  /// Constants, and values that may share their storage: at run time their
  /// storage is compared with every storage that may have to be freed.
  llvm::DenseSet<ValueId> ofUnknownOrigin;
  TensorsInMemory inMemory;
  ValueId content = kNone;   // the current contents of memory, once an op has
                             // read it
  SmallVector<OpId> readers; // of `content`
  std::optional<OpId> lastWrite;
  double milliseconds = 0; // of all ops
  uint64_t bytes = 0;      // of all values and workspaces
  bool hasCarried = false;
  bool isOpaque = false;  // a value may be in any storage
  bool isDynamic = false; // see StorageSources::isFreedAtEnd
};
} // namespace

FailureOr<FunctionGraph> reprise::buildBlockGraph(Block &block,
                                                  ValueRange carried,
                                                  const rt::Roofline &roofline,
                                                  HeldInside &inside) {
  GraphBuilder builder(block, roofline, inside);
  builder.addCarried(carried);
  return builder.build();
}

FailureOr<FunctionGraph>
reprise::buildFunctionGraph(func::FuncOp function,
                            const rt::Roofline &roofline) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError()
           << "has " << function.getBody().getBlocks().size()
           << " blocks; only functions of one can be planned";
  HeldInside inside(roofline);
  GraphBuilder builder(function.getBody().front(), roofline, inside);
  builder.donated = remat::donatedArguments(function);
  FailureOr<FunctionGraph> graph = builder.build();
  if (succeeded(graph))
    graph->function = function;
  return graph;
}
