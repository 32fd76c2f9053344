//===- ProductBias.h - Bias additions as part of products -------*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_PRODUCTBIAS_H
#define REPRISE_PASSES_REWRITES_PRODUCTBIAS_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace reprise::sg {

/// Patterns that combine a product, the addition of a vector to its rows and
/// the cast after that into sg.matmul_bias, if nothing else reads the values
/// between them. These are left without users. `takes` returns true if a
/// library adds a bias of that element type to sums that it stores in another
/// one.
using TakesBias = std::function<bool(mlir::Type bias, mlir::Type stored)>;
void populateProductBiasPatterns(mlir::RewritePatternSet &patterns,
                                 const TakesBias &takes);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_PRODUCTBIAS_H
