//===- WrapBlock.h - Consecutive ops as a block -----------------*- C++ -*-===//
#ifndef REPRISE_IR_WRAPBLOCK_H
#define REPRISE_IR_WRAPBLOCK_H

#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// Moves consecutive ops into a new sg.module in their place. Earlier reads and
/// constants are repeated inside; one of the ops that is read outside, too, is
/// repeated there.
SgModuleOp wrapInModule(llvm::ArrayRef<mlir::Operation *> ops,
                        llvm::StringRef path);

} // namespace reprise::sg

#endif // REPRISE_IR_WRAPBLOCK_H
