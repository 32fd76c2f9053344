//===- GpuBlock.h - What threads of a block do together ---------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_GPUBLOCK_H
#define REPRISE_LIB_CODEGEN_GPUBLOCK_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "reprise/IR/Kernel.h"

namespace reprise {

/// Rows of numbers in shared memory, each a multiple of 16 bytes long, so that
/// so many neighbours are accessed at once.
struct SharedRows {
  mlir::Value memory;
  /// Numbers in front of the first row, and from one row to the next.
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
  /// `x`, or the last that is below `end`.
  mlir::Value below(mlir::Value x, int64_t end);
  mlir::Value number(double value) {
    return splat(builder.getF32Type(), value);
  }
  /// x as an f32, or a vector of them.
  mlir::Value widened(mlir::Value x);
  /// An f32 as a number of `element`.
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
  /// Words of matrices of 8 by 8 numbers of 16 bits, one of each of `count`
  /// matrices, by all lanes of a warp (PTX ISA, "ldmatrix"): lane 8 i + r says
  /// where row r of matrix i is, and lane 4 g + t gets numbers 2t and 2t + 1 of
  /// row g, or where they are turned of column g.
  llvm::SmallVector<mlir::Value> loadMatrices(const SharedRows &rows,
                                              mlir::Value row,
                                              mlir::Value column, int64_t count,
                                              bool areTurned);

  /// The total of `team` neighbours, a power of two, known to all of them.
  mlir::Value teamSum(mlir::Value x, int64_t team);
  /// The largest of what they have, NaN where one has it.
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

#endif // REPRISE_LIB_CODEGEN_GPUBLOCK_H
