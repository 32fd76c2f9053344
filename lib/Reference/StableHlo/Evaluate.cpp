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
#include <map>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

/// Calls may recur without end.
static constexpr unsigned kDeepestCall = 256;

static bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

/// True for ops that take complex numbers, or refuse them themselves.
static bool knowsComplex(Operation *op) {
  return hlo::isElementwise(op) ||
         isa<BitcastConvertOp, BroadcastInDimOp, CaseOp, ComplexOp, CompositeOp,
             ConcatenateOp, ConstantOp, CustomCallOp, DotGeneralOp, IfOp,
             ImagOp, IotaOp, OptimizationBarrierOp, PadOp, RealOp, ReduceOp,
             ReshapeOp, ReverseOp, SliceOp, SortOp, TransposeOp, WhileOp,
             func::CallOp>(op);
}

namespace {
class Interpreter {
public:
  explicit Interpreter(unsigned depth = 0) : depth(depth) {}

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
          !(tensor.getElementType().isIntOrFloat() || isComplex(tensor)))
        return op.emitOpError()
               << "makes a " << type << ", which is not evaluated";
    if (!knowsComplex(&op) && (llvm::any_of(op.getResultTypes(), isComplex) ||
                               llvm::any_of(op.getOperandTypes(), isComplex)))
      return op.emitOpError() << "is not evaluated on complex numbers";
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
        .Case<BitcastConvertOp>(of(hlo::evaluateBitcast))
        .Case<ComplexOp>(of(hlo::evaluateMakeComplex))
        .Case<RealOp, ImagOp>(
            [&](Operation *op) { return one(hlo::evaluatePart(op, operands)); })
        .Case<DotGeneralOp>(of(hlo::evaluateDot))
        .Case<DotOp>(of(hlo::evaluateMatrixProduct))
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
        .Case([&](SortOp op) { return hlo::evaluateSort(op, operands, body); })
        .Case([&](chlo::TopKOp op) { return hlo::evaluateTopK(op, operands); })
        .Case([&](BatchNormTrainingOp op) {
          return hlo::evaluateTraining(op, operands);
        })
        .Case([&](BatchNormInferenceOp op) {
          return hlo::evaluateInference(op, operands);
        })
        .Case([&](BatchNormGradOp op) {
          return hlo::evaluateGradient(op, operands);
        })
        .Case([&](RngBitGeneratorOp op) {
          return hlo::evaluateRandomBits(op, operands);
        })
        .Case<OptimizationBarrierOp, sdy::ShardingConstraintOp>(
            [&](Operation *) { return allOf(operands); })
        .Case([&](remat::BarrierOp) { return allOf(operands.take_front()); })
        .Case([&](WhileOp op) { return loop(op, operands); })
        .Case([&](IfOp op) {
          if (!operands[0]->getElementType().isInteger(1) ||
              operands[0]->size() != 1)
            return hlo::Results(hlo::misfit(op));
          return runRegion(operands[0]->integer(0) ? op.getTrueBranch()
                                                   : op.getFalseBranch(),
                           {});
        })
        .Case([&](CaseOp op) { return choose(op, *operands[0]); })
        .Case([&](func::CallOp op) {
          return call(op, op.getCalleeAttr(), operands);
        })
        .Case([&](CompositeOp op) {
          return call(op, op.getDecompositionAttr(), operands);
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
      if (goesOn->size() != 1 || !goesOn->front().getElementType().isInteger(1))
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

  /// An index outside means the last branch.
  hlo::Results choose(CaseOp op, const Tensor &index) {
    uint64_t branches = op.getBranches().size();
    if (!branches || index.size() != 1 ||
        !isa<IntegerType>(index.getElementType()))
      return hlo::misfit(op);
    uint64_t branch = index.integer(0);
    return runRegion(op.getBranches()[std::min(branch, branches - 1)], {});
  }

  hlo::Results call(Operation *op, FlatSymbolRefAttr name,
                    hlo::Operands operands) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
    if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
      return op->emitOpError()
             << "calls " << name << ", which is no function of one block";
    if (depth == kDeepestCall)
      return op->emitOpError() << "is a call within " << depth << " others";
    return Interpreter(depth + 1).run(callee.getBody().front(),
                                      *allOf(operands));
  }

  static hlo::Results custom(CustomCallOp op, hlo::Operands operands) {
    return op.getRematViewSource() ? allOf(operands)
                                   : hlo::evaluateCheck(op, operands);
  }

  unsigned depth;

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
