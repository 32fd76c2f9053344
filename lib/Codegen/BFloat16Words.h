//===- BFloat16Words.h - bf16 as words of 16 bits ---------------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_BFLOAT16WORDS_H
#define REPRISE_LIB_CODEGEN_BFLOAT16WORDS_H

#include "mlir/IR/Operation.h"

namespace reprise {

/// Gives every value of bf16 in `module`, which follows expandMath, the type
/// i16: only moves are left, and these are the same for words.
void replaceBFloat16ByWords(mlir::Operation *module);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_BFLOAT16WORDS_H
