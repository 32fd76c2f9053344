//===- CreateTarget.h - A pass's target -------------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_ALGORITHMS_CREATETARGET_H
#define REPRISE_PASSES_ALGORITHMS_CREATETARGET_H

#include "mlir/IR/Operation.h"
#include "reprise/Target/Target.h"

namespace reprise {

/// Calls createTarget and reports its failure as an error of `op`.
inline llvm::FailureOr<std::unique_ptr<Target>>
createTargetFor(mlir::Operation *op, llvm::StringRef text,
                unsigned threads = 1) {
  rt::Expected<std::unique_ptr<Target>> target = createTarget(text, threads);
  if (!target.ok())
    return op->emitError() << target.status().message();
  return std::move(*target);
}

} // namespace reprise

#endif // REPRISE_PASSES_ALGORITHMS_CREATETARGET_H
