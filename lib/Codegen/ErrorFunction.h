//===- ErrorFunction.h - erf of f32 -----------------------------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_ERRORFUNCTION_H
#define REPRISE_LIB_CODEGEN_ERRORFUNCTION_H

#include "mlir/IR/PatternMatch.h"

namespace reprise {

/// Adds a pattern that expands math.erf on f32, or vectors of it, into
/// arithmetic: within 6 units in the last place, 1 on average; odd, in [-1, 1];
/// NaN for NaN.
void populateErrorFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_ERRORFUNCTION_H
