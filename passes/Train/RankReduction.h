//===- RankReduction.h - A step that several processes share ----*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_RANKREDUCTION_H
#define REPRISE_PASSES_TRAIN_RANKREDUCTION_H

#include "FlattenOrigins.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace reprise::sg {

/// A value of each rank: elements from `start` on of each row of `all`, which
/// has a row for each rank.
struct Gathered {
  mlir::Value all;
  int64_t start = 0;
};

/// An update `read * keep + taken`, of a variable that nothing else writes.
struct RunningAverage {
  WriteOp write;
  MulOp product;
  AddOp sum;
  ReadOp read;
  mlir::Value taken;
  double keep;
};

/// Collects the facts of a step that ranks share, and rewrites the step.
class RankReduction {
public:
  RankReduction(mlir::func::FuncOp function,
                const SgReduceOverRanksOptions &options)
      : function(function), body(function.getBody().front()),
        ranks(options.ranks), options(options),
        isMarked(saysOrigins(function)) {}

  /// Checks the function and collects its facts. Changes no IR.
  mlir::LogicalResult look();
  void rewrite();

private:
  mlir::LogicalResult lookAtWrites();
  mlir::LogicalResult lookAtUpdates();
  mlir::LogicalResult lookAtUses(mlir::Operation *update);
  mlir::LogicalResult lookAtOperand(mlir::Operation *reader, mlir::Value value);
  mlir::LogicalResult lookAtCourses();
  mlir::LogicalResult lookAtResults();
  mlir::LogicalResult lookAtStep();
  bool isJoinedBy(mlir::Operation &op) const;
  bool areRows(mlir::RankedTensorType type) const;
  bool isLocal(mlir::Value value) const;
  bool isCounter(mlir::Value value) const;
  bool isPlacedByCounter(mlir::Operation *op) const;

  template <typename OpTy, typename... Args>
  mlir::Value make(mlir::OpBuilder &builder, OriginAttr origin, Args &&...args);
  std::vector<llvm::SmallVector<mlir::Value>> gathersOf();
  void gather(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Value> values);
  mlir::Value rowOf(mlir::OpBuilder &builder, mlir::Value value, unsigned rank);
  std::optional<RunningAverage> averageOf(WriteOp write) const;
  llvm::SmallVector<RunningAverage> takeAverages();
  void update(mlir::OpBuilder &builder, RunningAverage average);
  llvm::SetVector<mlir::Value> rowsToRepeat();
  void repeatUpdates(mlir::OpBuilder &builder);
  std::vector<llvm::SmallVector<unsigned>> bucketsOf();
  void reduce(mlir::OpBuilder &builder, llvm::ArrayRef<unsigned> bucket);
  OriginAttr originOfResult(unsigned k);
  OriginAttr forwardOf(llvm::StringRef path) {
    return OriginAttr::get(function.getContext(), path, Phase::Forward,
                           std::nullopt);
  }

  mlir::func::FuncOp function;
  mlir::Block &body;
  unsigned ranks;
  const SgReduceOverRanksOptions options;
  const bool isMarked;
  int64_t sequence = 0;                              // of the next collective
  llvm::MapVector<mlir::StringAttr, WriteOp> writes; // by variable
  llvm::DenseSet<mlir::StringAttr> counters;         // of them
  /// The ops that compute values equal on all ranks from collectives.
  llvm::DenseSet<mlir::Operation *> joined;
  /// The ops that depend on written variables, in program order.
  llvm::SetVector<mlir::Operation *> updates;
  /// The ones that each rank applies for all ranks.
  llvm::DenseSet<mlir::Operation *> repeated;
  /// The values of a rank's batch that updates and writes take.
  llvm::MapVector<mlir::Value, Gathered> locals;
  llvm::SmallVector<unsigned> means; // results
};

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_RANKREDUCTION_H
