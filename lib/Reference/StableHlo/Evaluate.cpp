//===- Evaluate.cpp - Runs functions of StableHLO -------------------------===//
//
// Input:   a function and values of its arguments.
// Output:  the values of its results.
// Method:  op by op in the order of the block; a value is forgotten after the
//          last op that reads it.
// Cost:    that of the ops.
// Fails:   at an op that is not evaluated, or whose operands do not fit.
//
//===----------------------------------------------------------------------===//
#include "Models.h"
#include "reprise/Reference/StableHloEvaluator.h"

#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

/// Relative and absolute error that check.expect_close and
/// check.expect_almost_eq accept.
static constexpr double kTolerance = 1e-4;

namespace {
class Interpreter {
public:
  hlo::Results run(Block &block, ArrayRef<Tensor> arguments) {
    if (block.getNumArguments() != arguments.size())
      return block.getParentOp()->emitError()
             << "has " << block.getNumArguments() << " arguments and is given "
             << arguments.size();
    for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
      values[argument] = value;
    for (Operation &op : block.without_terminator())
      if (failed(execute(op)))
        return failure();
    SmallVector<Tensor> results;
    for (Value value : block.getTerminator()->getOperands()) {
      if (!values.count(value))
        return block.getTerminator()->emitError() << "returns no tensor";
      results.push_back(values.at(value));
    }
    return results;
  }

private:
  LogicalResult execute(Operation &op) {
    for (Type type : op.getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          !tensor || !tensor.hasStaticShape() ||
          !tensor.getElementType().isIntOrFloat())
        return op.emitOpError()
               << "makes a " << type << ", which is not evaluated";
    SmallVector<const Tensor *> operands;
    for (Value value : op.getOperands()) {
      auto found = values.find(value);
      if (found == values.end())
        return op.emitOpError() << "reads what is no tensor";
      operands.push_back(&found->second);
    }
    hlo::Results results = evaluate(op, operands);
    if (failed(results))
      return failure();
    for (auto [result, value] : llvm::zip(op.getResults(), *results)) {
      if (value.getType() != result.getType())
        return op.emitOpError() << "makes a " << value.getType()
                                << " where its type is " << result.getType();
      values[result] = std::move(value);
    }
    for (Value value : op.getOperands())
      if (isLastUse(value, &op))
        values.erase(value);
    return success();
  }

  /// True in a function's block if no op after `op` reads `value`.
  static bool isLastUse(Value value, Operation *op) {
    return isa<func::FuncOp>(op->getParentOp()) &&
           value.getParentBlock() == op->getBlock() &&
           llvm::all_of(value.getUsers(), [&](Operation *user) {
             Operation *reader = op->getBlock()->findAncestorOpInBlock(*user);
             return reader == op || reader->isBeforeInBlock(op);
           });
  }

  hlo::Results runRegion(Region &region, ArrayRef<Tensor> arguments) {
    return run(region.front(), arguments);
  }

  static hlo::Results one(hlo::Result result) {
    if (failed(result))
      return failure();
    return SmallVector<Tensor>{std::move(*result)};
  }

  static hlo::Results allOf(hlo::Operands operands) {
    SmallVector<Tensor> passed;
    for (const Tensor *operand : operands)
      passed.push_back(*operand);
    return passed;
  }

