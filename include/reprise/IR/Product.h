//===- Product.h - The operands of a matrix product -------------*- C++ -*-===//
//
// Describes 1x1 convolutions and their gradients for inputs as products of
// matrices, for code generation, which does not know the ops, and recognizes
// convolutions of patches, which are products of reshaped operands.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_PRODUCT_H
#define REPRISE_IR_PRODUCT_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace reprise::sg {

/// result = left right. The rows of left and of the result are their leading
/// dimensions, numbered in row-major order.
struct ProductParts {
  mlir::Value left, right, result;
  /// left: rows x inner; result: rows x columns.
  int64_t rows = 0, inner = 0, columns = 0;
  /// True if right is columns x inner rather than inner x columns.
  bool isTransposed = false;
};

/// None for any other op, or if operands and result have different element
/// types.
std::optional<ProductParts> productParts(mlir::Operation *op);

/// Returns true for a convolution or one of its gradients whose windows, of
/// more than one pixel, touch but do not overlap: no padding, strides equal to
/// the window's extents, one group, no remainder.
bool isOfPatches(mlir::Operation *op);

} // namespace reprise::sg

#endif // REPRISE_IR_PRODUCT_H
