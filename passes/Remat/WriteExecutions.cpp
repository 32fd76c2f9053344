//===- WriteExecutions.cpp - A schedule of executions as IR ---------------===//
//
// Input:   a function of any dialect, its graph, the executions of its ops.
// Output:  the same function with an op for each execution, in that order.
// Method:  a new body is built from the executions. A map knows the newest
//          instance of every value; constants are made once, views anew for
//          each instance of what they view, empty tensors for each reader. What
//          a clone reads goes through a barrier that waits for the op in front
//          of it, so that nothing merges the clone with its original or hoists
//          it; a clone that reads nothing differs from its original by the
//          count of its executions alone.
// Cost:    linear in the executions.
// Fails:   never on executions that passed plan::checkExecutions.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/RematToBudget.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;

namespace {
class ExecutionWriter {
public:
  explicit ExecutionWriter(const FunctionGraph &problem)
      : problem(problem), function(problem.function),
        old(function.getBody().front()), executed(problem.ops.size(), 0),
        builder(function.getContext()) {
    for (Operation &op : old)
      if (auto made = op.getAttrOfType<IntegerAttr>(kRecomputed))
        numbered = std::max(numbered, made.getInt());
  }

  void write(const plan::Executions &executions) {
    auto *fresh = new Block();
    function.getBody().push_back(fresh);
    builder.setInsertionPointToEnd(fresh);
    for (BlockArgument argument : old.getArguments())
      newest[argument] =
          fresh->addArgument(argument.getType(), argument.getLoc());
    for (OpId id : executions)
      execute(id);
    copy(old.getTerminator(), Guarded());
    old.dropAllReferences();
    old.erase();
  }

private:
  static constexpr llvm::StringLiteral kRecomputed =
      remat::RematDialect::kRecomputed;

  /// By value: the barrier's result that a clone reads in its place.
  using Guarded = llvm::DenseMap<Value, Value>;

  /// The newest instance of a view, what it reads, and when that was known to
  /// be the newest.
  struct View {
    Value instance;
    SmallVector<Value> read;
    size_t lookedAt = 0;
  };

  /// The instance of `value` that a reader takes now.
  Value resolve(Value value) {
    for (Operation *view : viewsBehind(value))
      remake(view);
    return instanceOf(value);
  }

  /// The same, where the views it is made of are those of now.
  Value instanceOf(Value value) {
    Operation *op = value.getDefiningOp();
    if (op && isa<tensor::EmptyOp>(op))
      return makeEmpty(op);
    if (!op || !problem.isFree(op))
      return newest.lookup(value);
    if (problem.viewed.contains(value))
      return views.lookup(op).instance;
    if (Value known = newest.lookup(value))
      return known;
    return newest[value] = builder.clone(*op)->getResult(0);
  }

  /// An empty tensor for one reader: readers of one would share its storage
  /// from the first of them to the last.
  Value makeEmpty(Operation *op) {
    Operation *made = copy(op, Guarded());
    if (unsigned before = empties[op->getResult(0).getType()]++)
      made->setAttr(kRecomputed, builder.getI64IntegerAttr(numbered + before));
    return made->getResult(0);
  }

  /// Views that `value` is made of and that may not be those of now, in the
  /// order in which they can be made.
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

  /// Makes a view anew if something that it is made of has another instance.
  void remake(Operation *op) {
    IRMapping mapping;
    SmallVector<Value> read;
    for (Value value : valuesReadBy(op)) {
      read.push_back(instanceOf(value));
      mapping.map(value, read.back());
    }
    View &view = views[op];
    view.lookedAt = now;
    if (view.read == read)
      return;
    view.read = std::move(read);
    view.instance = builder.clone(*op, mapping)->getResult(0);
  }

  /// The op on the newest instances of what it reads, or on what `guarded` has
  /// in their place.
  Operation *copy(Operation *op, const Guarded &guarded) {
    IRMapping mapping;
    for (Value value : valuesReadBy(op)) {
      Value instance = guarded.lookup(value);
      mapping.map(value, instance ? instance : resolve(value));
    }
    return builder.clone(*op, mapping);
  }

  void execute(OpId id) {
    Operation *op = problem.ops[id];
    if (isa<tensor::EmptyOp>(op))
      return; // Readers make theirs.
    unsigned before = executed[id]++;
    Operation *made = copy(op, before ? guard(op) : Guarded());
    if (before)
      made->setAttr(kRecomputed, builder.getI64IntegerAttr(numbered + before));
    for (auto [value, instance] :
         llvm::zip_equal(op->getResults(), made->getResults()))
      newest[value] = instance;
    ++now;
    if (made->getNumResults())
      last = made->getResult(0);
  }

  /// Puts what a clone of `op` reads behind barriers that wait for the op
  /// executed last.
  Guarded guard(Operation *op) {
    Guarded guarded;
    for (Value value : valuesReadBy(op)) {
      Value instance = resolve(value);
      // Constants are shared: what reads nothing else has its count.
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
  std::vector<unsigned> executed; // times, by op
  int64_t numbered = 0; // the clones that an earlier run of the pass wrote
  OpBuilder builder;
  llvm::DenseMap<Value, Value> newest;
  llvm::DenseMap<Operation *, View> views;
  llvm::DenseMap<Type, unsigned> empties; // made, by type
  size_t now = 1;                         // one more with each execution
  Value last;                             // a result of the op executed last
};
} // namespace

void reprise::writeExecutions(const FunctionGraph &problem,
                              const plan::Executions &executions) {
  ExecutionWriter(problem).write(executions);
}
