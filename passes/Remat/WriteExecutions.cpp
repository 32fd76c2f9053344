//===- WriteExecutions.cpp - A schedule of executions as IR ---------------===//
//
// Input:   a function of any dialect, its graph, the executions of its ops.
// Output:  the same function with an op for each execution, in that order.
// Method:  a new body is built from the executions. A map knows the newest
//          instance of every value; constants are emitted once; views again for
//          each instance of the viewed value, and after an op that may
//          overwrite it. A clone's operands go through a barrier that waits for
//          the preceding op, so that nothing merges the clone with its original
//          or hoists it; a clone that reads nothing differs from its original
//          only by its number, which is unique in the function. An op has empty
//          destinations of its own, numbered for the same reason: one that
//          several ops write lives from the first to the last.
// Cost:    linear in the executions.
// Fails:   never on executions that passed plan::checkExecutions.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/RematToBudget.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;

namespace {
class ExecutionWriter {
public:
  explicit ExecutionWriter(const FunctionGraph &problem)
      : problem(problem), function(problem.function),
        old(function.getBody().front()), executed(problem.ops.size(), false),
        builder(function.getContext()) {
    function.walk([&](Operation *op) {
      if (auto number =
              op->getAttrOfType<IntegerAttr>(remat::RematDialect::kRecomputed))
        clones = std::max<int64_t>(clones, number.getInt());
    });
    for (auto [view, viewed] : problem.viewed)
      viewsOf[rootOf(view)].push_back(view.getDefiningOp());
  }

  void write(const plan::Executions &executions) {
    auto *fresh = new Block();
    function.getBody().push_back(fresh);
    builder.setInsertionPointToEnd(fresh);
    for (BlockArgument argument : old.getArguments())
      newest[argument] =
          fresh->addArgument(argument.getType(), argument.getLoc());
    for (OpId id : executions)
      if (problem.ops[id] != old.getTerminator())
        execute(id);
    copy(old.getTerminator(), Guarded());
    old.dropAllReferences();
    old.erase();
  }

private:
  /// Maps a value to the barrier's result that a clone reads in its place.
  using Guarded = llvm::DenseMap<Value, Value>;

  /// The newest instance of a view, the op it reads, and the time when it was
  /// known to be the newest.
  struct View {
    Value instance;
    SmallVector<Value> read;
    size_t lookedAt = 0;
    bool isOverwritten = false; // its bytes may have been
  };

  /// Returns the instance of `value` that a reader now uses.
  Value resolve(Value value) {
    for (Operation *view : viewsBehind(value))
      remake(view);
    return instanceOf(value);
  }

