//===- SgBytecode.h - Attributes of sg in MLIR's bytecode -------*- C++ -*-===//
#ifndef REPRISE_LIB_IR_SGBYTECODE_H
#define REPRISE_LIB_IR_SGBYTECODE_H

#include "mlir/IR/Dialect.h"

namespace reprise::sg {

/// Lets bytecode keep the data of initial values.
void addBytecodeInterface(mlir::Dialect &dialect);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_SGBYTECODE_H
