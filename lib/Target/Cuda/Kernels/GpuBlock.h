//===- GpuBlock.h - Operations of a block of threads ------------*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_GPUBLOCK_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_GPUBLOCK_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/IR/Kernel.h"

namespace reprise {

/// Rows of numbers in shared memory. Each row is a multiple of 16 bytes long,
/// so that neighbours are accessed 16 bytes at a time.
struct SharedRows {
  mlir::Value memory;
  /// Numbers before the first row, and from one row to the next.
  int64_t begin = 0, pitch = 0;
};

/// Emits the code of a block of threads.
class GpuBlock : public ElementBuilder {
public:
  GpuBlock(mlir::OpBuilder &builder, mlir::gpu::GPUFuncOp function,
           int64_t threads);

  // Control. Bounds are i64.
  using FoldBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> fold(mlir::Value begin, int64_t end,
                                      int64_t step, mlir::ValueRange init,
                                      FoldBody run);
  llvm::SmallVector<mlir::Value> fold(mlir::Value begin, mlir::Value end,
                                      mlir::Value step, mlir::ValueRange init,
                                      FoldBody run);
  void forEach(mlir::Value begin, int64_t end, int64_t step,
               llvm::function_ref<void(mlir::Value)> run);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then);
  void barrier();
  void warpBarrier();

  // Numbers.
  mlir::Value remainder(mlir::Value x, int64_t by);
  mlir::Value quotient(mlir::Value x, int64_t by);
  mlir::Value isLess(mlir::Value x, int64_t y);
  mlir::Value isZero(mlir::Value x);
  mlir::Value both(mlir::Value x, mlir::Value y);
  /// Returns `x`, or the last number below `end`.
  mlir::Value below(mlir::Value x, int64_t end);
  mlir::Value number(double value) {
    return splat(builder.getF32Type(), value);
  }
  /// Converts x to an f32, or to a vector of them.
  mlir::Value widened(mlir::Value x);
  /// Converts an f32 to a number of type `element`.
  mlir::Value narrowed(mlir::Value x, mlir::Type element);

  // Global memory.
  mlir::Value loadGlobal(mlir::Value pointer, mlir::Type element,
                         mlir::Value position, int64_t lanes = 1);
  void storeGlobal(mlir::Value value, mlir::Value pointer,
                   mlir::Value position);

  // Shared memory.
  mlir::Value load(const SharedRows &rows, mlir::Value row, mlir::Value column,
                   int64_t lanes = 1);
  void store(mlir::Value value, const SharedRows &rows, mlir::Value row,
             mlir::Value column);
  /// Loads matrices of 8 by 8 16-bit numbers and returns the words of each of
  /// `count` matrices. All lanes of a warp take part (PTX ISA, "ldmatrix"):
  /// lane 8 i + r provides the address of row r of matrix i, and lane 4 g + t
  /// gets numbers 2t and 2t + 1 of row g, or of column g if the matrices are
  /// transposed.
  llvm::SmallVector<mlir::Value> loadMatrices(const SharedRows &rows,
                                              mlir::Value row,
                                              mlir::Value column, int64_t count,
                                              bool areTurned);

  /// Returns the sum over `team` neighbours, a power of two, to all of them.
  mlir::Value teamSum(mlir::Value x, int64_t team);
  /// Returns the maximum over the team, NaN if any of its numbers is.
  mlir::Value teamMaximum(mlir::Value x, int64_t team);

  mlir::gpu::GPUFuncOp function;
  int64_t threads;
  mlir::Value thread, block;

protected:
  mlir::Value load(mlir::BlockArgument argument, const Index &index) override;

private:
  mlir::Value place(const SharedRows &rows, mlir::Value row,
                    mlir::Value column);
  mlir::Value fromLane(mlir::Value x, int64_t offset);
};

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_GPUBLOCK_H
