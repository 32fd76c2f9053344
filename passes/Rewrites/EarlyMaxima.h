//===- EarlyMaxima.h - Pools' maxima found in the forward pass --*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_EARLYMAXIMA_H
#define REPRISE_PASSES_REWRITES_EARLYMAXIMA_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// A pattern that finds a pool's maxima right after the op that computes the
/// pool's operand, in that op's phase: a byte per window is kept then, and the
/// operand need not be recomputed for the maxima.
void populateEarlyMaximaPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_EARLYMAXIMA_H
