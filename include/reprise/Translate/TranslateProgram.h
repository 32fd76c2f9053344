//===- TranslateProgram.h - From rt.program to an artifact ------*- C++ -*-===//
#ifndef REPRISE_TRANSLATE_TRANSLATEPROGRAM_H
#define REPRISE_TRANSLATE_TRANSLATEPROGRAM_H

#include "reprise/Analysis/TrainingNote.h"
#include "reprise/IR/Rt.h"
#include <optional>
#include <vector>

namespace reprise {

/// The bytes of an artifact (.rpx) of `program` with its compiled kernels:
/// `code` is the target's code of the kernels; it exports every rt.kernel's
/// symbol. Equal input gives equal bytes. Fails, with an error at the op, on a
/// constant without elements in memory, and if the artifact's own verifier
/// refuses the result. `training` becomes part of the plan note.
mlir::FailureOr<std::vector<uint8_t>>
translateProgram(rt_dialect::ProgramOp program, llvm::ArrayRef<uint8_t> code,
                 const std::optional<TrainingNote> &training = std::nullopt);

/// The contents of an artifact of `program`, without code, training and seal:
/// the bytes of runtime/schemas/program.fbs for tools that read a program and
/// do not run it. Fails like translateProgram on a constant.
mlir::FailureOr<std::vector<uint8_t>>
describeProgram(rt_dialect::ProgramOp program);

} // namespace reprise

#endif // REPRISE_TRANSLATE_TRANSLATEPROGRAM_H
