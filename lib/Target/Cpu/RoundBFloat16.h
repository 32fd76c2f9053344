//===- RoundBFloat16.h - Rounding by an instruction -------------*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CPU_ROUNDBFLOAT16_H
#define REPRISE_LIB_TARGET_CPU_ROUNDBFLOAT16_H

#include "mlir/IR/PatternMatch.h"

namespace reprise {

/// Adds patterns that round vectors of f32 to bf16 by an instruction, to the
/// same bits as integer arithmetic, if processors with `features` ("avx,avx2")
/// have it.
void populateRoundingPatterns(mlir::RewritePatternSet &patterns,
                              llvm::StringRef features);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CPU_ROUNDBFLOAT16_H
