//===- TransformerLayers.h - Random layers of transformers ------*- C++ -*-===//
#ifndef REPRISE_TEST_RANDOMGRAPHS_TRANSFORMERLAYERS_H
#define REPRISE_TEST_RANDOMGRAPHS_TRANSFORMERLAYERS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringRef.h"

namespace reprise::random_graphs {

class Random;
class State;

/// Emits layers at a builder's insertion point, each of x's type. x is
/// (N,H,W,C) or (N,F), f32 or bf16; parameters are f32.
class TransformerLayers {
public:
  TransformerLayers(mlir::OpBuilder &b, State &state, Random &random)
      : b(b), state(state), random(random) {}

  /// A random layer on `x`.
  mlir::Value any(mlir::Value x, llvm::StringRef path);

private:
  mlir::Value layerNorm(mlir::Value x, llvm::StringRef path);
  mlir::Value activation(mlir::Value x);
  mlir::Value dropSamples(mlir::Value x);
  mlir::Value roll(mlir::Value x);
  mlir::Value embed(mlir::Value x, llvm::StringRef path);
  mlir::Value attend(mlir::Value x, llvm::StringRef path);
  mlir::Value attendAtOnce(mlir::Value x, llvm::StringRef path);
  mlir::Value project(mlir::Value tokens, llvm::StringRef path);
  mlir::Value addDistances(mlir::Value scores, llvm::StringRef path);
  mlir::Value dropped(mlir::Value x, bool samples);
  mlir::Value lookUp(mlir::Value like, llvm::ArrayRef<int64_t> shape,
                     int64_t rows, int64_t width, llvm::StringRef path,
                     llvm::ArrayRef<int32_t> indices);

  mlir::OpBuilder &b;
  State &state;
  Random &random;
};

} // namespace reprise::random_graphs

#endif // REPRISE_TEST_RANDOMGRAPHS_TRANSFORMERLAYERS_H
