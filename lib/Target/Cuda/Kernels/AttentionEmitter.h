//===- AttentionEmitter.h - The code of an attention on a GPU ---*- C++ -*-===//
#ifndef REPRISE_LIB_TARGET_CUDA_KERNELS_ATTENTIONEMITTER_H
#define REPRISE_LIB_TARGET_CUDA_KERNELS_ATTENTIONEMITTER_H

#include "GpuAttention.h"
#include "TileProduct.h"
#include <functional>

namespace reprise {

/// Pointers to the tensors of an attention; null if it has no such tensor.
struct AttentionPointers {
  mlir::Value qkv, y, lse, dy, bias, seed,
      step; // read, except that the forward sweep writes y and lse
  mlir::Value dqkv, dbias, workspace;
};

/// Emits the code of a sweep's blocks. EmitGpuAttention.cpp has the code that
/// all sweeps share and the forward sweep, EmitGpuAttentionGrad.cpp the
/// gradient's.
class AttentionEmitter {
public:
  /// `memory`: shared memory of shape.sharedNumbers() numbers; `numbers`:
  /// shared memory of two f32 for each of shape.mostQueries().
  AttentionEmitter(GpuBlock &g, const AttentionShape &shape,
                   const SweepShape &sweep, const AttentionPointers &pointers,
                   mlir::Value memory, mlir::Value numbers);

  /// `block`: the block's number within the sweep.
  void emit(mlir::Value block);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// Layouts: queries, keys and values in (B,N,3,H,D), numbered in that order;
  /// results in (B,N,H,D).
  enum class Part { Query, Key, Value, Result };
  /// A tile of scores: the terms that a thread's rows and columns add to a
  /// score's position in a matrix of queries by keys, and flags of the columns
  /// that correspond to a token, null if all do.
  struct Tile {
    Values rowTerms, columnTerms, isThere;
  };

  void emitForward();
  void emitQueries();
  void emitKeys();
  void emitBias(mlir::Value block);

  // Tiles. Sets sample, head and first row from the block's number.
  void beginRows(mlir::Value block);
  mlir::Value positionOf(Part part, mlir::Value token, mlir::Value column);
  /// Copies `count` tokens starting at `first`; pads with zeros after the last
  /// token and after the end of each.
  void bring(const SharedRows &rows, mlir::Value pointer, Part part,
             mlir::Value first, int64_t count);
  /// The same in two steps: loads at once, and stores when the returned
  /// function is called.
  using Put = std::function<void()>;
  using Puts = llvm::SmallVector<Put>;
  Put fetch(const SharedRows &rows, mlir::Value pointer, Part part,
            mlir::Value first, int64_t count);
  int64_t lanesOfHead() const;
  /// Stores rows of sums to their place in `part` of `pointer`.
  void storeRows(llvm::ArrayRef<mlir::Value> sums, mlir::Value pointer,
                 Part part);
  /// Calls `run` with the first column of each tile that `fetchTile` fetches,
  /// once the tile and the block's own rows are visible to all threads. Each
  /// tile overwrites the previous one after its last reader.
  Values forEachTile(mlir::ValueRange init, llvm::ArrayRef<Put> own,
                     llvm::function_ref<Puts(mlir::Value)> fetchTile,
                     GpuBlock::FoldBody run);
  mlir::Value asTile(mlir::Value x);
  SharedRows allot(int64_t rows, int64_t pitch);
  Tile tileAt(mlir::Value columnFirst);
  Values termsOf(llvm::ArrayRef<mlir::Value> tokens, bool areQueries);

  // Scores. Returns the start of the matrix of a sample's head, or of the
  // block's bias.
  mlir::Value beginOfMatrix(mlir::Value row);
  Values scoresOf(llvm::ArrayRef<mlir::Value> products, const Tile &tile);
  /// Returns the factors that multiply the weights of the current tile; empty
  /// if none is dropped.
  Values factorsOf(mlir::Value columnFirst);
  mlir::Value exponential(mlir::Value x);
  /// Stores weights to shared memory for the team, in the number type of the
  /// operand they are multiplied with.
  void storeWeights(llvm::ArrayRef<mlir::Value> values);

  // Forward.
  Values addTile(mlir::Value first, mlir::ValueRange before);
  void softmaxRow(llvm::MutableArrayRef<mlir::Value> scores,
                  llvm::MutableArrayRef<mlir::Value> sums, mlir::Value &top,
                  mlir::Value &total);
  void storeLse(llvm::ArrayRef<mlir::Value> tops,
                llvm::ArrayRef<mlir::Value> totals);

  // Gradients. Weights of a tile: p as it is multiplied with v, and ds.
  struct Weights {
    Values kept, slopes;
  };
  void bringStatistics(mlir::Value first, int64_t count);
  Put fetchStatistics(mlir::Value first, int64_t count);
  void storeStatistics(mlir::Value row, mlir::Value isThere, mlir::Value lse,
                       mlir::Value delta);
  Weights weightsOf(mlir::Value columnFirst);
  Values scaled(llvm::ArrayRef<mlir::Value> values);
  /// The position in the bias of a thread's sum number `number`, and whether it
  /// is inside the bias.
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
  /// Tiles of rows and of columns, weights, and the log-sum-exp and delta of
  /// queries.
  SharedRows ofRows[2], ofColumns[2], weights, statistics[2];
  mlir::Value seed, step;
};

} // namespace reprise

#endif // REPRISE_LIB_TARGET_CUDA_KERNELS_ATTENTIONEMITTER_H
