//===- Autocast.cpp - Products in bf16 or f16 -----------------------------===//
//
// Input:   a model.
// Output:  the same with ops in the types of their rules and casts between
//          them. Variables, arguments and results keep their types.
// Method:  in the order of ops: the types of operands are known, and determine
//          those of the results. A value is cast to a type once per block.
// Cost:    linear.
// Fails:   on a differentiated function; on a type other than bf16 and f16.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/Autocast.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Patches.h"
#include "reprise/Passes/Train.h"

namespace reprise {
#define GEN_PASS_DEF_SGAUTOCAST
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static bool isReal(Value value) {
  return isa<FloatType>(tensorOf(value).getElementType());
}

/// Returns true for a number whose type does not matter: it takes that of the
/// other operand.
static bool isNumber(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op))
    return tensorOf(broadcast.getOperand()).getRank() == 0 ||
           isNumber(broadcast.getOperand());
  return isa_and_present<ConstantOp>(op);
}

/// Returns the repeated vector that `add` adds to each row of its other
/// operand, or null.
static BroadcastOp vectorIn(AddOp add) {
  int64_t last = tensorOf(add.getResult()).getRank() - 1;
  for (Value operand : add->getOperands())
    if (auto vector = operand.getDefiningOp<BroadcastOp>())
      if (vector.getDims() == ArrayRef<int64_t>{last})
        return vector;
  return {};
}

/// Returns the addition of a vector to each row of `product`, if nothing else
/// reads the product: the bias belongs to the product and is rounded with it.
static AddOp biasOf(Value product) {
  while (product.hasOneUse()) {
    OpOperand &use = *product.use_begin();
    if (auto reshape = dyn_cast<ReshapeOp>(use.getOwner())) {
      product = reshape.getResult();
      continue;
    }
    auto add = dyn_cast<AddOp>(use.getOwner());
    return add && vectorIn(add) ? add : AddOp();
  }
  return {};
}

namespace {

/// Casts the ops of one function.
class Caster {
public:
  Caster(func::FuncOp function, FloatType narrow)
      : function(function), narrow(narrow),
        wide(Float32Type::get(function.getContext())) {}

  void run() { castBlock(function.getBody().front()); }

private:
  using Casts = llvm::DenseMap<std::pair<Value, Type>, Value>;
  /// Selects among an op's operands or results.
  using Which = llvm::function_ref<bool(Value)>;
  static bool all(Value) { return true; }

  bool isOurs(Value value) const {
    Type element = tensorOf(value).getElementType();
    return element == wide || element == narrow;
  }

  void castBlock(Block &block);
  void castOp(Operation *op);
  void castModule(SgModuleOp module);
  void apply(Operation *op, AutocastRule rule);
  void narrowOp(Operation *op);
  void follow(Operation *op);
  void finishBias(AddOp add, bool isOperand);
  void restore(Operation *op);
  void restore(OpBuilder &builder, OpOperand &operand);
  FloatType widest(Operation *op) const;
  void castOperands(Operation *op, FloatType type, Which which = all);
  void setResults(Operation *op, Type element, Which which = all);
  Value as(OpBuilder &builder, Value value, Type element);

  func::FuncOp function;
  FloatType narrow, wide;
  /// The original types of values whose type changed.
  llvm::DenseMap<Value, Type> before;
  /// Additions of biases; true if libraries run them with the product.
  llvm::DenseMap<Operation *, bool> biases;
  Casts *casts = nullptr; // of the current block
};

} // namespace

/// Returns `value` in another element type.
Value Caster::as(OpBuilder &builder, Value value, Type element) {
  if (tensorOf(value).getElementType() == element)
    return value;
  // A widened value still exists with narrow elements.
  if (auto cast = value.getDefiningOp<CastOp>())
    if (tensorOf(cast.getOperand()).getElementType() == element &&
        tensorOf(value).getElementType() == wide)
      return cast.getOperand();
  auto [found, isNew] = casts->try_emplace({value, element});
  if (isNew)
    found->second = CastOp::create(builder, value.getLoc(),
                                   tensorOf(value).clone(element), value);
  return found->second;
}

void Caster::castOperands(Operation *op, FloatType type, Which which) {
  OpBuilder builder(op);
  OriginScope scope(builder, op);
  for (OpOperand &operand : op->getOpOperands())
    if (isReal(operand.get()) && isOurs(operand.get()) && which(operand.get()))
      operand.set(as(builder, operand.get(), type));
}

void Caster::setResults(Operation *op, Type element, Which which) {
  for (Value result : op->getResults()) {
    if (!isReal(result) || !which(result) ||
        tensorOf(result).getElementType() == element)
      continue;
    before.try_emplace(result, result.getType());
    result.setType(tensorOf(result).clone(element));
  }
}

/// Returns the widest type of operands that are not mere numbers; f32 if all
/// are.
FloatType Caster::widest(Operation *op) const {
  bool hasNarrow = false;
  for (Value operand : op->getOperands()) {
    if (!isReal(operand) || isNumber(operand))
      continue;
    if (tensorOf(operand).getElementType() == wide)
      return wide;
    hasNarrow = true;
  }
  return hasNarrow ? narrow : wide;
}

