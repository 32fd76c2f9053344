//===- VerifyNotes.h - Check an entry's notes -------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_PROGRAM_VERIFYNOTES_H
#define REPRISE_PASSES_PROGRAM_VERIFYNOTES_H

#include "reprise/IR/Rt.h"

namespace reprise {

/// Checks an entry's notes for people and tools: the steps that recompute
/// another one, the kept values, the reasons for buffers, and the certificate.
/// `buffers` and `steps` are the entry's; their lifetimes, the peak and views
/// have been checked.
mlir::LogicalResult
verifyNotes(rt_dialect::EntryOp entry,
            llvm::ArrayRef<rt_dialect::BufferOp> buffers,
            llvm::ArrayRef<rt_dialect::StepOpInterface> steps);

} // namespace reprise

#endif // REPRISE_PASSES_PROGRAM_VERIFYNOTES_H
