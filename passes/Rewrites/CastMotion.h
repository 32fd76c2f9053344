//===- CastMotion.h - Casts on the kernels' side of views -------*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_CASTMOTION_H
#define REPRISE_PASSES_REWRITES_CASTMOTION_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// Patterns that move a cast of floating-point numbers to the side of a view
/// where it can join a kernel: a narrowing one before the view, to the op that
/// computes the value, a widening one after it, to its readers.
void populateCastMotionPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_CASTMOTION_H
