//===- TileProduct.h - Products of tiles in shared memory -------*- C++ -*-===//
//
// What threads of a block have of a product of tiles: a thread has the same
// rows of each, and of a row some columns; the neighbours that share a row are
// its team, which is within a warp.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_CODEGEN_TILEPRODUCT_H
#define REPRISE_LIB_CODEGEN_TILEPRODUCT_H

#include "GpuBlock.h"

namespace reprise {

/// Products by f32 multiply-adds, each rounded once; sums are in the order of
/// what is summed over. 128 threads.
class TileProduct {
public:
  /// Numbers of threads that share a row.
  static constexpr int64_t team = 8;
  using Sums = llvm::SmallVector<mlir::Value>;

  /// `rows` of every product, a multiple of 16.
  TileProduct(GpuBlock &g, int64_t rows);

  int64_t rowCount() const { return rowNumbers.size(); }
  int64_t columnCount(int64_t columns) const { return columns / team; }
  /// Of the tile: rows and columns that a thread has. A sum is number
  /// row * columnCount + column.
  mlir::Value row(int64_t i) const { return rowNumbers[i]; }
  mlir::Value column(int64_t j) { return g.add(member, j * team); }
  mlir::Value row(mlir::Value i);
  mlir::Value column(mlir::Value j);
  /// Which of its team a thread is.
  mlir::Value member;

  /// Zeros for a product of so many columns, a multiple of 8.
  Sums zeros(int64_t columns);
  /// The sums over `inner` neighbours, a multiple of 4, of a's rows and b's
  /// rows, as many as the product has columns.
  Sums ofRows(const SharedRows &a, const SharedRows &b, int64_t columns,
              int64_t inner);
  /// `sums` and those over `inner` neighbours of a's rows, a multiple of 4, and
  /// as many rows of b.
  Sums add(llvm::ArrayRef<mlir::Value> sums, const SharedRows &a,
           const SharedRows &b, int64_t columns, int64_t inner);

private:
  /// Adds products of four numbers each of some rows and of all columns.
  void addFour(Sums &sums, llvm::ArrayRef<mlir::Value> a,
               llvm::function_ref<mlir::Value(int64_t, int64_t)> b,
               int64_t columns);
  llvm::SmallVector<mlir::Value> rowsAt(const SharedRows &a, mlir::Value k);

  GpuBlock &g;
  llvm::SmallVector<mlir::Value> rowNumbers;
};

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_TILEPRODUCT_H
