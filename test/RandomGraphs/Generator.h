//===- Generator.h - Random training graphs ---------------------*- C++ -*-===//
//
// Small models that hold what checkpointing has to get right: branches, blocks
// with several results, blocks in blocks, annotated or not, weights that
// several blocks read or one read of which has several uses, a block used
// twice, dropout, batch normalization, and values that skip over blocks and are
// read by others.
//
// A graph depends on its seed alone, on every machine, so that a failing seed
// can be named in a message and generated again.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RANDOMGRAPHS_GENERATOR_H
#define REPRISE_TEST_RANDOMGRAPHS_GENERATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Reference/Evaluator.h"

namespace reprise::random_graphs {

struct GraphOptions {
  /// Layers and blocks of the function, and of each block in it.
  unsigned minSteps = 3, maxSteps = 10;
  /// How deep blocks nest.
  unsigned maxDepth = 3;
  /// Annotate blocks at random.
  bool annotate = true;
  /// In every fourth graph, by its seed, some layers work on bf16.
  bool mixTypes = true;
  /// In every graph, and not in every fourth, layers use a weight several
  /// times.
  bool shareWeights = false;
};

/// Whether a graph or any model mixes types: it has values of bf16.
bool mixesTypes(mlir::ModuleOp module);

/// A module of sg.variable and one function (image, label) -> (loss, logits)
/// at model level. The context needs the dialects sg and func, loaded.
mlir::OwningOpRef<mlir::ModuleOp>
generateGraph(mlir::MLIRContext *context, uint64_t seed,
              const GraphOptions &options = {});

/// Marks about a quarter of a model's tensors by sg.keep or sg.recompute, in
/// blocks as well. Returns how many.
unsigned markTensors(mlir::ModuleOp module, uint64_t seed);

/// A value for each variable: parameters scaled to keep activations near 1,
/// running variances positive, `rng.seed` random, counters 0.
reference::VariableStore generateVariables(mlir::ModuleOp module,
                                           uint64_t seed);

/// A value for each argument, by its name: `label` in
/// the range of the classes, the learning rate 0.125, others in (-1, 1).
llvm::SmallVector<reference::Tensor>
generateArguments(mlir::func::FuncOp function, uint64_t seed);

} // namespace reprise::random_graphs

#endif // REPRISE_TEST_RANDOMGRAPHS_GENERATOR_H
