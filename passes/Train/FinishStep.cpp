//===- FinishStep.cpp - The ops after the backward pass -------------------===//
//
// Input:   a differentiated function and the gradients of its parameters.
// Output:  the function with results about the gradients, and with the
//          optimizer's updates by them, clipped if requested.
// Fails:   where the options are invalid; where the added ops would write,
//          declare or return something that the model already does.
//
//===----------------------------------------------------------------------===//

#include "FinishStep.h"
#include "Clipping.h"
#include "LossScaling.h"
#include "StepVariables.h"
#include "reprise/IR/Origin.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kLossScale = "loss_scale";

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Reads the optimizer with all its numbers.
static FailureOr<OptimizerSettings>
readOptimizer(mlir::ModuleOp module, const StepEndOptions &options) {
  OptimizerSettings settings;
  for (const std::string &text : options.hyperparameters)
    if (!readHyperparameter(text, settings.values))
      return module.emitError()
             << "hyperparameter '" << text << "' is not of the form NAME=VALUE";
  auto kind = termOf<OptimizerKind>(options.optimizer);
  if (!kind)
    return module.emitError()
           << "unknown optimizer '" << options.optimizer << "'; known are "
           << listTerms<OptimizerKind>(" and ");
  settings.kind = *kind;
  if (std::string wrong = completeHyperparameters(settings); !wrong.empty())
    return module.emitError() << wrong;
  return settings;
}

static FailureOr<Clipping> readClipping(mlir::ModuleOp module,
                                        const StepEndOptions &options) {
  auto mode = termOf<ClipMode>(options.clipMode);
  if (!mode)
    return module.emitError() << "clip-mode is '" << options.clipMode
                              << "'; choose " << listTerms<ClipMode>();
  auto type = termOf<NormType>(options.clipNormType);
  if (!type)
    return module.emitError() << "clip-norm-type is '" << options.clipNormType
                              << "'; choose " << listTerms<NormType>();
  Clipping clipping = {*mode, options.clipNorm, options.clipTolerance,
                       options.clipMomentum, *type};
  if (std::string wrong = findWrong(clipping); !wrong.empty())
    return module.emitError() << wrong;
  return clipping;
}

FailureOr<StepEnd> sg::readStepEnd(mlir::ModuleOp module,
                                   const StepEndOptions &options) {
  StepEnd end;
  FailureOr<OptimizerSettings> optimizer = readOptimizer(module, options);
  if (failed(optimizer))
    return failure();
  end.optimizer = &optimizerOf(optimizer->kind);
  end.values = std::move(optimizer->values);
  auto exceptFromDecay = [&](VariableOp variable) {
    end.undecayed.insert(variable.getSymName());
  };
  for (const std::string &pattern : options.noWeightDecay)
    if (failed(matchParameters(module, "no-weight-decay", pattern,
                               exceptFromDecay)))
      return failure();
  if (!end.undecayed.empty() && !end.optimizer->updates())
    return module.emitError() << "no-weight-decay excepts parameters from an "
                                 "update, and "
                              << options.optimizer << " updates none";
  FailureOr<Clipping> clipping = readClipping(module, options);
  if (failed(clipping))
    return failure();
  end.clipping = *clipping;
  end.emitNonFinite = options.emitNonFinite;
  end.emitGradients = options.emitGradients;
  end.lossScaling = options.lossScaling;
  if (end.clipping.clips() && !end.optimizer->updates())
    return module.emitError() << "clip-norm clips what an optimizer takes, and "
                              << options.optimizer << " takes no gradients";
  return end;
}

LogicalResult sg::checkStepEnd(func::FuncOp function, SymbolTable &symbols,
                               const StepEnd &end) {
  if (failed(checkOptimizer(function, symbols, *end.optimizer, end.values)))
    return failure();
  if (end.lossScaling && failed(checkLossScaling(symbols)))
    return failure();
  return end.clipping.clips() ? checkClipping(function, symbols, end.clipping)
                              : success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

unsigned sg::findLoss(func::FuncOp function) {
  for (unsigned k = 0; k < function.getNumResults(); ++k)
    if (roleOf(function.getResultAttrDict(k)) == BindingRole::Loss)
      return k;
  return 0;
}

void sg::setBinding(func::FuncOp function, unsigned index, BindingRole role) {
  function.setResultAttr(
      index, SgDialect::kBindingAttr,
      BindingAttr::get(function.getContext(), role, StringAttr()));
}

/// Adds results with their names and roles. Renames the model's attribute if a
/// result has its name; readers find results by the binding.
static DictionaryAttr withNewName(DictionaryAttr attributes,
                                  ArrayRef<DictionaryAttr> others) {
  auto nameOf = [](DictionaryAttr each) {
    return each ? each.getAs<StringAttr>(SgDialect::kNameAttr) : StringAttr();
  };
  StringAttr name = nameOf(attributes);
  if (!name || !llvm::is_contained(llvm::map_range(others, nameOf), name))
    return attributes;
  NamedAttrList list(attributes);
  list.set(SgDialect::kNameAttr,
           StringAttr::get(name.getContext(), name.getValue() + "'"));
  return withNewName(list.getDictionary(name.getContext()), others);
}

static void addResults(func::FuncOp function, ValueRange values,
                       ArrayRef<DictionaryAttr> attributes) {
  Operation *terminator = function.getBody().front().getTerminator();
  unsigned first = terminator->getNumOperands();
  SmallVector<DictionaryAttr> all;
  for (unsigned k = 0; k < first; ++k)
    all.push_back(function.getResultAttrDict(k));
  for (DictionaryAttr each : attributes)
    all.push_back(withNewName(each, all));
  terminator->insertOperands(first, values);
  SmallVector<Type> results(function.getResultTypes());
  llvm::append_range(results, values.getTypes());
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), results));
  function.setAllResultAttrs(all);
}

