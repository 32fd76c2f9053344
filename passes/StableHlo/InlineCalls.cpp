//===- InlineCalls.cpp - One block for a step that calls functions --------===//
//
// Input:   a module of functions.
// Output:  the same without calls of functions that have a body.
// Method:  callees first, so that every body is copied once per call. Stock
//          inlining asks the call graph, which does not know the regions of ops
//          that no dialect registers.
// Cost:    linear in the resulting ops.
// Fails:   on recursion, on callees of several blocks, and past kMostOps.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/StableHlo.h"

#include "mlir/IR/IRMapping.h"

namespace reprise {
#define GEN_PASS_DEF_STABLEHLOINLINECALLS
#include "reprise/Passes/StableHloPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

/// Calls can double a function's size at each level.
static constexpr uint64_t kMostOps = 1 << 20;

namespace {
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : symbols(module) {}

  /// Inlines the calls of `function`, with those of its callees.
  LogicalResult expand(func::FuncOp function) {
    auto [known, isNew] = states.try_emplace(function, State::Active);
    if (!isNew)
      return known->second == State::Done
                 ? success()
                 : function.emitError() << "calls itself";
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (failed(inlineCall(call)))
        return failure();
    states[function] = State::Done;
    return success();
  }

private:
  enum class State { Active, Done };

  LogicalResult inlineCall(func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return success();
    if (failed(expand(callee)))
      return failure();
    if (!callee.getBody().hasOneBlock())
      return call.emitOpError() << "calls a function of several blocks";
    Block &body = callee.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    OpBuilder builder(call);
    for (Operation &op : body.without_terminator()) {
      ops += countOf(op);
      if (ops > kMostOps)
        return call.emitOpError()
               << "takes the step past " << kMostOps << " ops when inlined";
      builder.clone(op, mapping);
    }
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    call.replaceAllUsesWith(results);
    call.erase();
    return success();
  }

  static uint64_t countOf(Operation &op) {
    uint64_t count = 0;
    op.walk([&](Operation *) { ++count; });
    return count;
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> states;
  uint64_t ops = 0;
};

class InlineCalls
    : public reprise::impl::StableHloInlineCallsBase<InlineCalls> {
public:
  void runOnOperation() override {
    CallInliner inliner(getOperation());
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isPrivate() && failed(inliner.expand(function)))
        return signalPassFailure();
    // Functions that only an attribute refers to keep their calls' meaning.
    while (eraseUnused()) {
    }
  }

private:
  bool eraseUnused() {
    llvm::DenseSet<StringAttr> used;
    getOperation().walk([&](Operation *op) {
      op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
        used.insert(symbol.getRootReference());
      });
    });
    bool isChanged = false;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (!function.isPrivate() || used.contains(function.getSymNameAttr()))
        continue;
      function.erase();
      isChanged = true;
    }
    return isChanged;
  }
};
} // namespace
