//===- SharedLayers.h - Random layers that share a weight -------*- C++ -*-===//
#ifndef REPRISE_TEST_RANDOMGRAPHS_SHAREDLAYERS_H
#define REPRISE_TEST_RANDOMGRAPHS_SHAREDLAYERS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringRef.h"

namespace reprise::random_graphs {

class Random;
class State;

/// Emits layers at a builder's insertion point, each of x's type. x is
/// (N,H,W,C) or (N,F), f32 or bf16; parameters are f32. A layer uses one
/// parameter several times: by one read or several, and within blocks that take
/// the read, hand it out or read the parameter themselves.
class SharedLayers {
public:
  /// Blocks are annotated at random where `annotates` says so.
  SharedLayers(mlir::OpBuilder &b, State &state, Random &random, bool annotates)
      : b(b), state(state), random(random), annotates(annotates) {}

  /// A random layer on `x`.
  mlir::Value any(mlir::Value x, llvm::StringRef path);

private:
  enum class Kind { Matrix, Filter, Vector };

  mlir::Value apply(Kind kind, mlir::Value x, mlir::Value weight);
  mlir::Value readAgain(mlir::Value read, mlir::Value like);
  mlir::Value applyInBlock(Kind kind, mlir::Value x, mlir::Value read,
                           mlir::Value &weight, llvm::StringRef path);

  mlir::OpBuilder &b;
  State &state;
  Random &random;
  bool annotates;
};

} // namespace reprise::random_graphs

#endif // REPRISE_TEST_RANDOMGRAPHS_SHAREDLAYERS_H
