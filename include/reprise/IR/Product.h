//===- Product.h - What a product of matrices is of -------------*- C++ -*-===//
//
// For code generation, which knows no ops: convolutions that look at single
// points, and their gradients for inputs, as products of matrices.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_PRODUCT_H
#define REPRISE_IR_PRODUCT_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace reprise::sg {

/// result = left right. The rows of left and of the result are what their
/// leading dimensions number, in row-major order.
struct ProductParts {
  mlir::Value left, right, result;
  /// left: rows x inner; result: rows x columns.
  int64_t rows = 0, inner = 0, columns = 0;
  /// Whether right is columns x inner, and not inner x columns.
  bool isTransposed = false;
};

/// None of any other op, nor where operands and result have several types of
/// elements.
std::optional<ProductParts> productParts(mlir::Operation *op);

} // namespace reprise::sg

#endif // REPRISE_IR_PRODUCT_H
