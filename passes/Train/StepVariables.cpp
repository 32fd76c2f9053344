//===- StepVariables.cpp - Variables of a training step -------------------===//
#include "StepVariables.h"
#include "reprise/IR/Pattern.h"

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

LogicalResult sg::matchParameters(mlir::ModuleOp module, StringRef option,
                                  StringRef pattern,
                                  llvm::function_ref<void(VariableOp)> take) {
  auto glob = parsePattern(
      pattern, [&] { return module.emitError() << option << ": "; });
  if (failed(glob))
    return failure();
  bool matched = false;
  for (auto variable : module.getOps<VariableOp>())
    if (variable.getRole() == Role::Parameter &&
        glob->match(variable.getSymName())) {
      take(variable);
      matched = true;
    }
  if (!matched)
    return module.emitError()
           << option << ": no parameter matches '" << pattern << "'";
  return success();
}

void sg::declareStepVariable(SymbolTable &symbols, Location loc, StringRef name,
                             Type type, InitAttr init) {
  if (symbols.lookup(name))
    return;
  MLIRContext *context = type.getContext();
  OpBuilder builder(context);
  auto op = VariableOp::create(builder, loc, builder.getStringAttr(name),
                               TypeAttr::get(type),
                               RoleAttr::get(context, Role::OptimizerState),
                               init, DenseI32ArrayAttr(), DenseI64ArrayAttr());
  symbols.insert(op, symbols.getOp()->getRegion(0).front().begin());
}
