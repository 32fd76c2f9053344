//===- Pattern.h - Globs of names -------------------------------*- C++ -*-===//
#ifndef REPRISE_IR_PATTERN_H
#define REPRISE_IR_PATTERN_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/GlobPattern.h"

namespace reprise {

/// What a user wrote to name blocks, ops or variables. Fails, with an error
/// that `emitError` begins, where it is no glob.
mlir::FailureOr<llvm::GlobPattern>
parsePattern(llvm::StringRef text,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace reprise

#endif // REPRISE_IR_PATTERN_H
