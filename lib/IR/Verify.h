//===- Verify.h - Rules shared by ops of several files ----------*- C++ -*-===//
#ifndef REPRISE_LIB_IR_VERIFY_H
#define REPRISE_LIB_IR_VERIFY_H

#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// Checks that `symbol` names a variable of type `type` (any, if null).
mlir::LogicalResult verifyVariable(mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr symbol,
                                   mlir::Type type,
                                   mlir::SymbolTableCollection &tables);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_VERIFY_H
