//===- Reduce.h - Reduce a failing module -----------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_REDUCE_H
#define REPRISE_PASSES_REDUCE_H

#include "mlir/IR/DialectRegistry.h"

namespace reprise {

/// Registers the pass `reduction-tree` in place of MLIR's pass of that name,
/// which erases ops while others read their results, and then crashes.
void registerReductionPass();

/// Lets the reducer replace an op's results by constants, and dissolve blocks.
void registerReductionPatterns(mlir::DialectRegistry &registry);

} // namespace reprise

#endif // REPRISE_PASSES_REDUCE_H
