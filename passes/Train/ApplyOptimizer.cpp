//===- ApplyOptimizer.cpp - The optimizer's variables and writes ----------===//
//
// Input:   a differentiated function, an optimizer and its hyperparameters.
// Output:  the optimizer's variables next to their parameters; for each
//          parameter with a gradient its update and the write.
// Fails:   where the optimizer would write or declare a variable that the model
//          writes or declares.
//
//===----------------------------------------------------------------------===//

#include "ApplyOptimizer.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/TrainedVariables.h"
#include <deque>

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

//===----------------------------------------------------------------------===//
// Ops of an update
//===----------------------------------------------------------------------===//

double UpdateBuilder::get(llvm::StringRef hyperparameter) const {
  return values.at(hyperparameter.str());
}

bool UpdateBuilder::has(llvm::StringRef hyperparameter) const {
  return values.count(hyperparameter.str());
}

llvm::ArrayRef<DecayGroup> UpdateBuilder::decayGroups() const {
  static constexpr DecayGroup all[] = {DecayGroup::Weight,
                                       DecayGroup::NormBias};
  return llvm::ArrayRef(all).take_front(has(kNormBiasWeightDecay.name) ? 2 : 1);
}

DecayGroup UpdateBuilder::decayGroup() const {
  bool isExempt = !decays;
  if (isExempt)
    return DecayGroup::None;
  bool isVector = type.getRank() <= 1;
  return isVector && has(kNormBiasWeightDecay.name) ? DecayGroup::NormBias
                                                    : DecayGroup::Weight;
}

double UpdateBuilder::weightDecay(DecayGroup group) const {
  if (group == DecayGroup::None)
    return 0;
  return get(group == DecayGroup::NormBias ? kNormBiasWeightDecay.name
                                           : "weight-decay");
}

Value UpdateBuilder::addDecay(const ParameterUpdate &from) {
  double decay = weightDecay(decayGroup());
  if (decay == 0)
    return from.gradient;
  return add(from.gradient, mul(from.weight, splat(decay)));
}

FlatSymbolRefAttr UpdateBuilder::symbolOf(llvm::StringRef name) const {
  return FlatSymbolRefAttr::get(builder.getContext(), prefix + name.str());
}

Value UpdateBuilder::read(llvm::StringRef name) {
  FlatSymbolRefAttr symbol = symbolOf(name);
  auto variable = symbols.lookup<VariableOp>(symbol.getValue());
  return ReadOp::create(builder, loc, variable.getTensorType(), symbol);
}

/// Emits a write. Variables of optimizers and parameters change only here.
static void emitWrite(OpBuilder &builder, Location loc,
                      FlatSymbolRefAttr symbol, Value value) {
  WriteOp::create(builder, loc, symbol, value);
}

void UpdateBuilder::write(llvm::StringRef name, Value value) {
  if (!isRepeated)
    emitWrite(builder, loc, symbolOf(name), value);
}

Value UpdateBuilder::splat(double value) {
  return createSplat(builder, loc, type, value);
}

Value UpdateBuilder::add(Value a, Value b) {
  return AddOp::create(builder, loc, a, b);
}
Value UpdateBuilder::sub(Value a, Value b) {
  return SubOp::create(builder, loc, a, b);
}
Value UpdateBuilder::mul(Value a, Value b) {
  return MulOp::create(builder, loc, a, b);
}
Value UpdateBuilder::div(Value a, Value b) {
  return DivOp::create(builder, loc, a, b);
}
Value UpdateBuilder::sqrt(Value a) { return SqrtOp::create(builder, loc, a); }

Value UpdateBuilder::cast(Value scalar, Type element) {
  auto to = RankedTensorType::get({}, element);
  return scalar.getType() == to ? scalar
                                : CastOp::create(builder, loc, to, scalar);
}

