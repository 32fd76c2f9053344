//===- Differentiate.cpp - The backward pass and the optimizer ------------===//
//
// Input:   a model: a function with a scalar loss among its results, the one
//          that is bound as such or the first.
// Output:  the function with sg.backward and the optimizer's writes; each
//          sg.module whose gradient is wanted has a mirror in sg.backward.
// Method:  reverse-mode differentiation by source transformation. First every
//          module returns every value of its body, so that derivatives may use
//          any of them; then each block is walked backwards, ops emit their
//          vector-Jacobian products, modules recurse into mirrors; last, unused
//          results are pruned. The remaining ones are the kept values.
// Cost:    linear in the ops and their results.
// Fails:   at an op through which a gradient flows and that has no derivative.
//          Where the optimizer would write or declare a variable that the model
//          writes or declares.
//
//===----------------------------------------------------------------------===//

#include "ExpandTraining.h"
#include "FinishStep.h"
#include "LossScaling.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/TrainedVariables.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace reprise {
#define GEN_PASS_DEF_SGDIFFERENTIATE
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {

/// Values whose gradient is wanted: those that depend on a parameter that is
/// not frozen, through floating-point values.
class Activity {
public:
  Activity(func::FuncOp function, SymbolTable &symbols) : symbols(symbols) {
    visit(function.getBody().front());
  }
  bool contains(Value value) const { return active.contains(value); }

private:
  static bool isReal(Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value.getType()));
  }

  void visit(Block &block) {
    for (Operation &op : block)
      if (auto read = dyn_cast<ReadOp>(op))
        visit(read);
      else if (auto module = dyn_cast<SgModuleOp>(op))
        visit(module);
      else if (llvm::any_of(op.getOperands(),
                            [&](Value v) { return contains(v); }))
        for (Value result : op.getResults())
          if (isReal(result))
            active.insert(result);
  }

  void visit(ReadOp read) {
    auto variable = symbols.lookup<VariableOp>(read.getVariable());
    if (isTrained(variable) && isReal(read.getResult()))
      active.insert(read.getResult());
  }

  void visit(SgModuleOp module) {
    Block &body = module.getBody().front();
    for (auto [argument, input] :
         llvm::zip_equal(body.getArguments(), module.getInputs()))
      if (contains(input))
        active.insert(argument);
    visit(body);
    for (auto [result, value] :
         llvm::zip_equal(module->getResults(), module.getYield().getOperands()))
      if (contains(value))
        active.insert(result);
  }

  SymbolTable &symbols;
  DenseSet<Value> active;
};

/// Returns the key of a gradient's sum. A mark is another name of its tensor: a
/// separate sum would be added in another order, with other bits.
Value keyOf(Value value) { return unmarkedDefinitionOf(value); }

/// Returns true if a value is computed in a block and not only passed through
/// it.
bool isWithin(Value value, SgModuleOp module) {
  Operation *op = keyOf(value).getDefiningOp();
  return op && module->isProperAncestor(op);
}

using ParameterGradients = llvm::MapVector<StringAttr, Value>;

/// The backward pass of one block: of the function, or of a module's body.
class Level : public VjpContext {
public:
  Level(OpBuilder &builder, const Activity &activity)
      : VjpContext(builder), activity(activity) {}

  /// Emits the derivatives of `block`'s ops, last to first.
  LogicalResult reverse(Block &block) {
    for (Operation &op : llvm::reverse(block))
      if (failed(reverse(&op)))
        return failure();
    return success();
  }

  Value cotangent(OpResult result) override { return gradientOf(result); }

  bool needsGradient(OpOperand &operand) override {
    return activity.contains(operand.get());
  }

  void addGradient(OpOperand &operand, Value gradient) override {
    assert(gradient.getType() == operand.get().getType() &&
           "a gradient has the type of its value");
    accumulate(operand.get(), gradient);
  }

  Value forward(Value value) override {
    // The derivative of an op may read its result, through a mark.
    for (Operation *reader : value.getUsers())
      if (auto mark = dyn_cast<KeepOp>(reader))
        return keep(mark.getResult());
    if (!isFree(value))
      return keep(value);
    Value &copy = copies[value];
    if (!copy)
      copy = builder.clone(*value.getDefiningOp())->getResult(0);
    return copy;
  }

  /// Adds to the gradient of a value. A sum begun by later blocks continues
  /// from its last term to its first across blocks: the order, and so every
  /// bit, does not depend on the blocks. For the same reason all reads of a
  /// parameter share one sum: a cut adds reads.
  void accumulate(Value value, Value gradient) {
    value = keyOf(value);
    if (auto read = value.getDefiningOp<ReadOp>())
      return addParameter(read.getVariableAttr().getAttr(), gradient);
    Value before = sumSoFar(value);
    gradients[value] = add(before, gradient);
  }

