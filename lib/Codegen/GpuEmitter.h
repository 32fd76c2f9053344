//===- GpuEmitter.h - The code of a kernel on a GPU -------------*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_GPUEMITTER_H
#define REPRISE_LIB_CODEGEN_GPUEMITTER_H

#include "GpuSpaces.h"
#include "KernelParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "reprise/Codegen/GpuKernels.h"

namespace reprise {

/// Emits the code of a space's blocks: EmitGpuKernel.cpp has elements and rows,
/// EmitGpuTransposed.cpp transposed arguments, and EmitGpuColumns.cpp columns
/// that threads share.
class GpuEmitter : KernelParts {
public:
  GpuEmitter(ElementEmitter &e, const GpuSpace &own, mlir::Block &body,
             mlir::gpu::GPUFuncOp function, mlir::Value workspace);

  /// `block`: the block's number within the space; at most kBlockThreads
  /// threads.
  void emit(mlir::Value block, mlir::Value thread);

private:
  mlir::Value fromTheEnd(mlir::Value block);
  void emitPointwise(mlir::Value block, mlir::Value thread);
  void emitStaged(mlir::Value block, mlir::Value thread);
  void bringTile(llvm::ArrayRef<mlir::Value> buffers, mlir::Value thread,
                 mlir::Value row, mlir::Value column);
  void storeTile(llvm::ArrayRef<mlir::Value> buffers, mlir::Value thread,
                 mlir::Value row, mlir::Value column);
  void ifInside(llvm::function_ref<void()> then);

  // Rows.
  int64_t team() const { return shape.isWide ? kBlockThreads : kWarpThreads; }
  void emitRows(mlir::Value block, mlir::Value thread);
  void emitRow();
  void runPass();
  llvm::SmallVector<mlir::Value> addTeam(llvm::ArrayRef<mlir::Value> sums);
  mlir::Value addLanes(mlir::Operation *op, llvm::ArrayRef<mlir::Value> sums);
  mlir::Value addWarp(mlir::Operation *op, mlir::Value part);
  mlir::Value fromLane(mlir::Value value, int64_t offset);
  void waitForTeam();

  // Columns.
  void emitColumns(mlir::Value block, mlir::Value thread);
  struct ColumnThread;
  void endColumns(llvm::ArrayRef<mlir::Value> parts, const ColumnThread &self);
  ColumnThread columnOf(mlir::Value block, mlir::Value thread);
  llvm::SmallVector<mlir::Value> addRows(llvm::ArrayRef<mlir::Value> parts,
                                         const ColumnThread &self);
  void storeColumns(llvm::ArrayRef<mlir::Value> totals);
  llvm::SmallVector<mlir::BlockArgument> longArguments() const;
  int64_t rowsTogether() const;
  void limitRegisters();
  void addBlocks(llvm::ArrayRef<mlir::Value> totals, const ColumnThread &self);
  llvm::SmallVector<mlir::Value> addParts(const ColumnThread &self,
                                          mlir::Value first, int64_t count,
                                          int64_t apart);
  void storePart(llvm::ArrayRef<mlir::Value> totals, const ColumnThread &self,
                 mlir::Value part);
  mlir::Value storesColumns(const ColumnThread &self);
  mlir::Value placeOfPart(unsigned reduction, const ColumnThread &self,
                          mlir::Value part);

  // Loops and numbers.
  void unflatten(mlir::Value number, llvm::ArrayRef<unsigned> loops);
  void setLast(mlir::Value vector);
  llvm::SmallVector<mlir::Value> zeros();
  llvm::SmallVector<mlir::Value>
  sweep(mlir::Value begin, mlir::Value end, int64_t stride, int64_t batch,
        mlir::ValueRange init, llvm::function_ref<void(mlir::Value)> place);
  using AddStep = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      unsigned, llvm::ArrayRef<mlir::Value>)>;
  llvm::SmallVector<mlir::Value>
  foldTogether(mlir::Value begin, mlir::Value end, int64_t stride,
               int64_t batch, mlir::ValueRange init,
               llvm::function_ref<void(unsigned, mlir::Value)> read,
               AddStep add);
  mlir::Value behindBatches(mlir::Value begin, mlir::Value end, int64_t stride,
                            int64_t batch);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then);
  mlir::Value remainder(mlir::Value x, int64_t by);
  mlir::Value quotient(mlir::Value x, int64_t by);
  mlir::Value isLess(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(b, e.loc,
                                       mlir::arith::CmpIPredicate::slt, x, y);
  }
  mlir::Value isZero(mlir::Value x) {
    return mlir::arith::CmpIOp::create(b, e.loc, mlir::arith::CmpIPredicate::eq,
                                       x, e.constant(0));
  }
  mlir::Value asIndex(mlir::Value x) {
    return mlir::arith::IndexCastOp::create(b, e.loc, b.getIndexType(), x);
  }
  /// Allocates shared memory of the block.
  mlir::Value share(int64_t elements, mlir::Type type);

  const GpuSpace &own;
  mlir::gpu::GPUFuncOp function;
  GpuShape shape;
  /// Null if the kernel needs none.
  mlir::Value workspace;
  /// Columns: a number of each thread for each sum.
  llvm::SmallVector<mlir::Value> rowBuffers;
  /// Rows: the thread's number in the team and in its warp, and its warp's
  /// number.
  mlir::Value member, lane, warp;
};

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_GPUEMITTER_H
