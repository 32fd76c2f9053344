//===- Pipelines.h - From a model to an artifact ----------------*- C++ -*-===//
//
// The whole flow as a library. A model is a module with variables and one
// function; see docs/program.md for what each level holds.
//
//   model    annotated for checkpointing
//   train    differentiated, with the optimizer's updates
//   remat    annotated blocks are computed again in the backward pass
//   program  rt.program: flat, kernels formed, ordered, placed; with a second
//            entry for evaluation
//   artifact the bytes of an .rpx file
//
// Each level ends with its verifier.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_PIPELINES_H
#define REPRISE_PASSES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "reprise/Analysis/TrainingNote.h"
#include "reprise/IR/Rt.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Passes/Remat.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

enum class CompileLevel { Model, Train, Remat, Program };

/// "model", "train", "remat" or "program".
std::optional<CompileLevel> parseCompileLevel(llvm::StringRef name);

struct CompileOptions {
  /// Name of the program; the function's name when empty.
  std::string model;
  /// A mode of sg-assign-checkpointing.
  std::string checkpointing = "annotated";
  /// One of listOptimizers(), and its hyperparameters that are not the
  /// defaults.
  std::string optimizer = "sgd";
  HyperparameterValues hyperparameters;
  /// Globs of parameters whose weights do not decay.
  std::vector<std::string> noWeightDecay;
  /// Mixed precision: "bf16" or "f16", or "" for none; see sg-autocast.
  std::string amp;
  /// How attention is computed: "auto", "tiled" or "stored"; see
  /// sg-choose-attention.
  std::string attention = "auto";
  /// Bytes from which large hidden units of perceptrons are done in halves; see
  /// sg-halve-hidden. Bits depend on it.
  uint64_t halvedBytes = uint64_t{8} << 20;
  /// Bytes from which a convolution's result that is normalized by its batch is
  /// not read in the backward pass; see sg-spare-norm-operands. Bits of
  /// gradients depend on it.
  uint64_t sparedBytes = uint64_t{8} << 20;
  /// Whether ops share kernels; see sg-form-kernels. Bits do not depend on it.
  bool fuse = true;
  /// What all gradients together are clipped to; see sg-differentiate.
  Clipping clipping;
  /// What training's loss is in place of the model's; see sg-change-loss.
  LossSettings loss;
  /// Micro-batches that a step runs one after another: it takes so many times
  /// the model's rows.
  unsigned microBatches = 1;
  /// Return each parameter's gradient as output "gradient:PARAMETER".
  bool emitGradients = false;
  /// Return as output "nonfinite" whether the loss or a gradient is not finite.
  bool emitNonFinite = false;
  /// Entries of the program; at least one.
  bool training = true;   // "train_step"
  bool evaluation = true; // "eval_step"
  /// The training step defines variables and never runs, so that its batch
  /// normalizations may have one value for each channel.
  bool onlyEvaluates = false;
  /// Bytes that the whole program may take; see sg-rematerialize.
  std::optional<BudgetRequest> budget;
  /// Effort of the search for a plan within the budget.
  double planWork = 1;
  plan::Effort planEffort = plan::Effort::Normal;
  /// What ops cost for a budget's plan: the machine's rates, and a file of
  /// measured times; see sg-rematerialize.
  rt::Roofline roofline;
  std::string profile;
  /// Globs of module paths or "file:line" whose ops a budget's plan does not
  /// execute again.
  std::vector<std::string> keep;
  /// Globs of paths or "file:line" of blocks that are annotated beside those
  /// of the mode; see sg-assign-checkpointing.
  std::vector<std::string> recompute;
  /// See BudgetObserver; may be empty.
  BudgetObserver budgetObserver;
  /// Told how the search for a budget's plans goes on; may be empty.
  SearchObserver searchObserver;
  /// Threads that the program will run on; its bits depend on it.
  unsigned threads = 2;
  /// The device that it is for, one that is registered; see createTarget.
  std::string target = "cpu:native";
  /// Called on every pass manager before it runs: timing, printing.
  std::function<void(mlir::PassManager &)> configure;
};

/// All of the options that an artifact follows from, as text: different ones
/// give different texts. The profile is told by its name only.
std::string describeOptions(const CompileOptions &options);

/// Loads what the pipeline needs into a context.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Registers pipelines for tools that take passes by name, as mlir-opt with the
/// plugin does: sg-model-to-train, sg-model-to-kernels and
/// sg-kernels-to-program, whose options are those of their passes.
void registerPipelines();

/// Rewrites `module`, a model, to `level`. At level program it holds one
/// rt.program and nothing else. Fails with an error at the op.
mlir::LogicalResult lowerModel(mlir::ModuleOp module,
                               const CompileOptions &options,
                               CompileLevel level);

/// Rewrites `module`, a model, to its flat training step ("train_step") of
/// kernels and library ops: what a BudgetCurve is computed from.
mlir::LogicalResult lowerToKernels(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// The same, and the plans among which lowerModel would choose for a budget.
/// They refer to the module. With `withinBytes`, which is not 0, only what
/// BudgetPlans::chooseWithin needs.
mlir::FailureOr<BudgetPlans> planBudgets(mlir::ModuleOp module,
                                         const CompileOptions &options,
                                         uint64_t withinBytes = 0);

/// What of a model's making decides the bits of its runs.
TrainingNote noteTraining(mlir::ModuleOp model, const CompileOptions &options);

/// Sixteen hexadecimal digits of what a model computes: the same whatever is
/// annotated for checkpointing, and wherever it comes from.
std::string digestModel(mlir::ModuleOp module);

/// Compiles the kernels of a module at level program, for the target that the
/// program names, and returns the artifact's bytes. Equal
/// input gives equal bytes. `training` says what it was lowered with;
/// `progress` is called as Target::reportProgress says.
mlir::FailureOr<std::vector<uint8_t>>
emitArtifact(mlir::ModuleOp module,
             const std::optional<TrainingNote> &training = std::nullopt,
             std::function<void(double)> progress = {});

/// lowerModel to level program, then emitArtifact.
mlir::FailureOr<std::vector<uint8_t>>
compileModel(mlir::ModuleOp module, const CompileOptions &options);

} // namespace reprise

#endif // REPRISE_PASSES_PIPELINES_H
