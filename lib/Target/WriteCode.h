//===- WriteCode.h - LLVM IR to machine code --------------------*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_WRITECODE_H
#define REPRISE_LIB_TARGET_WRITECODE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Target/TargetMachine.h"

namespace reprise {

/// Optimizes a module for the machine and appends its code, an object or
/// assembly, to `code`. Fails if LLVM has no such output for the machine.
mlir::LogicalResult writeCode(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              llvm::CodeGenFileType type,
                              llvm::SmallVectorImpl<char> &code);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_WRITECODE_H
