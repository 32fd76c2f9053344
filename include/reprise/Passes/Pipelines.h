//===- Pipelines.h - From a model to an artifact ----------------*- C++ -*-===//
//
// The whole flow as a library. A model is a module with variables and one
// function; see docs/program.md for the contents of each level.
//
//   model    annotated for checkpointing
//   train    differentiated, with the optimizer's updates
//   remat    annotated blocks are recomputed in the backward pass
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
#include "reprise/CheckpointingModes.h"
#include "reprise/IR/Rt.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Target/Target.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

enum class CompileLevel { Model, Train, Remat, Program };

/// "model", "train", "remat" or "program".
std::optional<CompileLevel> parseCompileLevel(llvm::StringRef name);

/// The algorithms that compute a step. Its bits depend on all but `fuse`.
struct AlgorithmOptions {
  AttentionChoice attention = AttentionChoice::Auto;
  /// Bytes from which large hidden units of perceptrons are computed in halves;
  /// see sg-halve-hidden.
  uint64_t halvedBytes = uint64_t{8} << 20;
  /// Bytes from which the backward pass does not read a convolution's result
  /// that a batch norm normalizes; see sg-spare-norm-operands. Bits of
  /// gradients depend on it.
  uint64_t sparedBytes = uint64_t{8} << 20;
  /// The most bytes of a kept value that is not rounded; see sg-round-kept.
  uint64_t exactBytes = 4096;
  /// True if ops share kernels; see sg-form-kernels.
  bool fuse = true;
};

/// The choice of what is recomputed.
struct RecomputeOptions {
  /// A mode of sg-assign-checkpointing.
  Checkpointing checkpointing{CheckpointingMode::Kind::Annotated};
  /// Globs of paths or "file:line" of blocks that are annotated in addition to
  /// those of the mode; see sg-assign-checkpointing.
  std::vector<std::string> recompute;
  /// Bytes that the whole program may take; see sg-rematerialize.
  std::optional<plan::Budget> budget;
  /// Host memory that a budget's plan may copy values to.
  plan::HostBudget host;
  /// Globs of module paths or "file:line" whose ops a budget's plan does not
  /// recompute.
  std::vector<std::string> keep;
  /// Effort of the search for a plan within the budget.
  double planWork = 1;
  plan::Effort planEffort = plan::Effort::Normal;
  /// The costs of ops for a budget's plan: the machine's rates, and a file of
  /// measured times; see sg-rematerialize.
  rt::Roofline roofline;
  std::string profile;
  /// Receives the progress of the search for a budget's plans; may be empty.
  SearchObserver searchObserver;
};

/// The program that a model becomes.
struct ArtifactOptions {
  /// Name of the program; the function's name if empty.
  std::string model;
  /// Entries of the program; at least one.
  bool training = true;   // "train_step"
  bool evaluation = true; // "eval_step"
  /// The training step defines variables and never runs, so that its batch
  /// normalizations may have one value for each channel.
  bool onlyEvaluates = false;
  /// Return each parameter's gradient as output "gradient:PARAMETER".
  bool emitGradients = false;
  /// Return as output "nonfinite" whether the loss or a gradient is not finite.
  bool emitNonFinite = false;
  /// The number of threads of the program; its bits depend on it.
  unsigned threads = 2;
  /// The device that the program is for.
  TargetName target;
  /// The share of the program's bytes that calls between ranks may add in order
  /// to run beside other steps, unless a budget limits them; see
  /// sg-lower-to-rt.
  double overlapPercent = 12.5;
  /// Called on every pass manager before it runs: timing, printing.
  std::function<void(mlir::PassManager &)> configure;
};

struct CompileOptions : StepOptions,
                        AlgorithmOptions,
                        RecomputeOptions,
                        ArtifactOptions {};

/// All of the options that determine an artifact, as text: different options
/// give different texts. Of the profile only the name counts.
std::string describeOptions(const CompileOptions &options);

/// Loads the dialects and models that the pipeline needs into a context.
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

/// A model as kernels, the plans among which its budget chooses, and the
/// choice. The plans refer to the module, which must outlive this.
struct PlannedModel {
  std::string name; // of the program
  BudgetPlans plans;
  BudgetAnswer answer;
};

/// The first half of lowerModel to level program, for options with a budget:
/// rewrites `module`, a model, to kernels, and chooses a plan. A budget that
/// cannot be met is an answer without a choice.
mlir::FailureOr<PlannedModel> planModel(mlir::ModuleOp module,
                                        const CompileOptions &options);

/// The second half: rewrites the module of a plan with a choice to a program.
mlir::LogicalResult lowerPlanned(mlir::ModuleOp module, PlannedModel &planned,
                                 const CompileOptions &options);

/// Rewrites `module`, a model, to its flat training step ("train_step") of
/// kernels and library ops: the input of a BudgetCurve.
mlir::LogicalResult lowerToKernels(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// The same, and returns the plans among which lowerModel would choose for a
/// budget. They refer to the module. If `withinBytes` is not 0, computes only
/// what BudgetPlans::chooseWithin needs.
mlir::FailureOr<BudgetPlans> planBudgets(mlir::ModuleOp module,
                                         const CompileOptions &options,
                                         uint64_t withinBytes = 0);

/// The settings of a model's compilation that decide the bits of its runs.
TrainingNote noteTraining(mlir::ModuleOp model, const CompileOptions &options);

/// Sixteen hexadecimal digits, a digest of a model's computation: independent
/// of checkpointing annotations and source locations.
std::string digestModel(mlir::ModuleOp module);

/// Compiles the kernels of a module at level program, for the program's target,
/// and returns the artifact's bytes. Equal input gives equal bytes. `training`
/// describes how it was lowered; `progress` is called as documented at
/// Target::reportProgress.
mlir::FailureOr<std::vector<uint8_t>>
emitArtifact(mlir::ModuleOp module,
             const std::optional<TrainingNote> &training = std::nullopt,
             std::function<void(double)> progress = {});

/// lowerModel to level program, then emitArtifact.
mlir::FailureOr<std::vector<uint8_t>>
compileModel(mlir::ModuleOp module, const CompileOptions &options);

} // namespace reprise

#endif // REPRISE_PASSES_PIPELINES_H
