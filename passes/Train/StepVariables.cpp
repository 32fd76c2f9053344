//===- StepVariables.cpp - Variables that a step's end keeps --------------===//
#include "StepVariables.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

LogicalResult sg::checkStepVariable(SymbolTable &symbols, StringRef name,
                                    Type type, StringRef owner) {
  Operation *existing = symbols.lookup(name);
  auto variable = dyn_cast_if_present<VariableOp>(existing);
  if (!existing || (variable && variable.getRole() == Role::OptimizerState &&
                    variable.getType() == type))
    return success();
  return existing->emitError()
         << "has the name of a variable of " << owner << "; give it another";
}

void sg::declareStepVariable(SymbolTable &symbols, Location loc, StringRef name,
                             Type type, InitAttr init) {
  if (symbols.lookup(name))
    return;
  MLIRContext *context = type.getContext();
  OpBuilder builder(context);
  auto op = VariableOp::create(
      builder, loc, builder.getStringAttr(name), TypeAttr::get(type),
      RoleAttr::get(context, Role::OptimizerState), init, DenseI32ArrayAttr());
  symbols.insert(op, symbols.getOp()->getRegion(0).front().begin());
}