  /// Returns the sum that this level has begun; null if there is none, and for
  /// a parameter.
  Value gradientOf(Value value) const { return gradients.lookup(keyOf(value)); }

  /// Replaces the gradient by one that includes it.
  void setGradient(Value value, Value gradient) {
    gradients[keyOf(value)] = gradient;
  }
  void setParameter(StringAttr name, Value gradient) {
    parameters[name] = gradient;
  }

  /// Returns the gradient of a definition so far, at this level or around it.
  virtual Value sumSoFar(Value value) { return gradients.lookup(value); }
  virtual Value sumSoFar(StringAttr name) { return parameters.lookup(name); }

  ParameterGradients parameters;

protected:
  /// Returns a value of this block that isn't free, as seen by the backward
  /// pass.
  virtual Value keep(Value value) = 0;

private:
  LogicalResult reverse(Operation *op);
  LogicalResult reverse(SgModuleOp module);

  void addParameter(StringAttr name, Value gradient) {
    Value before = sumSoFar(name);
    parameters[name] = add(before, gradient);
  }

  Value add(Value sum, Value gradient) {
    return sum ? AddOp::create(builder, gradient.getLoc(), sum, gradient)
                     .getResult()
               : gradient;
  }

  const Activity &activity;
  DenseMap<Value, Value> gradients; // by definition
  DenseMap<Value, Value> copies;
};

/// The function's own block: sg.backward sees its values directly.
class FunctionLevel : public Level {
public:
  using Level::Level;

private:
  Value keep(Value value) override { return value; }
};

/// A module's body: its values reach the mirror as inputs.
class ModuleLevel : public Level {
public:
  ModuleLevel(OpBuilder &builder, const Activity &activity, SgModuleOp module,
              Level &outer, Block &mirror)
      : Level(builder, activity), module(module), outer(outer), mirror(mirror) {
    for (auto [k, value] : llvm::enumerate(module.getYield().getOperands()))
      resultOf.try_emplace(value, module->getResult(k));
  }

  /// Returns the argument of the mirror that carries `value` of the outer
  /// mirror.
  Value input(Value value) {
    auto [place, isNew] = arguments.try_emplace(value);
    if (isNew) {
      place->second = mirror.addArgument(value.getType(), value.getLoc());
      inputs.push_back(value);
    }
    return place->second;
  }

  Value sumSoFar(Value value) override {
    if (Value sum = Level::sumSoFar(value))
      return sum;
    Value before = outer.sumSoFar(value);
    return before ? input(before) : Value();
  }

  Value sumSoFar(StringAttr name) override {
    if (Value sum = Level::sumSoFar(name))
      return sum;
    Value before = outer.sumSoFar(name);
    return before ? input(before) : Value();
  }

  SmallVector<Value> inputs;

private:
  Value keep(Value value) override {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return input(outer.forward(module.getInputs()[argument.getArgNumber()]));
    OpResult result = resultOf.lookup(value);
    assert(result && "every value of a body is handed out");
    return input(outer.forward(result));
  }

  SgModuleOp module;
  Level &outer;
  Block &mirror;
  DenseMap<Value, OpResult> resultOf;
  DenseMap<Value, Value> arguments;
};

LogicalResult Level::reverse(Operation *op) {
  // A derivative's origin is the leaf of its op.
  OriginScope scope(builder, op);
  if (auto module = dyn_cast<SgModuleOp>(op))
    return reverse(module);
  if (isa<KeepOp, RecomputeOp>(op))
    return success(); // see keyOf
  if (llvm::none_of(op->getResults(), [&](OpResult r) {
        return gradientOf(r) && activity.contains(r);
      }))
    return success();
  auto vjp = dyn_cast<VjpOpInterface>(op);
  if (!vjp)
    return op->emitError() << "a gradient flows through '" << op->getName()
                           << "', which has neither a derivative nor a "
                              "decomposition";
  return vjp.buildVjp(*this);
}

