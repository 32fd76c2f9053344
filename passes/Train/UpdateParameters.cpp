//===- UpdateParameters.cpp - An optimizer for a function of gradients ----===//
//
// Input:   functions with results of role gradient.
// Output:  the same with an optimizer's updates in place of these results.
// Fails:   where sg-differentiate would for its optimizer; at a gradient that
//          does not belong to a parameter of its type.
//
//===----------------------------------------------------------------------===//

#include "FinishStep.h"
#include "FlattenOrigins.h"
#include "LossScaling.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/BitVector.h"

namespace reprise {
#define GEN_PASS_DEF_SGUPDATEPARAMETERS
#include "reprise/Passes/TrainPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns the results of role gradient, by their numbers.
static FailureOr<SmallVector<ParameterGradient>>
findGradients(func::FuncOp function, SymbolTable &symbols,
              llvm::BitVector &numbers) {
  SmallVector<ParameterGradient> gradients;
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    auto binding =
        function.getResultAttrOfType<BindingAttr>(k, SgDialect::kBindingAttr);
    if (!binding || binding.getRole() != BindingRole::Gradient)
      continue;
    Value value = terminator->getOperand(k);
    auto variable =
        symbols.lookup<VariableOp>(binding.getVariable().getValue());
    if (!variable || variable.getRole() != Role::Parameter ||
        variable.getType() != value.getType())
      return function.emitError() << "result " << k << " is the gradient of "
                                  << binding.getVariable()
                                  << ", which is not a parameter of its type";
    Type element = getElementTypeOrSelf(value.getType());
    if (!isa<Float32Type, Float64Type, BFloat16Type, Float16Type>(element))
      return function.emitError()
             << "result " << k << " is the gradient of "
             << binding.getVariable() << ", whose elements are " << element
             << "; an optimizer takes bf16, f16, f32 and f64";
    gradients.push_back({FlatSymbolRefAttr::get(binding.getVariable()), value});
    numbers.set(k);
  }
  if (gradients.empty())
    return function.emitError() << "returns no gradients for an optimizer";
  return gradients;
}

static void eraseResults(func::FuncOp function,
                         const llvm::BitVector &numbers) {
  Operation *terminator = function.getBody().front().getTerminator();
  SmallVector<Value> kept;
  for (auto [k, value] : llvm::enumerate(terminator->getOperands()))
    if (!numbers.test(k))
      kept.push_back(value);
  terminator->setOperands(kept);
  // This fails only for a function without a body.
  LogicalResult erased = function.eraseResults(numbers);
  assert(succeeded(erased) && "a function has its results");
  (void)erased;
}

namespace {
class UpdateParameters
    : public reprise::impl::SgUpdateParametersBase<UpdateParameters> {
public:
  using SgUpdateParametersBase::SgUpdateParametersBase;

private:
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<StepEnd> end = readStepEnd(
        getOperation(), {optimizer, hyperparameters, noWeightDecay, clipMode,
                         clipNorm, clipTolerance, clipMomentum, clipNormType,
                         emitNonFinite, emitGradients, lossScaling});
    if (failed(end))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(optimize(function, symbols, *end)))
        return signalPassFailure();
  }

  static LogicalResult optimize(func::FuncOp function, SymbolTable &symbols,
                                const StepEnd &end) {
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return function.emitError() << "a step is a function of one block";
    llvm::BitVector numbers(function.getNumResults());
    auto gradients = findGradients(function, symbols, numbers);
    if (failed(gradients) || failed(checkStepEnd(function, symbols, end)))
      return failure();
    bool isFlat = saysOrigins(function);
    if (end.lossScaling)
      declareLossScale(symbols);
    eraseResults(function, numbers);
    finishStep(function, *gradients, symbols, end);
    if (isFlat)
      markOrigins(function);
    return success();
  }
};
} // namespace
