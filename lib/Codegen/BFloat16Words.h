//===- BFloat16Words.h - bf16 as words of 16 bits ---------------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_BFLOAT16WORDS_H
#define REPRISE_LIB_CODEGEN_BFLOAT16WORDS_H

#include "mlir/IR/Operation.h"

namespace reprise {

/// Gives every bf16 value in `module` the type i16. Runs after expandMath, when
/// only moves are left, which are the same for words.
void replaceBFloat16ByWords(mlir::Operation *module);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_BFLOAT16WORDS_H
