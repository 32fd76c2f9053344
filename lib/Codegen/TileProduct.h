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
#include <memory>

namespace reprise {

class TileProduct {
public:
  using Sums = llvm::SmallVector<mlir::Value>;

  /// Of numbers of `element`, with `rows` in every product, a multiple of 16:
  /// by tensor cores for bf16 and f16, of twice as many threads as rows or a
  /// multiple of that, which share the columns; else by multiply-adds in f32,
  /// of 128 threads.
  static std::unique_ptr<TileProduct> create(GpuBlock &g, mlir::Type element,
                                             int64_t rows);
  virtual ~TileProduct() = default;

  /// Threads that share a row, and which of them this one is.
  int64_t team;
  mlir::Value member;

  /// Rows and columns of the tile that a thread has. A sum is number
  /// row * columnCount + column.
  int64_t rowCount() const { return rowNumbers.size(); }
  int64_t columnCount(int64_t columns) const {
    return columns / team / sharers;
  }
  mlir::Value row(int64_t i) const { return rowNumbers[i]; }
  mlir::Value row(mlir::Value i);
  /// Where teams share the columns: of those of `columns` at hand.
  virtual mlir::Value firstColumn(int64_t columns) { return g.constant(0); }
  /// Behind the first column.
  virtual mlir::Value column(int64_t j) = 0;
  virtual mlir::Value column(mlir::Value j) = 0;
  /// Behind what the team has as column `j`.
  virtual int64_t endOf(int64_t j) const = 0;

  /// Zeros for a product of so many columns, a multiple of 8.
  Sums zeros(int64_t columns);
  /// The sums over `inner` neighbours, a multiple of 8 or for tensor cores of
  /// 16, of a's rows and b's rows, as many as the product has columns.
  Sums ofRows(const SharedRows &a, const SharedRows &b, int64_t columns,
              int64_t inner) {
    return addOfRows(zeros(columns), a, b, columns, inner);
  }
  /// `sums` and those.
  virtual Sums addOfRows(llvm::ArrayRef<mlir::Value> sums, const SharedRows &a,
                         const SharedRows &b, int64_t columns,
                         int64_t inner) = 0;
  /// `sums` and those over `inner` neighbours of a's rows and as many rows of
  /// b.
  virtual Sums add(llvm::ArrayRef<mlir::Value> sums, const SharedRows &a,
                   const SharedRows &b, int64_t columns, int64_t inner) = 0;

protected:
  TileProduct(GpuBlock &g, int64_t team) : team(team), g(g) {
    member = g.remainder(g.thread, team);
  }

  GpuBlock &g;
  llvm::SmallVector<mlir::Value> rowNumbers;
  int64_t rowStride = 0;
  /// Teams that share a row.
  int64_t sharers = 1;
};

/// Whether products of numbers of `element` are a tensor core's: tiles hold
/// them as they are then, and else as f32.
bool hasTensorCores(mlir::Type element);

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_TILEPRODUCT_H
