//===- SliceMotion.h - Rows of products from rows of operands ---*- C++ -*-===//
#ifndef REPRISE_PASSES_REWRITES_SLICEMOTION_H
#define REPRISE_PASSES_REWRITES_SLICEMOTION_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace reprise::sg {

/// A pattern that replaces a slice of at most an eighth of a product's rows,
/// where kernels compute both, by the product of rows of its left operand: the
/// bits are the same, and readers of some rows do not wait for all of them.
///
///     %p = product %x, %w        %p = product %x, %w
///     %s = slice %p          =>  %y = slice %x
///                                %s = product %y, %w
///
/// If only products read %x, and it is computed element by element, the rows
/// are recomputed instead: %x need not be stored for them.
void populateSliceMotionPatterns(
    mlir::RewritePatternSet &patterns,
    std::function<bool(mlir::Operation *)> isKernel);

} // namespace reprise::sg

#endif // REPRISE_PASSES_REWRITES_SLICEMOTION_H
