//===- GpuProduct.h - A product with what stands around it ------*- C++ -*-===//
//
// A kernel may have one product of matrices, what makes its left operand
// element by element, and what reads its result at its index and sums columns:
//
//     left operand                  product           readers
//     g = (dy - m) * s  ----------> p = g w --------> y = p * r, sum(y)
//     stored if yielded             stored if yielded
//
// Blocks take tiles of the result: they compute left operands as they bring
// them to shared memory, multiply them by tensor cores, put the tile where they
// brought these to, and go over its rows as a kernel goes over columns in
// memory; see EmitGpuColumns.cpp. So the result is read where it was made.
//
// Every element of a product is the sum of 16 neighbours after the other, and
// sums of columns are those that a kernel without the product would make: the
// bits do not depend on what shares the kernel. So it must depend on nothing
// but the op itself whether its product is computed here or by a library.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_GPUPRODUCT_H
#define REPRISE_LIB_CODEGEN_GPUPRODUCT_H

#include "GpuSpaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/IR/Product.h"

namespace reprise {

/// The product of a kernel; null where it has none.
mlir::Operation *productIn(mlir::Block &body);

/// A kernel around a product, as two that have none.
struct ProductKernel {
  /// Of the kernel that was read.
  sg::ProductParts parts;
  /// Makes the left operand, and yields what of it the kernel does, then the
  /// operand itself. Its arguments are the kernel's.
  mlir::OwningOpRef<mlir::Operation *> maker;
  mlir::Value left;
  /// The kernel's numbers of what the maker yields, but for the last.
  llvm::SmallVector<unsigned> made;
  /// What reads the product, its last argument; the others are the kernel's.
  mlir::OwningOpRef<mlir::Operation *> reader;
  /// The kernel's numbers of what the reader yields.
  llvm::SmallVector<unsigned> read;

  mlir::Block &makerBody() { return (*maker)->getRegion(0).front(); }
  mlir::Block &readerBody() { return (*reader)->getRegion(0).front(); }
  unsigned product() { return readerBody().getNumArguments() - 1; }
};

ProductKernel splitAtProduct(mlir::Block &body);

/// How blocks of kBlockThreads threads share it.
struct ProductShape {
  /// Of a tile of the result, and the neighbours that are brought at once.
  int64_t rows = 64, columns = 0, depth = 0;

  /// Numbers from one row to the next, of operands by neighbours, of the result
  /// and of right operands by columns: rows begin in different banks, at
  /// multiples of 16 bytes.
  int64_t operandPitch() const { return depth + 8; }
  int64_t resultPitch() const { return columns + 8; }
  /// Of shared memory; the result lies over the operands. Right ones take no
  /// more by columns, since a tile is no deeper than wide.
  int64_t numbers() const {
    return std::max((rows + columns) * operandPitch(), rows * resultPitch());
  }
};

/// The space of what sums columns of the product; none: the kernel yields the
/// product, and nothing reads it.
std::optional<GpuSpace> spaceOfReader(ProductKernel &kernel);

/// Where whyNoGpuProduct has nothing to say.
ProductShape shapeOfProduct(ProductKernel &kernel);

/// Why blocks cannot run a kernel that has a product, or "".
std::string whyNoGpuProduct(mlir::Block &body);

/// Fails with a message at the product where they cannot.
mlir::LogicalResult checkGpuProduct(mlir::Block &body);

/// How many blocks run it.
GpuGrid gridOfProduct(ProductKernel &kernel);
/// What its sums leave in a workspace.
int64_t workspaceBytesOfProduct(ProductKernel &kernel);

/// What the planner must know of one. Fails as checkGpuProduct does.
mlir::FailureOr<KernelTraits> analyzeGpuProduct(mlir::Block &body);

/// Emits a checked one between the function's arguments, as emitGpuKernel gives
/// them, and its return.
void emitGpuProduct(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function,
                    ProductKernel &kernel);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_GPUPRODUCT_H
