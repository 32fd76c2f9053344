//===- ProductBias.h - Additions that products do as well -------*- C++ -*-===//
#ifndef REPRISE_IR_PRODUCTBIAS_H
#define REPRISE_IR_PRODUCTBIAS_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace reprise::sg {

/// Patterns that make sg.matmul_bias of a product and the addition of a vector
/// to its rows, with the cast behind that, where nothing else reads what lies
/// between them. These are left without users. `takes` says whether a library
/// adds a bias of that element type to sums that it stores in another one.
using TakesBias = std::function<bool(mlir::Type bias, mlir::Type stored)>;
void populateProductBiasPatterns(mlir::RewritePatternSet &patterns,
                                 const TakesBias &takes);

} // namespace reprise::sg

#endif // REPRISE_IR_PRODUCTBIAS_H
