//===- Layers.h - Random layers on a value ----------------------*- C++ -*-===//
#ifndef REPRISE_TEST_RANDOMGRAPHS_LAYERS_H
#define REPRISE_TEST_RANDOMGRAPHS_LAYERS_H

#include "Random.h"
#include "SharedLayers.h"
#include "TransformerLayers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "reprise/IR/Sg.h"

namespace reprise::random_graphs {

/// Declares variables and numbers random streams.
class State {
public:
  State(mlir::ModuleOp module, Random &random)
      : module(module), random(random) {}

  /// Reads a parameter of this shape: a new one, or at times one that is read
  /// elsewhere already.
  mlir::Value parameter(mlir::OpBuilder &b, llvm::StringRef path,
                        llvm::ArrayRef<int64_t> shape);
  /// Reads a new parameter; draws no number.
  mlir::Value newParameter(mlir::OpBuilder &b, llvm::StringRef path,
                           llvm::ArrayRef<int64_t> shape);

  /// Declares a variable of (C) for running statistics; returns its name.
  mlir::FlatSymbolRefAttr statistic(llvm::StringRef path, int64_t channels,
                                    sg::InitKind init);

  /// Reads `rng.seed` or `rng.step`.
  mlir::Value counter(mlir::OpBuilder &b, llvm::StringRef name, sg::Role role);

  int64_t nextStream() { return streams++; }
  bool usesRandomNumbers() const { return streams > 0; }

private:
  mlir::Value read(mlir::OpBuilder &b, sg::VariableOp variable);
  sg::VariableOp declareParameter(llvm::StringRef path,
                                  mlir::RankedTensorType type);
  sg::VariableOp declare(llvm::StringRef name, mlir::RankedTensorType type,
                         sg::Role role, sg::InitKind init);

  mlir::ModuleOp module;
  Random &random;
  llvm::SmallVector<sg::VariableOp> parameters;
  int64_t streams = 0, names = 0;
};

/// Emits layers at a builder's insertion point. Values are f32, (N,H,W,C) or
/// (N,F), and stay of moderate size whatever is stacked. Where types are mixed,
/// some layers work on bf16 in between, with parameters of f32.
class Layers {
public:
  /// What layers there are beside those of f32 images.
  struct Kinds {
    bool mixedTypes, transformers, sharedWeights;
    /// Whether blocks may be annotated.
    bool annotates;
  };

  /// `rowChoices` is for layers of rows alone, `volumeChoices` for those of
  /// volumes: what else a seed gives does not depend on them.
  Layers(mlir::OpBuilder &b, State &state, Random &random, Random &rowChoices,
         Random &volumeChoices, Kinds kinds)
      : b(b), state(state), random(random), rowChoices(rowChoices),
        volumeChoices(volumeChoices), kinds(kinds),
        transformer(b, state, random),
        shared(b, state, random, kinds.annotates) {}

  /// A random layer on `x`, which may read others of `values` besides.
  mlir::Value any(mlir::Value x, llvm::ArrayRef<mlir::Value> values,
                  llvm::StringRef path);

  /// x (N,...) as a matrix (N,F).
  mlir::Value toMatrix(mlir::Value x);

  /// x (N,F) W^T + bias, (N,features).
  mlir::Value linear(mlir::Value x, int64_t features, llvm::StringRef path);

private:
  mlir::Value convolution(mlir::Value x, llvm::StringRef path);
  mlir::Value volumes(mlir::Value x, llvm::StringRef path);
  mlir::Value pool(mlir::Value x);
  mlir::Value batchNorm(mlir::Value x, llvm::StringRef path);
  mlir::Value dropout(mlir::Value x);
  mlir::Value activation(mlir::Value x);
  mlir::Value moderate(mlir::Value x);
  mlir::Value combine(mlir::Value x, llvm::ArrayRef<mlir::Value> values);
  mlir::Value join(mlir::Value x, llvm::ArrayRef<mlir::Value> values);
  mlir::Value move(mlir::Value x);
  mlir::Value excite(mlir::Value x);
  mlir::Value overRows(mlir::Value x);
  mlir::Value softmaxOfRows(mlir::Value x, llvm::ArrayRef<int64_t> row);
  mlir::Value normalizedRows(mlir::Value x, llvm::ArrayRef<int64_t> row);
  mlir::Value alongRow(mlir::Value value, mlir::Value like);
  mlir::Value attend(mlir::Value x);
  mlir::Value mask(mlir::Value x);
  mlir::Value scale(mlir::Value x, double factor);
  mlir::Value narrow(mlir::Value x, llvm::StringRef path);
  mlir::Value as(mlir::Value x, mlir::Value like);

  mlir::OpBuilder &b;
  State &state;
  Random &random, &rowChoices, &volumeChoices;
  Kinds kinds;
  TransformerLayers transformer;
  SharedLayers shared;
};

} // namespace reprise::random_graphs

#endif // REPRISE_TEST_RANDOMGRAPHS_LAYERS_H
