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

/// Checks that each of `vectors` is (C) for x (...,C), all in x's element type
/// or all in a wider one.
mlir::LogicalResult checkChannels(std::optional<mlir::Location> loc,
                                  mlir::Value x, mlir::ValueRange vectors);

} // namespace reprise::sg

#endif // REPRISE_LIB_IR_VERIFY_H
