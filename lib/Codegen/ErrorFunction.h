//===- ErrorFunction.h - erf of f32 -----------------------------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_ERRORFUNCTION_H
#define REPRISE_LIB_CODEGEN_ERRORFUNCTION_H

#include "mlir/IR/PatternMatch.h"

namespace reprise {

/// A pattern that makes arithmetic of math.erf on f32, or vectors of it: within
/// 6 units of the last place, 1 in the mean; odd, in [-1, 1]; NaN of NaN.
void populateErrorFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_ERRORFUNCTION_H