LogicalResult Level::reverse(SgModuleOp module) {
  unsigned primal = module.getNumPrimalResults();
  auto results = module->getResults().take_front(primal);
  if (llvm::none_of(results, [&](Value r) {
        return gradientOf(r) && activity.contains(r);
      }))
    return success();
  OperationState state(module.getLoc(), SgModuleOp::getOperationName());
  Block &mirror = state.addRegion()->emplaceBlock();
  OpBuilder inner(module.getContext());
  inner.setInsertionPointToEnd(&mirror);
  ModuleLevel level(inner, activity, module, *this, mirror);
  YieldOp yield = module.getYield();
  for (auto [result, value] : llvm::zip(results, yield.getOperands()))
    if (Value gradient = gradientOf(result);
        gradient && activity.contains(result) && isWithin(value, module))
      level.setGradient(value, level.input(gradient));
  Block &body = module.getBody().front();
  if (failed(level.reverse(body)))
    return failure();

  SmallVector<Value> yielded, wanted;
  SmallPtrSet<Value, 4> isNew;
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), module.getInputs()))
    if (Value gradient = level.gradientOf(argument);
        gradient && isNew.insert(keyOf(input)).second) {
      yielded.push_back(gradient);
      wanted.push_back(input);
    }
  for (auto &[name, gradient] : level.parameters)
    yielded.push_back(gradient);
  YieldOp::create(inner, module.getLoc(), yielded);
  state.addOperands(level.inputs);
  state.addTypes(ValueRange(yielded).getTypes());
  state.addAttribute("path", module.getPathAttr());
  state.addAttribute("phase",
                     PhaseAttr::get(module.getContext(), Phase::Backward));
  state.addAttribute("instance", module.getInstanceAttr());
  Operation *op = builder.create(state);
  for (auto [input, gradient] : llvm::zip(wanted, op->getResults())) {
    Value sum = gradient;
    setGradient(input, sum);
  }
  for (auto [k, entry] : llvm::enumerate(level.parameters))
    setParameter(entry.first, op->getResult(wanted.size() + k));
  return success();
}

