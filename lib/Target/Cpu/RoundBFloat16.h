//===- RoundBFloat16.h - Rounding by an instruction -------------*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CPU_ROUNDBFLOAT16_H
#define REPRISE_LIB_TARGET_CPU_ROUNDBFLOAT16_H

#include "mlir/IR/PatternMatch.h"

namespace reprise {

/// Rounds vectors of f32 to bf16 by an instruction, to the bits of integer
/// arithmetic, where processors with `features` ("avx,avx2") have it.
void populateRoundingPatterns(mlir::RewritePatternSet &patterns,
                              llvm::StringRef features);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CPU_ROUNDBFLOAT16_H