static DictionaryAttr attributesOf(Builder builder, const Twine &name,
                                   BindingAttr binding) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(SgDialect::kNameAttr, builder.getStringAttr(name)),
       builder.getNamedAttr(SgDialect::kBindingAttr, binding)});
}

/// Returns the sum of x - x over all elements, in f32: 0, or NaN if one of them
/// is not finite.
static Value sumOfDefects(OpBuilder &builder, Location loc, Value x) {
  Value defect = SubOp::create(builder, loc, x, x);
  return sumOf(builder, loc, toF32(builder, loc, defect));
}

/// Returns true if one of the values has an element that is not finite.
static Value nonFiniteAmong(OpBuilder &builder, Location loc,
                            ArrayRef<Value> values) {
  Value sum;
  for (Value value : values) {
    Value defects = sumOfDefects(builder, loc, value);
    sum = sum ? AddOp::create(builder, loc, sum, defects).getResult() : defects;
  }
  return CompareOp::create(builder, loc, ComparePredicate::NE, sum, sum);
}

/// Returns whether the loss or a gradient has an element that is not finite.
static Value returnNonFinite(func::FuncOp function,
                             ArrayRef<ParameterGradient> gradients) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<Value> values = {terminator->getOperand(findLoss(function))};
  for (const ParameterGradient &one : gradients)
    values.push_back(one.gradient);
  Value flag = nonFiniteAmong(builder, terminator->getLoc(), values);
  addResults(
      function, flag,
      attributesOf(builder, "nonfinite",
                   BindingAttr::get(function.getContext(),
                                    BindingRole::NonFinite, StringAttr())));
  return flag;
}

static void returnGradients(func::FuncOp function,
                            ArrayRef<ParameterGradient> gradients) {
  Builder builder(function.getContext());
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Value> values;
  for (const ParameterGradient &one : gradients) {
    attributes.push_back(attributesOf(
        builder, "gradient:" + one.parameter.getValue(),
        BindingAttr::get(function.getContext(), BindingRole::Gradient,
                         one.parameter.getAttr())));
    values.push_back(one.gradient);
  }
  addResults(function, values, attributes);
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

static DictionaryAttr metricAttributes(Builder builder, const Twine &name) {
  return attributesOf(builder, name,
                      BindingAttr::get(builder.getContext(),
                                       BindingRole::Metric, StringAttr()));
}

/// Clips the gradients; the norm becomes a result.
static Value clippingOf(func::FuncOp function,
                        ArrayRef<ParameterGradient> gradients,
                        SymbolTable &symbols, const Clipping &clipping) {
  OpBuilder builder(function.getBody().front().getTerminator());
  ClippedStep clipped = emitClipping(builder, gradients, symbols, clipping);
  addResults(function, clipped.norm, metricAttributes(builder, kGradientNorm));
  return clipped.scale;
}

/// Emits updates that are skipped if a gradient is not finite. The scale
/// becomes a result, and a flag for a skipped step: 1 or 0.
static void emitScaledUpdates(func::FuncOp function,
                              ArrayRef<ParameterGradient> gradients,
                              Value clipping, SymbolTable &symbols,
                              const StepEnd &end) {
  OpBuilder builder(function.getBody().front().getTerminator());
  Location loc = NameLoc::get(builder.getStringAttr(kLossScale));
  OriginScope scope(builder, kLossScale);
  SmallVector<Value> values;
  for (const ParameterGradient &one : gradients)
    values.push_back(one.gradient);
  Value isBad = nonFiniteAmong(builder, loc, values);
  Value scale = readLossScale(builder, loc);
  auto scalar = cast<RankedTensorType>(scale.getType());
  Value skipped = SelectOp::create(builder, loc, isBad,
                                   createSplat(builder, loc, scalar, 1),
                                   createSplat(builder, loc, scalar, 0));
  addResults(function, {scale, skipped},
             {metricAttributes(builder, kLossScale),
              metricAttributes(builder, kSkippedStep)});
  emitUpdates(function, gradients, clipping, symbols, *end.optimizer,
              end.values, end.undecayed);
  skipWhere(isBad, function, scale.getDefiningOp());
}

void sg::finishStep(func::FuncOp function,
                    ArrayRef<ParameterGradient> gradients, SymbolTable &symbols,
                    const StepEnd &end) {
  // A gradient that overflows is what loss scaling waits for.
  Value isBad;
  if (end.emitNonFinite)
    isBad = returnNonFinite(
        function, end.lossScaling ? ArrayRef<ParameterGradient>() : gradients);
  if (end.emitGradients)
    returnGradients(function, gradients);
  Value clipping;
  if (end.clipping.clips())
    clipping = clippingOf(function, gradients, symbols, end.clipping);
  if (end.lossScaling && end.optimizer->updates())
    return emitScaledUpdates(function, gradients, clipping, symbols, end);
  Operation *last = function.getBody().front().getTerminator()->getPrevNode();
  emitUpdates(function, gradients, clipping, symbols, *end.optimizer,
              end.values, end.undecayed);
  // Variables keep their values, so that a check can run the step again.
  if (isBad)
    keepWhere(isBad, function, last);
}