  /// Returns the same, given that the views under it are current.
  Value instanceOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !problem.isFree(op))
      return newest.lookup(value);
    if (problem.viewed.contains(value))
      return views.lookup(op).instance;
    if (Value known = newest.lookup(value))
      return known;
    return newest[value] = builder.clone(*op)->getResult(0);
  }

  /// Returns the views under `value` that may be out of date, in an order in
  /// which they can be emitted.
  SmallVector<Operation *> viewsBehind(Value value) {
    llvm::SetVector<Operation *> found;
    auto add = [&](Value other) {
      Operation *op = other.getDefiningOp();
      if (problem.viewed.contains(other) && views[op].lookedAt != now)
        found.insert(op);
    };
    add(value);
    for (size_t at = 0; at < found.size(); ++at)
      for (Value read : valuesReadBy(found[at]))
        add(read);
    SmallVector<Operation *> sorted = found.takeVector();
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return sorted;
  }

  /// Emits a view again if something under it has another instance.
  void remake(Operation *op) {
    IRMapping mapping;
    SmallVector<Value> read;
    for (Value value : valuesReadBy(op)) {
      read.push_back(instanceOf(value));
      mapping.map(value, read.back());
    }
    View &view = views[op];
    view.lookedAt = now;
    if (view.read == read && !view.isOverwritten)
      return;
    bool isRepeated = view.read == read;
    view.read = std::move(read);
    view.isOverwritten = false;
    Operation *made = builder.clone(*op, mapping);
    view.instance = made->getResult(0);
    if (isRepeated)
      number(made, remat::RematDialect::kRecomputed, ++clones);
  }

  void number(Operation *op, StringRef attribute, int64_t count) {
    op->setAttr(attribute, builder.getI64IntegerAttr(count));
  }

  /// Emits views of values that `op` may overwrite again for it and for their
  /// later readers: bufferization may then copy the view for these readers
  /// instead of the destination of `op`.
  void noteOverwritten(Operation *op) {
    auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
    if (!destinations)
      return;
    for (Value destination : destinations.getDpsInits())
      for (Operation *view : viewsOf.lookup(rootOf(destination)))
        views[view].isOverwritten = true;
  }

  Value rootOf(Value value) const {
    while (Value viewed = problem.viewed.lookup(value))
      value = viewed;
    return value;
  }

  /// Copies the op onto the newest instances of its operands, or onto their
  /// replacements in `guarded`.
  Operation *copy(Operation *op, const Guarded &guarded) {
    IRMapping mapping;
    for (Value value : valuesReadBy(op)) {
      if (isDestination(value))
        continue;
      Value instance = guarded.lookup(value);
      mapping.map(value, instance ? instance : resolve(value));
    }
    return builder.clone(*op, mapping);
  }

  bool isDestination(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && problem.isDestination(op);
  }

  /// Gives `made` empty destinations of its own.
  void addDestinations(Operation *made) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(made);
    for (OpOperand &operand : made->getOpOperands()) {
      if (!isDestination(operand.get()))
        continue;
      Operation *empty = builder.clone(*operand.get().getDefiningOp());
      number(empty, remat::RematDialect::kDestination, ++emptied);
      operand.set(empty->getResult(0));
    }
  }

  void execute(OpId id) {
    Operation *op = problem.ops[id];
    bool isClone = executed[id];
    executed[id] = true;
    noteOverwritten(op);
    Operation *made = copy(op, isClone ? guard(op) : Guarded());
    addDestinations(made);
    if (isClone)
      number(made, remat::RematDialect::kRecomputed, ++clones);
    for (auto [value, instance] :
         llvm::zip_equal(op->getResults(), made->getResults()))
      newest[value] = instance;
    noteOverwritten(op);
    ++now;
    if (made->getNumResults())
      last = made->getResult(0);
  }

  /// Passes the operands of a clone of `op` through barriers that wait for the
  /// op executed last.
  Guarded guard(Operation *op) {
    Guarded guarded;
    for (Value value : valuesReadBy(op)) {
      if (isDestination(value))
        continue;
      Value instance = resolve(value);
      // Constants are shared: a clone that reads nothing else has its number.
      if (matchesConstant(instance))
        continue;
      guarded[value] = remat::BarrierOp::create(
          builder, op->getLoc(), instance.getType(), instance,
          last ? ValueRange(last) : ValueRange());
    }
    return guarded;
  }

  static bool matchesConstant(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->hasTrait<OpTrait::ConstantLike>();
  }

  const FunctionGraph &problem;
  func::FuncOp function;
  Block &old;
  std::vector<bool> executed; // by op
  OpBuilder builder;
  llvm::DenseMap<Value, Value> newest;
  llvm::DenseMap<Operation *, View> views;
  llvm::DenseMap<Value, SmallVector<Operation *>> viewsOf; // by root
  size_t now = 1;      // one more with each execution
  int64_t clones = 0;  // the largest number of one
  int64_t emptied = 0; // the same of destinations
  Value last;          // a result of the op executed last
};
} // namespace

void reprise::writeExecutions(const FunctionGraph &problem,
                              const plan::Executions &executions) {
  ExecutionWriter(problem).write(executions);
}