  hlo::Results evaluate(Operation &op, hlo::Operands operands) {
    auto body = [this](Region &region, ArrayRef<Tensor> arguments) {
      return runRegion(region, arguments);
    };
    // The case of an op with one result that its operands alone determine.
    auto of = [&](auto *evaluate) {
      return [&operands, evaluate](auto op) {
        return one(evaluate(op, operands));
      };
    };
    if (hlo::isElementwise(&op))
      return one(hlo::evaluateElementwise(&op, operands));
    return llvm::TypeSwitch<Operation *, hlo::Results>(&op)
        .Case([&](ConstantOp op) { return constant(op); })
        .Case([&](IotaOp op) { return one(hlo::evaluateIota(op)); })
        .Case<BroadcastInDimOp>(of(hlo::evaluateBroadcast))
        .Case<ReshapeOp>(of(hlo::evaluateReshape))
        .Case<TransposeOp>(of(hlo::evaluateTranspose))
        .Case<ReverseOp>(of(hlo::evaluateReverse))
        .Case<SliceOp>(of(hlo::evaluateSlice))
        .Case<PadOp>(of(hlo::evaluatePad))
        .Case<ConcatenateOp>(of(hlo::evaluateConcatenate))
        .Case<DynamicSliceOp>(of(hlo::evaluateDynamicSlice))
        .Case<DynamicUpdateSliceOp>(of(hlo::evaluateDynamicUpdateSlice))
        .Case<DotGeneralOp>(of(hlo::evaluateDot))
        .Case<ConvolutionOp>(of(hlo::evaluateConvolution))
        .Case([&](ReduceOp op) {
          return hlo::evaluateReduce(op, operands, body);
        })
        .Case([&](ReduceWindowOp op) {
          return hlo::evaluateReduceWindow(op, operands, body);
        })
        .Case([&](SelectAndScatterOp op) {
          return one(hlo::evaluateSelectAndScatter(op, operands, body));
        })
        .Case<GatherOp>(of(hlo::evaluateGather))
        .Case([&](ScatterOp op) {
          return hlo::evaluateScatter(op, operands, body);
        })
        .Case([&](OptimizationBarrierOp) { return allOf(operands); })
        .Case([&](remat::BarrierOp) { return allOf(operands.take_front()); })
        .Case([&](WhileOp op) { return loop(op, operands); })
        .Case([&](IfOp op) {
          if (operands[0]->isReal() || operands[0]->size() != 1)
            return hlo::Results(hlo::misfit(op));
          return runRegion(operands[0]->integer(0) ? op.getTrueBranch()
                                                   : op.getFalseBranch(),
                           {});
        })
        .Case([&](CustomCallOp op) { return custom(op, operands); })
        .Default([](Operation *op) {
          return hlo::Results(op->emitOpError() << "is not evaluated");
        });
  }

  static hlo::Results constant(ConstantOp op) {
    hlo::Result made = Tensor::fromAttribute(op.getValue());
    if (failed(made))
      return op.emitOpError() << "has no readable elements";
    return one(std::move(made));
  }

  hlo::Results loop(WhileOp op, hlo::Operands operands) {
    constexpr uint64_t kMostIterations = 1 << 20;
    SmallVector<Tensor> state = *allOf(operands);
    for (uint64_t k = 0; k < kMostIterations; ++k) {
      hlo::Results goesOn = runRegion(op.getCond(), state);
      if (failed(goesOn))
        return failure();
      if (goesOn->size() != 1 || goesOn->front().isReal())
        return hlo::misfit(op);
      if (!goesOn->front().integer(0))
        return state;
      hlo::Results next = runRegion(op.getBody(), state);
      if (failed(next) || next->size() != state.size())
        return failure();
      state = std::move(*next);
    }
    return op.emitOpError() << "runs more than " << kMostIterations << " times";
  }

  static hlo::Results custom(CustomCallOp op, hlo::Operands operands) {
    StringRef target = op.getCallTargetName();
    if (op.getRematViewSource())
      return allOf(operands);
    if (!target.consume_front("check.expect_") || operands.size() != 2)
      return op.emitOpError() << "is not evaluated";
    const Tensor &a = *operands[0], &b = *operands[1];
    bool isExact = target == "eq";
    if (a.getType() != b.getType())
      return hlo::misfit(op);
    for (int64_t i = 0; i < a.size(); ++i)
      if (!areEqual(a.number(i), b.number(i), isExact))
        return op.emitOpError()
               << "finds " << a.number(i) << " where " << b.number(i)
               << " is expected, at element " << i;
    return SmallVector<Tensor>();
  }

  static bool areEqual(double a, double b, bool isExact) {
    if (a == b || (a != a && b != b))
      return true;
    return !isExact &&
           std::fabs(a - b) <= kTolerance * std::max(1.0, std::fabs(b));
  }

  /// Values stay where they are when others are added.
  std::map<Value, Tensor, bool (*)(Value, Value)> values{[](Value a, Value b) {
    return a.getAsOpaquePointer() < b.getAsOpaquePointer();
  }};
};
} // namespace

FailureOr<SmallVector<Tensor>>
reference::evaluateStableHlo(func::FuncOp function,
                             ArrayRef<Tensor> arguments) {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "is not one block";
  return Interpreter().run(function.getBody().front(), arguments);
}
