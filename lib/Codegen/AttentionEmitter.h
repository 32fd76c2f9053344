//===- AttentionEmitter.h - The code of an attention on a GPU ---*- C++ -*-===//
#ifndef REPRISE_LIB_CODEGEN_ATTENTIONEMITTER_H
#define REPRISE_LIB_CODEGEN_ATTENTIONEMITTER_H

#include "GpuAttention.h"
#include "TileProduct.h"
#include <functional>

namespace reprise {

/// Where the tensors of an attention lie; null: it has none.
struct AttentionPointers {
  mlir::Value qkv, y, lse, dy, bias, seed, step; // read, but y and lse forward
  mlir::Value dqkv, dbias, workspace;
};

/// Emits what blocks of a sweep do. EmitGpuAttention.cpp has what sweeps have
/// in common and the forward one, EmitGpuAttentionGrad.cpp those of a gradient.
class AttentionEmitter {
public:
  /// `memory`: shared, of shape.sharedNumbers(); `numbers`: of two f32 for each
  /// of shape.mostQueries().
  AttentionEmitter(GpuBlock &g, const AttentionShape &shape,
                   const SweepShape &sweep, const AttentionPointers &pointers,
                   mlir::Value memory, mlir::Value numbers);

  /// `block` of the sweep's own.
  void emit(mlir::Value block);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// What lies as queries, keys and values do in (B,N,3,H,D), by number; and as
  /// a result in (B,N,H,D).
  enum class Part { Query, Key, Value, Result };
  /// A tile of scores: what a thread's rows and columns add to a score's
  /// position in a matrix of queries by keys, and which of its columns are of a
  /// token, null where all are.
  struct Tile {
    Values rowTerms, columnTerms, isThere;
  };

  void emitForward();
  void emitQueries();
  void emitKeys();
  void emitBias(mlir::Value block);

  // Tiles.
  /// Sets sample, head and first row by the block's number.
  void beginRows(mlir::Value block);
  mlir::Value positionOf(Part part, mlir::Value token, mlir::Value column);
  /// Copies `count` tokens from `first` on; zeros behind the last one and
  /// behind the end of each.
  void bring(const SharedRows &rows, mlir::Value pointer, Part part,
             mlir::Value first, int64_t count);
  /// The same in two steps: loads now, and stores when what is returned is
  /// called.
  using Put = std::function<void()>;
  using Puts = llvm::SmallVector<Put>;
  Put fetch(const SharedRows &rows, mlir::Value pointer, Part part,
            mlir::Value first, int64_t count);
  int64_t lanesOfHead() const;
  /// Rows of sums to where `part` of `pointer` has them.
  void storeRows(llvm::ArrayRef<mlir::Value> sums, mlir::Value pointer,
                 Part part);
  /// Calls `run` with the first column of each tile that `fetchTile` fetches,
  /// when all threads see it and the block's own rows. It is put where the tile
  /// before it was when nobody reads that any more.
  Values forEachTile(mlir::ValueRange init, llvm::ArrayRef<Put> own,
                     llvm::function_ref<Puts(mlir::Value)> fetchTile,
                     GpuBlock::FoldBody run);
  mlir::Value asTile(mlir::Value x);
  SharedRows allot(int64_t rows, int64_t pitch);
  Tile tileAt(mlir::Value columnFirst);
  Values termsOf(llvm::ArrayRef<mlir::Value> tokens, bool areQueries);

  // Scores.
  /// Where the matrix of a sample's head begins, and of the block's bias.
  mlir::Value beginOfMatrix(mlir::Value row);
  Values scoresOf(llvm::ArrayRef<mlir::Value> products, const Tile &tile);
  /// What the weights of the tile at hand are multiplied by; empty where none
  /// is dropped.
  Values factorsOf(mlir::Value columnFirst);
  mlir::Value exponential(mlir::Value x);
  /// Weights as what they meet has numbers, into shared memory, for the team.
  void storeWeights(llvm::ArrayRef<mlir::Value> values);

  // Forward.
  Values addTile(mlir::Value first, mlir::ValueRange before);
  void softmaxRow(llvm::MutableArrayRef<mlir::Value> scores,
                  llvm::MutableArrayRef<mlir::Value> sums, mlir::Value &top,
                  mlir::Value &total);
  void storeLse(llvm::ArrayRef<mlir::Value> tops,
                llvm::ArrayRef<mlir::Value> totals);

  // Gradients.
  /// Of a tile: p as it meets v, and ds.
  struct Weights {
    Values kept, slopes;
  };
  void bringStatistics(mlir::Value first, int64_t count);
  Put fetchStatistics(mlir::Value first, int64_t count);
  void storeStatistics(mlir::Value row, mlir::Value isThere, mlir::Value lse,
                       mlir::Value delta);
  Weights weightsOf(mlir::Value columnFirst);
  Values scaled(llvm::ArrayRef<mlir::Value> values);
  /// Where in the bias a thread's sum number `number` belongs, and whether it
  /// lies inside.
  struct BiasPlace {
    mlir::Value number, isThere;
  };
  BiasPlace placeOfBias(mlir::Value columnFirst, unsigned number);
  Values totalsOfBias(mlir::Value columnFirst, int64_t elements);
  void forEachOfBias(mlir::Value columnFirst,
                     llvm::function_ref<void(unsigned, mlir::Value)> run);
  void addParts(llvm::ArrayRef<mlir::Value> sums, mlir::Value part,
                mlir::Value tile, mlir::Value columnFirst);

  mlir::Value minus(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, g.loc, x, y);
  }
  mlir::Value times(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, g.loc, x, y);
  }
  mlir::Value plus(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, g.loc, x, y);
  }
  mlir::Value choose(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, g.loc, condition, x, y);
  }

  GpuBlock &g;
  mlir::OpBuilder &b;
  const AttentionShape &shape;
  const AttentionForm &form;
  const SweepShape &sweep;
  AttentionPointers at;
  std::unique_ptr<TileProduct> owned;
  TileProduct &product;
  mlir::Value memory;
  int64_t allotted = 0;
  bool rowsAreQueries;
  int64_t columnCount; // of a thread's scores in a row

  mlir::Value sample, head, rowFirst;
  /// Tiles of rows and of columns, weights, log-sum-exp and delta of queries.
  SharedRows ofRows[2], ofColumns[2], weights, statistics[2];
  mlir::Value seed, step;
};

} // namespace reprise

#endif // REPRISE_LIB_CODEGEN_ATTENTIONEMITTER_H
