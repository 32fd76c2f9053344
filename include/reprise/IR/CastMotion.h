//===- CastMotion.h - Casts on the kernels' side of views -------*- C++ -*-===//
#ifndef REPRISE_IR_CASTMOTION_H
#define REPRISE_IR_CASTMOTION_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// Patterns that bring a cast of floating-point numbers to the same side of a
/// view as the kernel that it can join: a narrowing one in front of it, to what
/// makes the value, a widening one behind it, to what reads it.
void populateCastMotionPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_IR_CASTMOTION_H
