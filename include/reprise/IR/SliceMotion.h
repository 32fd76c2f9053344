//===- SliceMotion.h - Rows of products from rows of operands ---*- C++ -*-===//
#ifndef REPRISE_IR_SLICEMOTION_H
#define REPRISE_IR_SLICEMOTION_H

#include "mlir/IR/PatternMatch.h"
#include <functional>

namespace reprise::sg {

/// A pattern that makes of a slice of at most an eighth of the rows of a
/// product, where kernels compute both, the product of rows of its left
/// operand: the same bits, and who reads some rows does not wait for all of
/// them.
///
///     %p = product %x, %w        %p = product %x, %w
///     %s = slice %p          =>  %y = slice %x
///                                %s = product %y, %w
///
/// Where nothing but products reads %x, and it is made element by element, the
/// rows are made again instead: %x need not be stored for them.
void populateSliceMotionPatterns(
    mlir::RewritePatternSet &patterns,
    std::function<bool(mlir::Operation *)> isKernel);

} // namespace reprise::sg

#endif // REPRISE_IR_SLICEMOTION_H