class Differentiate : public reprise::impl::SgDifferentiateBase<Differentiate> {
public:
  using SgDifferentiateBase::SgDifferentiateBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<StepEnd> read = readStepEnd(
        getOperation(), {optimizer, hyperparameters, noWeightDecay, clipMode,
                         clipNorm, clipTolerance, clipMomentum, clipNormType,
                         emitNonFinite, emitGradients, lossScaling});
    if (failed(read))
      return signalPassFailure();
    end = std::move(*read);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(differentiate(function, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult differentiate(func::FuncOp function, SymbolTable &symbols);
  LogicalResult check(func::FuncOp function);
  static void numberModules(func::FuncOp function);
  static LogicalResult decomposeWithoutVjp(func::FuncOp function,
                                           SymbolTable &symbols);
  static void handOutEverything(func::FuncOp function);
  Value cotangentOf(OpBuilder &builder, Value loss) const;
  FailureOr<BackwardOp> emitBackward(func::FuncOp function,
                                     SymbolTable &symbols);

  StepEnd end;
};
} // namespace

static SmallVector<ParameterGradient> gradientsOf(BackwardOp backward) {
  SmallVector<ParameterGradient> gradients;
  for (auto [symbol, gradient] :
       llvm::zip_equal(backward.getParameters().getAsRange<FlatSymbolRefAttr>(),
                       backward.getGradients()))
    gradients.push_back({symbol, gradient});
  return gradients;
}

LogicalResult Differentiate::differentiate(func::FuncOp function,
                                           SymbolTable &symbols) {
  if (failed(check(function)) ||
      (!oneValueNorms && syncRanks < 2 &&
       failed(checkNormalizations(function))) ||
      failed(checkStepEnd(function, symbols, end)))
    return failure();
  expandTraining(function, syncRanks);
  numberModules(function);
  if (failed(decomposeWithoutVjp(function, symbols)))
    return failure();
  handOutEverything(function);
  if (end.lossScaling)
    declareLossScale(symbols);
  FailureOr<BackwardOp> backward = emitBackward(function, symbols);
  if (failed(backward))
    return failure();
  pruneModules(function);
  setBinding(function, findLoss(function), BindingRole::Loss);
  SmallVector<ParameterGradient> gradients = gradientsOf(*backward);
  if (end.lossScaling)
    gradients = unscale(function, gradients);
  finishStep(function, gradients, symbols, end);
  return success();
}

/// Derivatives only create values by shape and element type.
static LogicalResult refuseEncodings(func::FuncOp function) {
  auto isEncoded = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getEncoding();
  };
  WalkResult walk = function.walk([&](Operation *op) {
    bool inside = llvm::any_of(op->getRegions(), [&](Region &region) {
      return llvm::any_of(region.getArguments(), isEncoded);
    });
    if (!inside && !llvm::any_of(op->getResults(), isEncoded))
      return WalkResult::advance();
    op->emitError() << "has a tensor with an encoding, which cannot be "
                       "differentiated";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult Differentiate::check(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "differentiation needs a function of one block";
  auto types = function.getFunctionType().getResults();
  unsigned index = findLoss(function);
  auto loss = index >= types.size() ? RankedTensorType()
                                    : dyn_cast<RankedTensorType>(types[index]);
  if (!loss || loss.getRank() != 0 || !isa<FloatType>(loss.getElementType()))
    return function.emitError()
           << "differentiation needs a scalar floating-point loss as first "
              "result, or as the one of 'sg.binding = #sg.binding<loss>'";
  WalkResult walk = function.walk([](Operation *op) {
    if (isa<BackwardOp>(op))
      op->emitError() << "the function is differentiated already";
    else if (op->hasAttr(SgDialect::kOriginAttr))
      op->emitError() << "the function is flat already; differentiate it "
                         "before sg-flatten";
    else
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted() || failed(refuseEncodings(function)));
}

void Differentiate::numberModules(func::FuncOp function) {
  Builder builder(function.getContext());
  int64_t next = 0;
  function.walk<WalkOrder::PreOrder>([&](SgModuleOp module) {
    module.setInstanceAttr(builder.getI64IntegerAttr(next++));
  });
}

LogicalResult Differentiate::decomposeWithoutVjp(func::FuncOp function,
                                                 SymbolTable &symbols) {
  bool changed = true;
  while (changed) {
    changed = false;
    Activity activity(function, symbols);
    SmallVector<Operation *> composites;
    function.walk([&](Operation *op) {
      if (isa<DecomposeOpInterface>(op) && !isa<VjpOpInterface>(op) &&
          llvm::any_of(op->getResults(),
                       [&](Value r) { return activity.contains(r); }))
        composites.push_back(op);
    });
    for (Operation *op : composites) {
      OpBuilder builder(op);
      OriginScope scope(builder, op);
      auto values = cast<DecomposeOpInterface>(op).decompose(builder);
      if (failed(values))
        return failure();
      op->replaceAllUsesWith(*values);
      op->erase();
      changed = true;
    }
  }
  return success();
}

void Differentiate::handOutEverything(func::FuncOp function) {
  SmallVector<Block *> bodies;
  function.walk(
      [&](SgModuleOp module) { bodies.push_back(&module.getBody().front()); });
  for (Block *body : bodies) {
    SmallVector<Value> values;
    for (Operation &op : *body)
      if (!isa<ReadOp, ConstantOp>(op))
        llvm::append_range(values, op.getResults());
    exposeResults(body, values);
  }
}

/// Returns the loss's cotangent: 1, or the scale if the loss is scaled.
Value Differentiate::cotangentOf(OpBuilder &builder, Value loss) const {
  auto type = cast<RankedTensorType>(loss.getType());
  if (!end.lossScaling)
    return createSplat(builder, loss.getLoc(), type, 1.0);
  Value scale = readLossScale(builder, loss.getLoc());
  if (scale.getType() == type)
    return scale;
  return CastOp::create(builder, loss.getLoc(), type, scale);
}

FailureOr<BackwardOp> Differentiate::emitBackward(func::FuncOp function,
                                                  SymbolTable &symbols) {
  Block &body = function.getBody().front();
  Activity activity(function, symbols);
  Operation *terminator = body.getTerminator();
  Value loss = terminator->getOperand(findLoss(function));
  Location loc = loss.getLoc();
  OperationState state(loc, BackwardOp::getOperationName());
  Region *region = state.addRegion();
  OpBuilder inner(function.getContext());
  inner.setInsertionPointToEnd(&region->emplaceBlock());
  FunctionLevel level(inner, activity);
  if (!activity.contains(loss))
    return function.emitError()
           << "the loss depends on no parameter that is trained";
  level.accumulate(loss, cotangentOf(inner, loss));
  if (failed(level.reverse(body)))
    return failure();

  SmallVector<Value> gradients;
  SmallVector<Attribute> names;
  for (auto variable :
       function->getParentOfType<mlir::ModuleOp>().getOps<VariableOp>())
    if (Value gradient = level.parameters.lookup(variable.getSymNameAttr())) {
      gradients.push_back(gradient);
      names.push_back(FlatSymbolRefAttr::get(variable.getSymNameAttr()));
    }
  YieldOp::create(inner, loc, gradients);
  state.addTypes(ValueRange(gradients).getTypes());
  state.addAttribute("parameters", inner.getArrayAttr(names));
  OpBuilder builder(terminator);
  return cast<BackwardOp>(builder.create(state));
}
