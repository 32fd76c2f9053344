//===- EarlyMaxima.h - Maxima looked for in the forward pass ----*- C++ -*-===//
#ifndef REPRISE_IR_EARLYMAXIMA_H
#define REPRISE_IR_EARLYMAXIMA_H

#include "mlir/IR/PatternMatch.h"

namespace reprise::sg {

/// A pattern that looks for a pool's maxima where the op stands that makes the
/// pool's operand, in that op's phase: a byte for a window is kept then, and
/// for the maxima the operand need not be there again.
void populateEarlyMaximaPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise::sg

#endif // REPRISE_IR_EARLYMAXIMA_H
