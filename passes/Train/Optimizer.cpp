//===- Optimizer.cpp - The optimizer's writes -----------------------------===//

#include "Optimizer.h"
#include "reprise/Fault.h"
#include "reprise/IR/Origin.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static Value addRateArgument(func::FuncOp function) {
  Builder builder(function.getContext());
  auto type = RankedTensorType::get({}, builder.getF32Type());
  unsigned index = function.getNumArguments();
  auto name = builder.getDictionaryAttr(builder.getNamedAttr(
      SgDialect::kNameAttr, builder.getStringAttr("learning_rate")));
  (void)function.insertArgument(index, type, name, function.getLoc());
  return function.getArgument(index);
}

std::string sg::velocityName(VariableOp parameter) {
  return (parameter.getSymName() + ".momentum_buffer").str();
}

/// The velocity's variable, declared next to its parameter.
static VariableOp velocityOf(VariableOp parameter, SymbolTable &symbols) {
  std::string name = velocityName(parameter);
  if (auto existing = symbols.lookup<VariableOp>(name))
    return existing;
  MLIRContext *context = parameter.getContext();
  OpBuilder builder(context);
  auto velocity = VariableOp::create(
      builder, parameter.getLoc(), builder.getStringAttr(name),
      parameter.getTypeAttr(), RoleAttr::get(context, Role::OptimizerState),
      InitAttr::get(context, InitKind::Zeros, FloatAttr()),
      parameter.getFilePermutationAttr());
  symbols.insert(velocity, std::next(Block::iterator(parameter)));
  return velocity;
}

static void emitUpdate(OpBuilder &builder, VariableOp parameter, Value gradient,
                       Value rate, SymbolTable &symbols, SgdOptions options) {
  // The optimizer belongs to the parameter, not to the op of its gradient.
  Location loc = NameLoc::get(parameter.getSymNameAttr());
  OriginScope scope(builder, parameter.getSymName());
  auto type = parameter.getTensorType();
  auto symbol = FlatSymbolRefAttr::get(parameter.getSymNameAttr());
  Value weight = ReadOp::create(builder, loc, type, symbol);
  if (options.weightDecay != 0 && !REPRISE_FAULT("weight-decay-lost")) {
    Value decay = createSplat(builder, loc, type, options.weightDecay);
    Value decayed = MulOp::create(builder, loc, weight, decay);
    gradient = AddOp::create(builder, loc, gradient, decayed);
  }
  if (options.momentum != 0) {
    VariableOp velocity = velocityOf(parameter, symbols);
    auto name = FlatSymbolRefAttr::get(velocity.getSymNameAttr());
    Value old = ReadOp::create(builder, loc, type, name);
    Value factor = createSplat(builder, loc, type, options.momentum);
    Value kept = MulOp::create(builder, loc, old, factor);
    gradient = AddOp::create(builder, loc, kept, gradient);
    WriteOp::create(builder, loc, name,
                    REPRISE_FAULT("velocity-without-gradient") ? kept
                                                               : gradient);
  }
  if (type.getElementType() != builder.getF32Type())
    rate = CastOp::create(
        builder, loc, RankedTensorType::get({}, type.getElementType()), rate);
  Value rates =
      BroadcastOp::create(builder, loc, type, rate, ArrayRef<int64_t>());
  Value step = MulOp::create(builder, loc, rates, gradient);
  Value next = SubOp::create(builder, loc, weight, step);
  WriteOp::create(builder, loc, symbol, next);
}

void sg::emitSgd(func::FuncOp function, BackwardOp backward,
                 SymbolTable &symbols, SgdOptions options) {
  Value rate = addRateArgument(function);
  OpBuilder builder(function.getBody().front().getTerminator());
  for (auto [symbol, gradient] :
       llvm::zip_equal(backward.getParameters().getAsRange<FlatSymbolRefAttr>(),
                       backward.getGradients()))
    emitUpdate(builder, symbols.lookup<VariableOp>(symbol.getValue()), gradient,
               rate, symbols, options);
}
