//===- ReduceModule.cpp - Reduce a failing module -------------------------===//
//
// Input:   a module that a script finds interesting (exits with 1).
// Output:  a module with fewer ops, or with less text, that the script also
//          finds interesting.
// Method:  delta debugging (Zeller and Hildebrandt 2002, "Simplifying and
//          Isolating Failure-Inducing Input"): each step is tried on runs of
//          ops, from all of them down to single ones, on a clone of the module.
//          A clone that verifies, is smaller and is interesting takes the
//          module's place. Steps repeat until none of them helps.
// Fails:   when the script does not find the input interesting.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "reprise/Passes/Reduce.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Steps: each returns whether it changed an op
//===----------------------------------------------------------------------===//

static bool endsBlock(Operation *op) {
  return op == &op->getBlock()->back() &&
         op->mightHaveTrait<OpTrait::IsTerminator>();
}

static bool eraseUnused(ArrayRef<Operation *> ops) {
  bool changed = false;
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && !endsBlock(op)) {
      op->erase();
      changed = true;
    }
  return changed;
}

/// Replaces the results of ops by their operands of the same type.
static bool useOperands(ArrayRef<Operation *> ops) {
  bool changed = false;
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> values;
    for (Type type : op->getResultTypes())
      for (Value operand : op->getOperands())
        if (operand.getType() == type) {
          values.push_back(operand);
          break;
        }
    if (values.empty() || values.size() != op->getNumResults())
      continue;
    op->replaceAllUsesWith(values);
    op->erase();
    changed = true;
  }
  return changed;
}

static bool eraseUnusedArguments(ArrayRef<Operation *> ops) {
  bool changed = false;
  for (Operation *op : ops) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || function.isExternal())
      continue;
    for (unsigned k = function.getNumArguments(); k-- > 0;)
      if (function.getArgument(k).use_empty())
        changed |= succeeded(function.eraseArgument(k));
  }
  return changed;
}

/// Erases result `k` of a function of one block, and the returned operand.
static bool eraseResult(FunctionOpInterface function, unsigned k) {
  if (!function.getFunctionBody().hasOneBlock())
    return false;
  Operation *end = function.getFunctionBody().front().getTerminator();
  if (end->getNumOperands() != function.getNumResults() ||
      failed(function.eraseResult(k)))
    return false;
  end->eraseOperand(k);
  return true;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
class Reducer {
public:
  Reducer(ModuleOp module, const Tester &tester)
      : tester(tester), best(module.clone()), size(sizeOf(module)) {
    RewritePatternSet set(module.getContext());
    for (const DialectReductionPatternInterface &dialect :
         DialectInterfaceCollection<DialectReductionPatternInterface>(
             module.getContext()))
      dialect.populateReductionPatterns(set);
    patterns = std::move(set);
  }

  bool isInteresting() { return isInteresting(*best); }

  OwningOpRef<ModuleOp> reduce() {
    // Diagnostics of candidates that do not verify are not the user's errors.
    ScopedDiagnosticHandler quiet(best->getContext(),
                                  [](Diagnostic &) { return success(); });
    auto simplify = [&](ArrayRef<Operation *> ops) {
      bool changed = false;
      GreedyRewriteConfig config;
      config.setStrictness(GreedyRewriteStrictness::ExistingOps);
      (void)applyOpPatternsGreedily(ops, patterns, config, &changed);
      return changed;
    };
    for (bool changed = true; changed;) {
      changed = sweep(eraseUnused);
      changed |= sweep(useOperands);
      changed |= sweep(simplify);
      changed |= sweepResults();
      changed |= sweep(eraseUnusedArguments);
    }
    return std::move(best);
  }

private:
  using Step = llvm::function_ref<bool(ArrayRef<Operation *>)>;
  using Size = std::pair<size_t, size_t>; // compute ops; bytes of text

  static Size sizeOf(ModuleOp module) {
    size_t computing = 0;
    module.walk([&](Operation *op) {
      computing += !op->hasTrait<OpTrait::ConstantLike>();
    });
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return {computing, text.size()};
  }

  /// Returns all ops except the module; ops in regions follow their parent.
  static SmallVector<Operation *> opsOf(ModuleOp module) {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != module)
        ops.push_back(op);
    });
    return ops;
  }

  bool isInteresting(ModuleOp module) {
    return tester.isInteresting(module).first == Tester::Interestingness::True;
  }

  /// Keeps the result of `step` on ops [first, first + length) if it helps.
  bool tryStep(Step step, size_t first, size_t length) {
    OwningOpRef<ModuleOp> candidate = best->clone();
    SmallVector<Operation *> ops = opsOf(*candidate);
    length = std::min(length, ops.size() - first);
    if (!step(ArrayRef(ops).slice(first, length)))
      return false;
    Size smaller = sizeOf(*candidate);
    if (smaller >= size || !isInteresting(*candidate))
      return false;
    best = std::move(candidate);
    size = smaller;
    return true;
  }

  bool sweep(Step step) {
    bool changed = false;
    for (size_t length = opsOf(*best).size(); length > 0; length /= 2)
      for (size_t first = 0; first < opsOf(*best).size();)
        if (tryStep(step, first, length))
          changed = true; // other ops are at `first` now
        else
          first += length;
    return changed;
  }

  bool sweepResults() {
    unsigned most = 0;
    for (Operation *op : opsOf(*best))
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        most = std::max(most, function.getNumResults());
    bool changed = false;
    for (unsigned k = most; k-- > 0;)
      changed |= sweep([&](ArrayRef<Operation *> ops) {
        bool erased = false;
        for (Operation *op : ops)
          if (auto function = dyn_cast<FunctionOpInterface>(op);
              function && !function.isExternal() &&
              k < function.getNumResults())
            erased |= eraseResult(function, k);
        return erased;
      });
    return changed;
  }

  const Tester &tester;
  FrozenRewritePatternSet patterns;
  OwningOpRef<ModuleOp> best;
  Size size;
};

struct ReductionPass : PassWrapper<ReductionPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReductionPass)

  ReductionPass() = default;
  ReductionPass(const ReductionPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "reduction-tree"; }
  StringRef getDescription() const override {
    return "makes a module smaller while a script exits with 1 on it";
  }

  Option<std::string> test{*this, "test",
                           llvm::cl::desc("script that is given a file")};
  ListOption<std::string> testArguments{
      *this, "test-arg", llvm::cl::desc("arguments before the file")};
  Option<unsigned> traversalMode{
      *this, "traversal-mode", llvm::cl::init(0),
      llvm::cl::desc("accepted for compatibility; ignored")};

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (test.empty()) {
      module.emitError("give the script as test=SCRIPT");
      return signalPassFailure();
    }
    SmallVector<std::string> arguments(testArguments.begin(),
                                       testArguments.end());
    Tester tester(test.getValue(), arguments);
    Reducer reducer(module, tester);
    if (!reducer.isInteresting()) {
      module.emitError() << "'" << test
                         << "' does not exit with 1 on the whole module, so "
                            "that nothing can be reduced";
      return signalPassFailure();
    }
    module.getBodyRegion().takeBody(reducer.reduce()->getBodyRegion());
  }
};
} // namespace

void reprise::registerReductionPass() { PassRegistration<ReductionPass>(); }
