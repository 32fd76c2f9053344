//===- ModelSource.h - Models by name or file -------------------*- C++ -*-===//
//
// A source is a model of a front end (reprise/Frontends.def) or an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_DRIVER_MODELSOURCE_H
#define REPRISE_DRIVER_MODELSOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Driver/CompilerHeap.h"
#include "reprise/NN/Frontend.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Program/ProgramFacts.h"
#include "reprise/Zoo/Zoo.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace reprise::driver {

/// Returns true for an artifact, and false for a model of a front end. Decides
/// by file ending, by the zoo's list, or by the first bytes of a file. An
/// unknown name fails with the most similar known one.
rt::Expected<bool> isArtifact(const std::string &source);

/// Returns the model options that a model, which is no artifact, takes.
frontend::Options optionsOf(const std::string &source);

/// Returns the zoo's model of that name; null for a file.
const zoo::ModelInfo *zooModel(const std::string &source);

/// Returns the same; fails with the most similar name for another.
rt::Expected<const zoo::ModelInfo *> findModel(const std::string &name);

/// Returns the file of a source; "" for a model of the zoo, and for an unknown
/// name.
std::string fileOf(const std::string &source);

/// One model during its compilation. Diagnostics with a place in a file are
/// shown at once, with the source line; others become the message of the
/// status.
class Compiler {
public:
  Compiler();
  ~Compiler();

  /// Loads a model by its front end. A file must hold one function whose
  /// arguments and results have names. `options` are only for a model of the
  /// zoo.
  rt::Status load(const std::string &source, const zoo::ModelOptions &options);

  mlir::ModuleOp module() { return *current; }
  /// Hides warnings from now on, for a mode that the user did not request.
  void hideWarnings();
  rt::Status lower(const CompileOptions &options, CompileLevel level);
  /// Lowers a model to kernels and chooses a plan within the budget of
  /// `options`; see planModel. The plans refer to this IR.
  rt::Expected<PlannedModel> planWithin(const CompileOptions &options);
  /// Lowers a planned model whose budget can be met to a program.
  rt::Status lowerPlanned(PlannedModel &planned, const CompileOptions &options);
  /// Lowers a model to its flat step and returns the plans among which a budget
  /// chooses; see planBudgets. They refer to this IR.
  rt::Expected<BudgetPlans> budgetPlans(const CompileOptions &options,
                                        uint64_t withinBytes = 0);
  /// Returns the module at level program for recall(), which only the same
  /// compiler can read.
  std::vector<uint8_t> memo() const;
  /// Replaces lower(), which produced `memo` from the same model and options.
  /// Repeats the warnings about the model. Returns false, and changes nothing,
  /// if it cannot be read.
  bool recall(const std::vector<uint8_t> &memo, const CompileOptions &options);
  /// Repeats lower()'s warnings about the loaded model, which stays unchanged.
  void warnOf(const CompileOptions &options);
  /// Returns the facts of a module at level program.
  rt::Expected<ProgramFacts> facts();
  /// Records `command` in the artifact, for people; may be empty.
  rt::Expected<std::vector<uint8_t>> emit(const std::string &command = "");
  /// Returns the module as text, with locations only if requested.
  std::string print() const;

private:
  class Diagnostics;

  CompilerHeap heap; // before anything that allocates
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::unique_ptr<Diagnostics> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> current;
  std::string name;
  std::optional<TrainingNote> training; // of the lowered module
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MODELSOURCE_H
