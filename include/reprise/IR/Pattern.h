//===- Pattern.h - Globs of names -------------------------------*- C++ -*-===//
#ifndef REPRISE_IR_PATTERN_H
#define REPRISE_IR_PATTERN_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/GlobPattern.h"

namespace reprise {

/// Parses a glob that a user wrote to name blocks, ops or variables. Fails,
/// with an error that `emitError` begins, if it is not a glob.
mlir::FailureOr<llvm::GlobPattern>
parsePattern(llvm::StringRef text,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace reprise

#endif // REPRISE_IR_PATTERN_H