Value UpdateBuilder::spread(Value scalar) {
  scalar = cast(scalar, type.getElementType());
  return BroadcastOp::create(builder, loc, type, scalar, ArrayRef<int64_t>());
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static std::string nameOf(VariableOp parameter,
                          const OptimizerVariable &variable) {
  return (parameter.getSymName() + "." + variable.name).str();
}

/// Fails if `name` is taken by anything but the optimizer's own variable.
static LogicalResult checkName(SymbolTable &symbols, const std::string &name,
                               Type type, const std::string &purpose,
                               llvm::StringRef of) {
  Operation *existing = symbols.lookup(name);
  auto variable = dyn_cast_if_present<VariableOp>(existing);
  bool isOwn = variable && variable.getRole() == Role::OptimizerState &&
               variable.getType() == type;
  if (!existing || isOwn)
    return success();
  return existing->emitError() << "has the name of the " << purpose << " of "
                               << of << "; give it another";
}

/// Declares a variable after `anchor`, or at the front of the module.
static VariableOp declare(SymbolTable &symbols, VariableOp anchor, Location loc,
                          const OptimizerVariable &variable,
                          const std::string &name, RankedTensorType type,
                          DenseI32ArrayAttr permutation) {
  if (auto existing = symbols.lookup<VariableOp>(name))
    return existing;
  MLIRContext *context = type.getContext();
  OpBuilder builder(context);
  auto op = VariableOp::create(
      builder, loc, builder.getStringAttr(name), TypeAttr::get(type),
      RoleAttr::get(context, Role::OptimizerState),
      InitAttr::get(context, variable.init, TypedAttr()), permutation,
      DenseI64ArrayAttr());
  Block &body = symbols.getOp()->getRegion(0).front();
  symbols.insert(op,
                 anchor ? std::next(Block::iterator(anchor)) : body.begin());
  return op;
}

static void declareFor(VariableOp parameter, SymbolTable &symbols,
                       ArrayRef<OptimizerVariable> variables) {
  VariableOp last = parameter;
  for (const OptimizerVariable &variable : variables)
    last = declare(symbols, last, parameter.getLoc(), variable,
                   nameOf(parameter, variable), parameter.getTensorType(),
                   parameter.getFilePermutationAttr());
}

static RankedTensorType scalarOf(const OptimizerVariable &variable) {
  return RankedTensorType::get({}, variable.element);
}

LogicalResult sg::checkOptimizer(func::FuncOp function, SymbolTable &symbols,
                                 const Optimizer &optimizer,
                                 const HyperparameterValues &values) {
  if (!optimizer.updates())
    return success();
  auto module = function->getParentOfType<mlir::ModuleOp>();
  for (const OptimizerVariable &variable :
       optimizer.sharedVariables(function.getContext()))
    if (failed(checkName(symbols, variable.name, scalarOf(variable),
                         variable.purpose, optimizer.info().name())))
      return failure();
  std::vector<OptimizerVariable> variables = optimizer.variables(values);
  for (auto parameter : module.getOps<VariableOp>())
    if (isTrained(parameter))
      for (const OptimizerVariable &variable : variables)
        if (failed(checkName(symbols, nameOf(parameter, variable),
                             parameter.getType(), variable.purpose,
                             ("@" + parameter.getSymName()).str())))
          return failure();
  WalkResult walk = function.walk([&](WriteOp op) -> WalkResult {
    auto variable = symbols.lookup<VariableOp>(op.getVariable());
    if (!variable || variable.getRole() != Role::Parameter)
      return WalkResult::advance();
    return op.emitOpError() << "writes parameter @" << op.getVariable()
                            << ", which the optimizer updates; give the "
                               "variable another role";
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// Returns the learning rate's argument: the model's, or a new last one.
static Value rateOf(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (roleOf(function.getArgAttrDict(argument.getArgNumber())) ==
        BindingRole::LearningRate)
      return argument;
  Builder builder(function.getContext());
  auto type = RankedTensorType::get({}, builder.getF32Type());
  unsigned index = function.getNumArguments();
  auto attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(SgDialect::kNameAttr,
                            builder.getStringAttr("learning_rate")),
       builder.getNamedAttr(SgDialect::kBindingAttr,
                            BindingAttr::get(function.getContext(),
                                             BindingRole::LearningRate,
                                             StringAttr()))});
  (void)function.insertArgument(index, type, attributes, function.getLoc());
  return function.getArgument(index);
}

namespace {
/// The inputs of the updates at one factor of the learning rate.
struct RateInputs {
  Value rate; // f32 scalar
  SmallVector<Value> shared;
};

/// Emits the inputs of updates, once for each factor of the learning rate.
class SharedInputs {
public:
  SharedInputs(func::FuncOp function, SymbolTable &symbols, Value rate,
               const Optimizer &optimizer, const HyperparameterValues &values)
      : function(function), symbols(symbols), rate(rate), optimizer(optimizer),
        values(values) {}

  /// Returns the inputs, which `builder` emits when a factor is new.
  const RateInputs &at(double scale, OpBuilder &builder) {
    auto known = llvm::find_if(
        inputs, [&](const auto &entry) { return entry.first == scale; });
    if (known != inputs.end())
      return known->second;
    return inputs.emplace_back(scale, emit(scale, builder)).second;
  }

private:
  RateInputs emit(double scale, OpBuilder &builder);

  func::FuncOp function;
  SymbolTable &symbols;
  Value rate;
  const Optimizer &optimizer;
  const HyperparameterValues &values;
  std::deque<std::pair<double, RateInputs>> inputs; // references stay valid
};
} // namespace

RateInputs SharedInputs::emit(double scale, OpBuilder &builder) {
  llvm::StringRef name = optimizer.info().name();
  Location loc = NameLoc::get(builder.getStringAttr(name));
  VariableOp last;
  for (auto variable :
       function->getParentOfType<mlir::ModuleOp>().getOps<VariableOp>())
    last = variable;
  for (const OptimizerVariable &variable :
       optimizer.sharedVariables(builder.getContext()))
    last = declare(symbols, last, loc, variable, variable.name,
                   scalarOf(variable), DenseI32ArrayAttr());
  OriginScope scope(builder, name);
  Value scaled = rate;
  if (scale != 1) {
    auto type = cast<RankedTensorType>(rate.getType());
    scaled = MulOp::create(builder, loc, rate,
                           createSplat(builder, loc, type, scale));
  }
  // The first factor's values write the shared variables.
  UpdateBuilder update(builder, loc,
                       RankedTensorType::get({}, builder.getF64Type()), values,
                       symbols, "", /*decays=*/true,
                       /*isRepeated=*/!inputs.empty());
  return {scaled, optimizer.share(update, scaled)};
}

void sg::emitUpdates(func::FuncOp function,
                     ArrayRef<ParameterGradient> gradients, Value scale,
                     SymbolTable &symbols, const Optimizer &optimizer,
                     const HyperparameterValues &values,
                     const llvm::StringSet<> &undecayed) {
  if (!optimizer.updates())
    return;
  Value rate = rateOf(function);
  OpBuilder builder(function.getBody().front().getTerminator());
  std::vector<OptimizerVariable> variables = optimizer.variables(values);
  SharedInputs inputs(function, symbols, rate, optimizer, values);
  for (auto [symbol, gradient] : gradients) {
    auto parameter = symbols.lookup<VariableOp>(symbol.getValue());
    const auto &[scaledRate, shared] =
        inputs.at(rateScaleOf(parameter), builder);
    declareFor(parameter, symbols, variables);
    // The optimizer belongs to the parameter, not to the op of its gradient.
    Location loc = NameLoc::get(parameter.getSymNameAttr());
    OriginScope scope(builder, parameter.getSymName());
    auto type = parameter.getTensorType();
    Value weight = ReadOp::create(builder, loc, type, symbol);
    UpdateBuilder update(builder, loc, type, values, symbols,
                         (parameter.getSymName() + ".").str(),
                         !undecayed.contains(parameter.getSymName()));
    Value taken = gradient;
    if (scale)
      taken = update.mul(gradient, update.spread(scale));
    Value next = optimizer.update(update, {weight, taken, scaledRate, shared});
    emitWrite(builder, loc, symbol, next);
  }
}
