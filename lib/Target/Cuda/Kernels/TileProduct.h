//===- TileProduct.h - Products of tiles in shared memory -------*- C++ -*-===//
//
// The division of a product of tiles among the threads of a block: a thread has
// the same rows in each product, and some columns of each row; the neighbouring
// threads that share a row are its team, which is within a warp.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_TILEPRODUCT_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_TILEPRODUCT_H

#include "GpuBlock.h"
#include <memory>

namespace reprise {

class TileProduct {
public:
  using Sums = llvm::SmallVector<mlir::Value>;

  /// Creates products of numbers of type `element` with `rows` in every
  /// product, a multiple of 16. bf16 and f16 use tensor cores; the number of
  /// threads is twice the rows or a multiple of that, whose teams share the
  /// columns. Other types use f32 multiply-adds and 128 threads.
  static std::unique_ptr<TileProduct> create(GpuBlock &g, mlir::Type element,
                                             int64_t rows);
  virtual ~TileProduct() = default;

  /// The threads that share a row, and this thread's number among them.
  int64_t team;
  mlir::Value member;

  /// The tile's rows and columns that a thread has. A sum is number row *
  /// columnCount + column.
  int64_t rowCount() const { return rowNumbers.size(); }
  int64_t columnCount(int64_t columns) const {
    return columns / team / sharers;
  }
  mlir::Value row(int64_t i) const { return rowNumbers[i]; }
  mlir::Value row(mlir::Value i);
  /// The first of `columns` columns that belongs to this team, if teams share
  /// them.
  virtual mlir::Value firstColumn(int64_t columns) { return g.constant(0); }
  /// Returns column `j` relative to the first column.
  virtual mlir::Value column(int64_t j) = 0;
  virtual mlir::Value column(mlir::Value j) = 0;
  /// Returns the end of the columns that the team has as column `j`.
  virtual int64_t endOf(int64_t j) const = 0;

  /// Returns zeros for a product of `columns` columns, a multiple of 8.
  Sums zeros(int64_t columns);
  /// Returns the sums over `inner` neighbours (a multiple of 8, or of 16 for
  /// tensor cores) of a's rows and b's rows; b has as many rows as the product
  /// has columns.
  Sums ofRows(const SharedRows &a, const SharedRows &b, int64_t columns,
              int64_t inner) {
    return addOfRows(zeros(columns), a, b, columns, inner);
  }
  /// Returns these sums added to `sums`.
  virtual Sums addOfRows(llvm::ArrayRef<mlir::Value> sums, const SharedRows &a,
                         const SharedRows &b, int64_t columns,
                         int64_t inner) = 0;
  /// Returns `sums` plus the sums over `inner` neighbours of a's rows and as
  /// many rows of b.
  virtual Sums add(llvm::ArrayRef<mlir::Value> sums, const SharedRows &a,
                   const SharedRows &b, int64_t columns, int64_t inner) = 0;

protected:
  TileProduct(GpuBlock &g, int64_t team) : team(team), g(g) {
    member = g.remainder(g.thread, team);
  }

  GpuBlock &g;
  llvm::SmallVector<mlir::Value> rowNumbers;
  int64_t rowStride = 0;
  /// The number of teams that share a row.
  int64_t sharers = 1;
};

/// Returns true if products of numbers of type `element` use tensor cores:
/// tiles then hold them unconverted, and otherwise as f32.
bool hasTensorCores(mlir::Type element);

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_TILEPRODUCT_H
