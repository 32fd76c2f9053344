//===- Derivative.cpp - Gradients by rules and by differences -------------===//

#include "Derivative.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

static bool isReal(Type type) {
  return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
}

LogicalResult
reference::testing::decomposeOps(func::FuncOp function,
                                 llvm::function_ref<bool(Operation *)> wanted) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      auto composite = dyn_cast<DecomposeOpInterface>(&op);
      if (!composite || !wanted(&op))
        continue;
      OpBuilder builder(&op);
      FailureOr<SmallVector<Value>> values = composite.decompose(builder);
      if (failed(values))
        return op.emitError() << "did not decompose";
      if (ValueRange(*values).getTypes() != op.getResultTypes())
        return op.emitError() << "changed its types by decomposing";
      op.replaceAllUsesWith(*values);
      op.erase();
      changed = true;
    }
  }
  return success();
}

namespace {
/// Keeps every forward value and asks for every floating-point gradient.
class TestVjpContext final : public VjpContext {
public:
  explicit TestVjpContext(OpBuilder &builder) : VjpContext(builder) {}

  Value forward(Value value) override { return value; }
  Value cotangent(OpResult result) override { return gradients.lookup(result); }
  bool needsGradient(OpOperand &operand) override {
    return isReal(operand.get().getType());
  }
  void addGradient(OpOperand &operand, Value gradient) override {
    EXPECT_EQ(gradient.getType(), operand.get().getType());
    add(operand.get(), gradient);
  }
  void add(Value value, Value gradient) {
    Value &sum = gradients[value];
    sum = sum ? sg::AddOp::create(builder, value.getLoc(), sum, gradient)
                    .getResult()
              : gradient;
  }

  llvm::DenseMap<Value, Value> gradients;
};
} // namespace

LogicalResult reference::testing::differentiate(func::FuncOp function) {
  auto hasNoRule = [](Operation *op) { return !isa<VjpOpInterface>(op); };
  if (failed(decomposeOps(function, hasNoRule)))
    return failure();
  Block &body = function.getBody().front();
  SmallVector<Value> inputs(body.getArguments());
  SmallVector<Operation *> forward;
  for (Operation &op : body.without_terminator())
    forward.push_back(&op);
  Operation *ret = body.getTerminator();
  OpBuilder builder(ret);
  TestVjpContext context(builder);
  for (Value result : ret->getOperands())
    if (isReal(result.getType()))
      context.add(result, body.addArgument(result.getType(), ret->getLoc()));
  for (Operation *op : llvm::reverse(forward)) {
    bool isReached = llvm::any_of(op->getResults(), [&](OpResult result) {
      return context.cotangent(result) != nullptr;
    });
    if (!isReached || isa<sg::ConstantOp>(op))
      continue;
    auto rule = dyn_cast<VjpOpInterface>(op);
    if (!rule || failed(rule.buildVjp(context)))
      return op->emitError() << "has no vector-Jacobian product";
  }
  SmallVector<Value> gradients;
  for (Value input : inputs)
    if (isReal(input.getType())) {
      Value gradient = context.gradients.lookup(input);
      if (!gradient)
        gradient = sg::createSplat(builder, ret->getLoc(),
                                   cast<RankedTensorType>(input.getType()), 0);
      gradients.push_back(gradient);
    }
  ret->setOperands(gradients);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             body.getArgumentTypes(),
                                             ValueRange(gradients).getTypes()));
  return success();
}

/// sum(y * r) over the floating-point results.
static double weighted(func::FuncOp function, ArrayRef<Tensor> arguments,
                       ArrayRef<Tensor> weights) {
  VariableStore none;
  FailureOr<SmallVector<Tensor>> results = evaluate(function, arguments, none);
  if (failed(results)) {
    ADD_FAILURE() << "the evaluation failed";
    return 0.0;
  }
  double sum = 0.0;
  const Tensor *weight = weights.begin();
  for (const Tensor &result : *results) {
    if (!result.isReal())
      continue;
    for (int64_t i = 0; i < result.size(); ++i)
      sum += result.real(i) * weight->real(i);
    ++weight;
  }
  return sum;
}

SmallVector<Tensor> reference::testing::differences(func::FuncOp function,
                                                    ArrayRef<Tensor> arguments,
                                                    ArrayRef<Tensor> weights) {
  // Truncation grows with h^2, rounding with 1e-16 / h: about 1e-10 each.
  constexpr double h = 1e-5;
  SmallVector<Tensor> point(arguments), gradients;
  for (Tensor &argument : point) {
    if (!argument.isReal())
      continue;
    Tensor gradient(argument.getType());
    for (int64_t i = 0; i < argument.size(); ++i) {
      double before = argument.real(i);
      argument.real(i) = before + h;
      double above = weighted(function, point, weights);
      argument.real(i) = before - h;
      double below = weighted(function, point, weights);
      argument.real(i) = before;
      gradient.real(i) = (above - below) / (2.0 * h);
    }
    gradients.push_back(gradient);
  }
  return gradients;
}
