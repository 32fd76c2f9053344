//===- GpuProduct.h - A product with its operands and readers ---*- C++ -*-===//
//
// A kernel may have one product of matrices, the ops that compute its left
// operand element by element, and ops that read its result at its index and sum
// columns:
//
//     left operand                  product           readers
//     g = (dy - m) * s  ----------> p = g w --------> y = p * r, sum(y)
//     stored if yielded             stored if yielded
//
// Blocks take tiles of the result: they compute left operands as they load them
// into shared memory, multiply them by tensor cores, store the tile over the
// operands, and iterate over its rows as a kernel iterates over columns in
// memory; see EmitGpuColumns.cpp. So the result is read by the block that
// computed it.
//
// Every element of a product is the sum of groups of 16 neighbours in order,
// and sums of columns are those of a kernel without the product: the bits do
// not depend on the other ops of the kernel. Whether a product is computed here
// or by a library must therefore depend on nothing but the op itself.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_GPUPRODUCT_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_GPUPRODUCT_H

#include "GpuSpaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/IR/Product.h"

namespace reprise {

/// Returns the product of a kernel; null if it has none.
mlir::Operation *productIn(mlir::Block &body);

/// A kernel around a product, split into two kernels without one.
struct ProductKernel {
  /// The parts of the original kernel.
  sg::ProductParts parts;
  /// Computes the left operand. Yields the values before the product that the
  /// kernel yields, then the operand itself. Its arguments are the kernel's.
  mlir::OwningOpRef<mlir::Operation *> maker;
  mlir::Value left;
  /// The kernel's result numbers of the maker's yielded values, except the
  /// last.
  llvm::SmallVector<unsigned> made;
  /// Reads the product, its last argument; the others are the kernel's.
  mlir::OwningOpRef<mlir::Operation *> reader;
  /// The kernel's result numbers of the reader's yielded values.
  llvm::SmallVector<unsigned> read;

  mlir::Block &makerBody() { return (*maker)->getRegion(0).front(); }
  mlir::Block &readerBody() { return (*reader)->getRegion(0).front(); }
  unsigned product() { return readerBody().getNumArguments() - 1; }
};

ProductKernel splitAtProduct(mlir::Block &body);

/// The division of a product among blocks of kBlockThreads threads.
struct ProductShape {
  /// The size of a tile of the result, and the number of neighbours loaded at
  /// once.
  int64_t rows = 64, columns = 0, depth = 0;

  /// Distances between rows, in numbers, of operands by neighbours, and of the
  /// result and right operands by columns: rows begin in different banks, at
  /// multiples of 16 bytes.
  int64_t operandPitch() const { return depth + 8; }
  int64_t resultPitch() const { return columns + 8; }
  /// The numbers in shared memory; the result is placed over the operands.
  /// Right operands by columns take no more, since a tile is no deeper than
  /// wide.
  int64_t numbers() const {
    return std::max((rows + columns) * operandPitch(), rows * resultPitch());
  }
};

/// Returns the space of the ops that sum columns of the product; none if the
/// kernel yields the product and it has no other readers.
std::optional<GpuSpace> spaceOfReader(ProductKernel &kernel);

/// Requires that whyNoGpuProduct returns "".
ProductShape shapeOfProduct(ProductKernel &kernel);

/// Returns the reason why blocks cannot run a kernel that has a product, or "".
std::string whyNoGpuProduct(mlir::Block &body);

/// Fails with a message at the product if blocks cannot run it.
mlir::LogicalResult checkGpuProduct(mlir::Block &body);

/// Returns the number of blocks and threads.
GpuGrid gridOfProduct(ProductKernel &kernel);
/// Returns the bytes of the workspace for its sums.
int64_t workspaceBytesOfProduct(ProductKernel &kernel);

/// Returns facts about the kernel for the planner. Fails as checkGpuProduct
/// does.
mlir::FailureOr<KernelTraits> analyzeGpuProduct(mlir::Block &body);

/// Emits a checked product between the function's arguments, in the order of
/// emitGpuKernel, and its return.
void emitGpuProduct(mlir::OpBuilder &b, mlir::gpu::GPUFuncOp function,
                    ProductKernel &kernel);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_GPUPRODUCT_H