void Caster::apply(Operation *op, AutocastRule rule) {
  for (ValueRange values :
       {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values)
      if (isReal(value) && !isOurs(value))
        return restore(op);
  switch (rule) {
  case AutocastRule::Narrow:
    return narrowOp(op);
  case AutocastRule::Wide:
    castOperands(op, wide);
    return setResults(op, wide);
  case AutocastRule::Widest: {
    FloatType type = widest(op);
    castOperands(op, type);
    return setResults(op, type);
  }
  case AutocastRule::First:
    return follow(op);
  }
}

void Caster::narrowOp(Operation *op) {
  auto ruled = cast<AutocastOpInterface>(op);
  auto isNarrowed = [&](Value value) { return !ruled.staysWide(value); };
  auto isStatistic = [&](Value value) { return ruled.staysWide(value); };
  castOperands(op, narrow, isNarrowed);
  castOperands(op, wide, isStatistic);
  AddOp bias = op->getNumResults() == 1 ? biasOf(op->getResult(0)) : AddOp();
  if (bias) {
    biases[bias] = isa<MatMulOp>(op) || isOfPatches(op);
  }
  setResults(op, bias ? wide : narrow, isNarrowed);
}

/// The first operand determines the type; the others keep theirs, which may be
/// wider but not narrower.
void Caster::follow(Operation *op) {
  SmallVector<OpOperand *> real;
  for (OpOperand &operand : op->getOpOperands())
    if (isReal(operand.get()))
      real.push_back(&operand);
  if (real.empty())
    return;
  OpOperand *first = real.front();
  OpBuilder builder(op);
  OriginScope scope(builder, op);
  for (OpOperand *other : llvm::drop_begin(real)) {
    restore(builder, *other);
    if (tensorOf(other->get()).getElementType() == narrow)
      first->set(as(builder, first->get(), narrow));
  }
  setResults(op, tensorOf(first->get()).getElementType());
}

/// A product with its bias is as narrow as one without. Where the library adds
/// the bias, it is an operand like the others: narrow numbers are added in f32.
void Caster::finishBias(AddOp add, bool isOperand) {
  OpBuilder builder(add);
  // An already narrow value has been widened as a whole.
  BroadcastOp rows = vectorIn(add);
  if (isOperand && rows &&
      tensorOf(rows.getOperand()).getElementType() == wide) {
    OriginScope scope(builder, add);
    Value bias = as(builder, rows.getOperand(), narrow);
    bias =
        CastOp::create(builder, add.getLoc(), tensorOf(bias).clone(wide), bias);
    Value repeated = BroadcastOp::create(builder, add.getLoc(), rows.getType(),
                                         bias, rows.getDims());
    add->replaceUsesOfWith(rows.getResult(), repeated);
  }
  builder.setInsertionPointAfter(add);
  OriginScope scope(builder, add);
  Value sum = add.getResult();
  auto rounded =
      CastOp::create(builder, add.getLoc(), tensorOf(sum).clone(narrow), sum);
  sum.replaceAllUsesExcept(rounded, rounded);
  auto was = before.find(sum);
  Type original = was != before.end() ? was->second : sum.getType();
  before.try_emplace(rounded, original);
}

/// Restores the operand types that an op was written for.
void Caster::restore(Operation *op) {
  OpBuilder builder(op);
  OriginScope scope(builder, op);
  for (OpOperand &operand : op->getOpOperands())
    restore(builder, operand);
}

void Caster::restore(OpBuilder &builder, OpOperand &operand) {
  if (auto was = before.find(operand.get()); was != before.end())
    operand.set(as(builder, operand.get(),
                   cast<RankedTensorType>(was->second).getElementType()));
}

/// A block takes its operands in any type and returns its results in theirs.
void Caster::castModule(SgModuleOp module) {
  for (auto [operand, argument] :
       llvm::zip_equal(module.getInputs(), module.getBody().getArguments())) {
    if (argument.getType() == operand.getType())
      continue;
    before.try_emplace(argument, argument.getType());
    argument.setType(operand.getType());
  }
  castBlock(module.getBody().front());
  for (auto [result, yielded] :
       llvm::zip_equal(module.getResults(), module.getYield().getOperands())) {
    if (result.getType() == yielded.getType())
      continue;
    before.try_emplace(result, result.getType());
    result.setType(yielded.getType());
  }
}

void Caster::castOp(Operation *op) {
  if (auto module = dyn_cast<SgModuleOp>(op))
    return castModule(module);
  if (isa<YieldOp>(op))
    return;
  auto ruled = dyn_cast<AutocastOpInterface>(op);
  if (!ruled)
    return restore(op);
  apply(op, ruled.getAutocastRule());
  if (auto bias = biases.find(op); bias != biases.end())
    finishBias(cast<AddOp>(op), bias->second);
}

void Caster::castBlock(Block &block) {
  Casts own, *outer = std::exchange(casts, &own);
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops)
    castOp(op);
  casts = outer;
}

namespace {
class Autocast : public reprise::impl::SgAutocastBase<Autocast> {
public:
  using SgAutocastBase::SgAutocastBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Builder builder(&getContext());
    FloatType narrow = type == "bf16"  ? FloatType(builder.getBF16Type())
                       : type == "f16" ? FloatType(builder.getF16Type())
                                       : FloatType();
    if (!narrow) {
      function.emitError() << "has no mixed precision of type '" << type
                           << "'; bf16 and f16 are possible";
      return signalPassFailure();
    }
    WalkResult walk = function.walk([](BackwardOp op) {
      op.emitOpError() << "is there already; types are chosen before "
                          "differentiation";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    // Norms spare only operands of f32.
    function.walk([](BatchNormOp norm) { norm.setSparesX(false); });
    if (!function.isExternal())
      Caster(function, narrow).run();
  }
};
} // namespace
