//===- VerifyNotes.h - Check what an entry says of itself -------*- C++ -*-===//
#ifndef REPRISE_PASSES_MEMORY_VERIFYNOTES_H
#define REPRISE_PASSES_MEMORY_VERIFYNOTES_H

#include "reprise/IR/Rt.h"

namespace reprise {

/// Checks that what an entry says for people and tools is so: which steps
/// compute again what another one did, what is kept, why buffers live, and its
/// certificate. `buffers` and `steps` are the entry's; their lifetimes, the
/// peak and views have been checked.
mlir::LogicalResult
verifyNotes(rt_dialect::EntryOp entry,
            llvm::ArrayRef<rt_dialect::BufferOp> buffers,
            llvm::ArrayRef<rt_dialect::StepOpInterface> steps);

} // namespace reprise

#endif // REPRISE_PASSES_MEMORY_VERIFYNOTES_H
