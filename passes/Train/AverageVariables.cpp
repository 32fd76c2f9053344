//===- AverageVariables.cpp - Moving averages of what a step writes -------===//
//
// Input:   flat training steps with an optimizer's updates.
// Output:  the same steps, which also write the average of every parameter and
//          running statistic that they write:
//
//            average += (1 - decay) * (next - average)
//
// Method:  an average is updated right behind the write, so that one kernel can
//          do both. A step that keeps its parameters (loss scaling skips it, or
//          a check found values that are not finite) keeps the averages: these
//          follow the step's flag. The form above keeps an average that equals
//          its variable, which decay * average + (1 - decay) * next does not:
//          the rounded factors do not add up to 1.
// Cost:    linear in the ops.
// Fails:   where a name is taken; at a parameter of half precision, whose
//          average would stand still; where a step updates no parameter.
//
//===----------------------------------------------------------------------===//

#include "FinishStep.h"
#include "FlattenOrigins.h"
#include "StepVariables.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Averages.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"

namespace reprise {
#define GEN_PASS_DEF_SGAVERAGEVARIABLES
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

namespace {
/// A write of a variable with an average.
struct AveragedWrite {
  WriteOp write;
  VariableOp variable;
};

/// A step's writes to average, and its flag, if any, that variables keep their
/// values: i1, or a number that is not 0.
struct AveragedStep {
  SmallVector<AveragedWrite> writes;
  Value keeps;
};
} // namespace

static LogicalResult checkVariable(SymbolTable &symbols, VariableOp variable) {
  std::string name = averageName(variable.getSymName());
  if (failed(checkStepVariable(symbols, name, variable.getType(),
                               "the averages of variables")))
    return failure();
  Type element = getElementTypeOrSelf(variable.getType());
  if (isa<Float32Type, Float64Type>(element))
    return success();
  return variable.emitError() << "has elements of " << element
                              << ", in which a moving average loses its "
                                 "changes; averages are of f32 and f64";
}

/// Returns the last result that is a flag of this kind, which passes add behind
/// those of the model; null if there is none.
static Value findFlag(func::FuncOp function, KeepsBy kind) {
  Operation *end = function.getBody().front().getTerminator();
  for (unsigned k = function.getNumResults(); k-- > 0;) {
    BindingRole role = roleOf(function.getResultAttrDict(k));
    auto name =
        function.getResultAttrOfType<StringAttr>(k, SgDialect::kNameAttr);
    if (kind == KeepsBy::NonFinite ? role == BindingRole::NonFinite
                                   : name && name.getValue() == kSkippedStep)
      return end->getOperand(k);
  }
  return {};
}

static FailureOr<AveragedStep>
findWrites(func::FuncOp function, SymbolTable &symbols, KeepsBy keepsBy) {
  AveragedStep step;
  if (keepsBy != KeepsBy::None && !(step.keeps = findFlag(function, keepsBy)))
    return function.emitError() << "returns no flag of a skipped step";
  bool hasParameter = false;
  for (auto write : function.getOps<WriteOp>()) {
    auto variable = symbols.lookup<VariableOp>(write.getVariable());
    if (!variable || (variable.getRole() != Role::Parameter &&
                      variable.getRole() != Role::RunningStatistics))
      continue;
    if (failed(checkVariable(symbols, variable)))
      return failure();
    hasParameter |= variable.getRole() == Role::Parameter;
    step.writes.push_back({write, variable});
  }
  if (!hasParameter)
    return function.emitError()
           << "updates no parameter whose average could be kept; averages "
              "follow an optimizer";
  return step;
}

/// Emits the update of one average at the builder's place.
static void emitAverage(OpBuilder &builder, AveragedWrite of, Value keeps,
                        double decay) {
  WriteOp write = of.write;
  OriginScope scope(builder, write);
  Location loc = write.getLoc();
  auto type = of.variable.getTensorType();
  auto symbol = FlatSymbolRefAttr::get(builder.getContext(),
                                       averageName(of.variable.getSymName()));
  Value old = ReadOp::create(builder, loc, type, symbol);
  Value change = SubOp::create(builder, loc, write.getValue(), old);
  Value part = MulOp::create(builder, loc, change,
                             createSplat(builder, loc, type, 1 - decay));
  Value next = AddOp::create(builder, loc, old, part);
  if (keeps) {
    Value mask =
        BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()),
                            keeps, ArrayRef<int64_t>());
    next = SelectOp::create(builder, loc, mask, old, next);
  }
  WriteOp::create(builder, loc, symbol, next);
}

/// Declares an average behind its variable. The runtime begins it with the
/// variable's value.
static void declareAverage(SymbolTable &symbols, VariableOp of) {
  std::string name = averageName(of.getSymName());
  if (symbols.lookup(name))
    return;
  OpBuilder builder(of.getContext());
  auto op = VariableOp::create(
      builder, of.getLoc(), builder.getStringAttr(name), of.getTypeAttr(),
      RoleAttr::get(of.getContext(), Role::OptimizerState),
      InitAttr::get(of.getContext(), InitKind::Zeros, TypedAttr()),
      of.getFilePermutationAttr(), DenseI64ArrayAttr());
  symbols.insert(op, std::next(Block::iterator(of)));
}

/// Moves the builder behind a value's definition.
static void placeAfter(OpBuilder &builder, Value value) {
  if (Operation *op = value.getDefiningOp())
    builder.setInsertionPointAfter(op);
  else
    builder.setInsertionPointToStart(value.getParentBlock());
}

/// Returns the flag as i1.
static Value asCondition(OpBuilder &builder, Value flag) {
  auto type = cast<RankedTensorType>(flag.getType());
  if (type.getElementType().isInteger(1))
    return flag;
  placeAfter(builder, flag);
  OriginScope scope(builder, kSkippedStep);
  return CompareOp::create(builder, flag.getLoc(), ComparePredicate::NE, flag,
                           createSplat(builder, flag.getLoc(), type, 0));
}

static void average(func::FuncOp function, const AveragedStep &step,
                    SymbolTable &symbols, double decay) {
  bool isFlat = saysOrigins(function);
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder builder(end);
  Value keeps = step.keeps ? asCondition(builder, step.keeps) : Value();
  Operation *flag = keeps ? keeps.getDefiningOp() : nullptr;
  for (AveragedWrite each : step.writes) {
    declareAverage(symbols, each.variable);
    // Running statistics are written before the flag is known.
    if (flag && each.write->isBeforeInBlock(flag))
      builder.setInsertionPoint(end);
    else
      builder.setInsertionPointAfter(each.write);
    emitAverage(builder, each, keeps, decay);
  }
  if (isFlat)
    markOrigins(function);
}

namespace {
class AverageVariables
    : public reprise::impl::SgAverageVariablesBase<AverageVariables> {
public:
  using SgAverageVariablesBase::SgAverageVariablesBase;

private:
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (!(decay >= 0 && decay < 1)) {
      module.emitError() << "decay is " << decay
                         << "; it must be at least 0 and below 1";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.getBody().hasOneBlock()) {
        function.emitError() << "a step is a function of one block";
        return signalPassFailure();
      }
      FailureOr<AveragedStep> step = findWrites(function, symbols, keepsBy);
      if (failed(step))
        return signalPassFailure();
      average(function, *step, symbols, decay);
    }
  }
};
} // namespace
