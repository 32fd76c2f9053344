//===- FunctionGraph.cpp - A function of any dialect, for planning --------===//
//
// Input:   a function of one block.
// Output:  a checked plan::Graph and the ops that its ops stand for.
// Method:  one walk in program order. Ops that may not move relative to each
//          other form a chain. Tensors that bufferization may leave in memory,
//          as bufferization.to_tensor gives them, read that memory where their
//          readers stand: no execution of a reader passes a write. What runs
//          after the moment of most live bytes is the backward pass, unless
//          ops say otherwise.
// Cost:    linear in the uses.
// Fails:   see buildFunctionGraph.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/FunctionGraph.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "reprise/Fault.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::StorageClass;
using plan::ValueId;

SmallVector<Value> reprise::valuesReadBy(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

/// Whether `op` or an op in its regions writes or frees memory, or does not
/// say.
static bool mayWrite(Operation *op) {
  WalkResult walk = op->walk([](Operation *inner) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!interface)
      return inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    bool writes = interface.hasEffect<MemoryEffects::Write>() ||
                  interface.hasEffect<MemoryEffects::Free>();
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool FunctionGraph::isFree(Operation *op) const {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         (op->getNumResults() == 1 && viewed.contains(op->getResult(0)));
}

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
  GraphBuilder(func::FuncOp function, const rt::Roofline &roofline)
      : roofline(roofline) {
    result.function = function;
  }

  FailureOr<FunctionGraph> build() {
    func::FuncOp function = result.function;
    if (!llvm::hasSingleElement(function.getBody()))
      return function.emitError()
             << "has " << function.getBody().getBlocks().size()
             << " blocks; only functions of one can be planned";
    addArguments();
    Block &body = function.getBody().front();
    // Not without_terminator(), which does not leave out unregistered ones.
    for (Operation &op : llvm::drop_end(body))
      if (failed(addOp(&op)))
        return failure();
    addReturned(body.getTerminator());
    if (std::string error = plan::checkGraph(result.graph); !error.empty())
      return function.emitError() << "cannot be planned: " << error;
    setPhases();
    return std::move(result);
  }

private:
  /// Of a view: what making it reads and waits for, beside what it views.
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
  }

  void addArguments() {
    for (BlockArgument argument : result.function.getArguments()) {
      result.argumentBytes = llvm::SaturatingAdd(
          result.argumentBytes, remat::bytesOf(argument.getType()).value_or(0));
      addFixed(argument, "arg" + std::to_string(argument.getArgNumber()));
    }
  }

  /// "linalg.matmul", behind the name of its location if that has one.
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
    FailureOr<remat::OpFacts> facts = remat::describeOp(op);
    if (failed(facts))
      return failure();
    if (facts->viewSource && facts->execution == remat::Execution::Anywhere) {
      addView(op, *facts->viewSource);
    } else {
      if (facts->viewSource)
        countAsValue(op, *facts);
      addRunnable(op, *facts);
      if (failed(addToTotals(op)))
        return failure();
    }
    noteTensorsInMemory(op);
    return success();
  }

  bool isInMemory(Value value) const {
    return isa<BaseMemRefType>(value.getType()) || inMemory.contains(value);
  }

  /// Whether `op` or an op in its regions takes a value in memory and may hand
  /// it on as a tensor, which no op does that only loads from it.
  bool handsOnMemory(Operation *op) const {
    WalkResult walk = op->walk([&](Operation *inner) {
      bool hands =
          inner == op || inner->hasTrait<OpTrait::IsTerminator>() ||
          llvm::any_of(inner->getResultTypes(), llvm::IsaPred<TensorType>);
      return hands && llvm::any_of(
                          inner->getOperands(),
                          [&](Value value) { return isInMemory(value); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return walk.wasInterrupted();
  }

  /// Notes the tensors that `op` makes of memory without a copy, as far as
  /// anybody knows: results tied to a destination in memory, and all those of
  /// other ops that hand on memory and do not allocate the result.
  void noteTensorsInMemory(Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    auto tied = dyn_cast<DestinationStyleOpInterface>(op);
    if (!handsOnMemory(op))
      return;
    for (OpResult made : op->getResults()) {
      bool isCopy =
          !isa<TensorType>(made.getType()) ||
          (tied && !isInMemory(tied.getTiedOpOperand(made)->get())) ||
          (effects && effects.getEffectOnValue<MemoryEffects::Allocate>(made));
      if (!isCopy)
        inMemory.insert(made);
    }
  }

  /// Whether bufferization may have `op` write its results into memory.
  bool writesInPlace(Operation *op) const {
    auto tied = dyn_cast<DestinationStyleOpInterface>(op);
    return tied && llvm::any_of(op->getResults(), [&](OpResult made) {
             return isInMemory(tied.getTiedOpOperand(made)->get());
           });
  }

  /// Keeps every execution of `node` between the writes around it, if it reads
  /// memory: it reads a value that the next write overwrites.
  void readMemory(OpId id, ArrayRef<Value> read, plan::Op &node) {
    if (llvm::none_of(read, [&](Value value) { return isInMemory(value); }))
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

  /// A view that runs once is a value of its own: it takes what it views, or as
  /// many bytes as that where that lives on.
  void countAsValue(Operation *op, remat::OpFacts &facts) const {
    unsigned source = *facts.viewSource;
    const plan::Value &viewed =
        result.graph.values[rootOf(ids.lookup(op->getOperand(source)))];
    facts.resultBytes = {viewed.bytes};
    facts.milliseconds = facts.milliseconds.value_or(0);
    if (viewed.storage != StorageClass::Fixed)
      facts.inPlace = {{0, source}};
  }

  void addView(Operation *op, unsigned source) {
    Value view = op->getResult(0), viewed = op->getOperand(source);
    ValueId base = ids.lookup(viewed);
    // A copy: adding may move what is named.
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

  /// Adds that `value` is read, or only waited for.
  void addMaking(Value value, bool isWaitedFor, MadeOf &made) {
    MadeOf other = madeOf.lookup(value);
    ValueId id = ids.lookup(value);
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

  /// Bytes of what is read: arguments and constants have some as well.
  uint64_t bytesOf(Value value) const {
    ValueId root = rootOf(ids.lookup(value));
    return result.graph.values[root].storage == StorageClass::Fixed
               ? remat::bytesOf(value.getType()).value_or(0)
               : result.graph.values[root].bytes;
  }

  /// What the op or an estimate says that one execution takes.
  double millisecondsOf(Operation *op, ArrayRef<Value> read,
                        const remat::OpFacts &facts) const {
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
    bool isInPlace = writesInPlace(op);
    bool isInOrder = isInPlace || facts.execution == remat::Execution::InOrder;
    node.effect = isInOrder || facts.execution != remat::Execution::Anywhere;
    REPRISE_FAULT("fixed-op-executed-again", node.effect = false);
    SmallVector<Value> read = valuesReadBy(op);
    node.cost = millisecondsOf(op, read, facts);
    for (Value value : read)
      node.inputs.push_back(ids.lookup(value));
    for (Value value : read)
      readMaking(value, node);
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
    REPRISE_FAULT("effects-in-any-order", last.reset());
    if (isInOrder) {
      if (last)
        node.after.push_back(*last);
      last = id;
    }
    if (!isInOrder)
      readMemory(id, read, node);
    else if (isInPlace || mayWrite(op))
      writeMemory(id, node);
    result.graph.ops.push_back(std::move(node));
    result.ops.push_back(op);
    phases.push_back(facts.phase);
  }

  /// Adds the op added last, which is `op`, to the sums that the planner
  /// bounds, and refuses the op that takes one past its bound.
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

  /// What a view is made of beside what it views is read with it.
  void readMaking(Value view, plan::Op &node) const {
    auto made = madeOf.find(view);
    if (made == madeOf.end())
      return;
    llvm::append_range(node.inputs, made->second.inputs);
    llvm::append_range(node.after, made->second.after);
  }

  void keep(ValueId value) {
    value = rootOf(value);
    if (result.graph.values[value].storage != StorageClass::Fixed)
      result.graph.values[value].storage = StorageClass::Output;
  }

  void addReturned(Operation *terminator) {
    for (Value value : valuesReadBy(terminator)) {
      keep(ids.lookup(value));
      for (ValueId read : madeOf.lookup(value).inputs)
        keep(read);
    }
  }

  void setPhases() {
    plan::Liveness liveness =
        plan::computeLiveness(result.graph, inProgramOrder(result.graph));
    for (OpId id = 0; id < phases.size(); ++id)
      result.graph.ops[id].backward =
          phases[id] ? *phases[id] == remat::Phase::Backward
                     : id > liveness.peakStep;
  }

  const rt::Roofline &roofline;
  FunctionGraph result;
  llvm::DenseMap<Value, ValueId> ids;
  llvm::DenseMap<Value, MadeOf> madeOf;            // by view
  std::vector<std::optional<remat::Phase>> phases; // by OpId
  std::optional<OpId> last;       // of those that keep their order
  llvm::DenseSet<Value> inMemory; // tensors; see noteTensorsInMemory
  ValueId content = kNone;        // of memory now, once an op has read it
  SmallVector<OpId> readers;      // of `content`
  std::optional<OpId> lastWrite;
  double milliseconds = 0; // of all ops
  uint64_t bytes = 0;      // of all values and workspaces
};
} // namespace

FailureOr<FunctionGraph>
reprise::buildFunctionGraph(func::FuncOp function,
                            const rt::Roofline &roofline) {
  return GraphBuilder(function, roofline).build();
}
