//===- ReadNames.h - Names of values in a text ------------------*- C++ -*-===//
#ifndef REPRISE_LIB_BUDGET_READNAMES_H
#define REPRISE_LIB_BUDGET_READNAMES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace reprise::driver {

/// Parses a module; null after an error. Locations of arguments and of ops with
/// one result have the names that the text gives them, except for numbers, so
/// that OpPrintingFlags::printNameLocAsPrefix prints them again.
mlir::OwningOpRef<mlir::ModuleOp> parseWithNames(const llvm::SourceMgr &sources,
                                                 mlir::MLIRContext *context);

} // namespace reprise::driver

#endif // REPRISE_LIB_BUDGET_READNAMES_H
