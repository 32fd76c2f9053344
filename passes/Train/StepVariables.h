//===- StepVariables.h - Variables of a training step -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_STEPVARIABLES_H
#define REPRISE_PASSES_TRAIN_STEPVARIABLES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// Fails with an error if something other than a variable of `owner`, such as
/// "clipping", has the name of one: another op, or a variable of another type
/// or role.
mlir::LogicalResult checkStepVariable(mlir::SymbolTable &symbols,
                                      llvm::StringRef name, mlir::Type type,
                                      llvm::StringRef owner);

/// Declares a variable of the role optimizer_state unless it exists already.
void declareStepVariable(mlir::SymbolTable &symbols, mlir::Location loc,
                         llvm::StringRef name, mlir::Type type, InitAttr init);

/// Calls `take` with each parameter that the glob `pattern` matches. Fails with
/// an error, which `option` begins, if there is none.
mlir::LogicalResult matchParameters(mlir::ModuleOp module,
                                    llvm::StringRef option,
                                    llvm::StringRef pattern,
                                    llvm::function_ref<void(VariableOp)> take);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_STEPVARIABLES_H
