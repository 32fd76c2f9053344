//===- ModelSource.h - Models by name or file -------------------*- C++ -*-===//
//
// What a user names is a model of the zoo, a file of textual IR, or an
// artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_MODELSOURCE_H
#define REPRISE_TOOLS_MODELSOURCE_H

#include "CompilerHeap.h"
#include "artifact/ProgramFacts.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Zoo/Zoo.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace reprise::tools {

enum class SourceKind { Zoo, Text, Artifact };

/// By its ending, by the zoo's list, or by what a file begins with. An unknown
/// name fails with the nearest known one.
rt::Expected<SourceKind> classifySource(const std::string &source);

/// The file that a source is; "" of a model of the zoo.
std::string fileOf(const std::string &source);

/// The zoo's model of that name; fails with the nearest one.
rt::Expected<const zoo::ModelInfo *> findModel(const std::string &name);

/// One model on its way through the compiler. Diagnostics that have a place in
/// a file are shown as they come, with the source line; others become the
/// message of the status.
class Compiler {
public:
  Compiler();
  ~Compiler();

  rt::Status loadZoo(const std::string &name, const zoo::ModelOptions &options);
  /// Parses and verifies. The file must hold one function whose arguments and
  /// results have names.
  rt::Status loadText(const std::string &path);
  /// Either of both; `options` only where the zoo is meant.
  rt::Status load(const std::string &source, SourceKind kind,
                  const zoo::ModelOptions &options);

  mlir::ModuleOp module() { return *current; }
  /// From here on: a mode that nobody asked for warns of nothing.
  void hideWarnings();
  rt::Status lower(const CompileOptions &options, CompileLevel level);
  /// Lowers a model to its flat step and says among which plans a budget
  /// chooses, or as planBudgets does. They refer to this IR.
  rt::Expected<BudgetPlans> budgetPlans(const CompileOptions &options,
                                        uint64_t withinBytes = 0);
  /// The module at level program, for recall(), as long as it is read by the
  /// same compiler.
  std::vector<uint8_t> memo() const;
  /// In place of lower(), which made `memo` of the same model and options. What
  /// is warned of in the model is so again. False where it cannot be read, and
  /// nothing has changed.
  bool recall(const std::vector<uint8_t> &memo, const CompileOptions &options);
  /// Warns of what lower() does in the model that is loaded, which stays.
  void warnOf(const CompileOptions &options);
  /// Of a module at level program.
  rt::Expected<ProgramFacts> facts();
  /// `command` is noted in the artifact, for people; may be empty.
  rt::Expected<std::vector<uint8_t>> emit(const std::string &command = "");
  /// The module as text, with locations only where they are asked for.
  std::string print() const;

private:
  class Diagnostics;

  CompilerHeap heap; // before all that takes memory
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  std::unique_ptr<Diagnostics> diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> current;
  std::string name;
  std::optional<TrainingNote> training; // of the lowered module
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_MODELSOURCE_H
