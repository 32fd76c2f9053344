//===- ProgramBuild.h - Build one program of a run --------------*- C++ -*-===//
//
// A program of a run with several is found in the cache, or planned, which
// determines its memory and fails if it does not fit, and then compiled to
// machine code, which takes time but cannot fail for its size. So it may be
// planned before the first step and compiled while steps run.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUN_PROGRAMBUILD_H
#define REPRISE_RUN_PROGRAMBUILD_H

#include "reprise/Budget/Refusal.h"
#include "reprise/Driver/ProgramCache.h"
#include "reprise/Run/BuiltProgram.h"
#include "reprise/Runtime/Trainer/Backend.h"

namespace reprise::driver {

/// A variable of a model, without the optimizer's variables.
struct ModelVariable {
  std::string name, type;
  rt::TensorInfo tensor;
  bool operator==(const ModelVariable &other) const {
    return name == other.name && type == other.type;
  }
};

class ProgramBuild {
public:
  /// Only the first program of a run shows warnings: they are about the model,
  /// which all programs share.
  enum class Warnings { Shown, Hidden };

  /// Loads the model and searches the cache; `describes` requests the facts of
  /// the program.
  static rt::Expected<std::unique_ptr<ProgramBuild>>
  begin(ModelRequest wanted, bool describes,
        Warnings warnings = Warnings::Hidden);

  const std::vector<ModelVariable> &variables() const { return holds; }
  /// Returns the model before it is planned; null if the program was found in
  /// the cache.
  mlir::ModuleOp model() const;
  /// Fails if the state, unless the path is empty, is not of this model.
  rt::Status checkState(const std::string &path) const;
  /// Plans, unless that is done already or the program was found; `isQuiet`
  /// suppresses output on a terminal, as required on other threads. Does not
  /// search if the step without recomputation fits the budget.
  rt::Status plan(Advice advice, bool isQuiet);
  /// Returns the bytes of a session, after planning.
  uint64_t arenaBytes() const { return arena; }
  /// Generates the code, after planning if that was not done, and adds it to
  /// the cache. Called once, on any thread.
  rt::Expected<BuiltProgram> finish();

private:
  ProgramBuild(ModelRequest wanted, bool describes, Warnings warnings,
               ProgramCache cache)
      : wanted(std::move(wanted)), describes(describes), warnings(warnings),
        cache(std::move(cache)) {}
  rt::Expected<std::unique_ptr<Compiler>> load(const ModelRequest &model) const;
  void find();
  rt::Expected<bool> planPlainly();

  ModelRequest wanted;
  bool describes;
  Warnings warnings;
  ProgramCache cache;
  std::string name; // in the cache
  std::vector<ModelVariable> holds;
  std::optional<BuiltProgram> found;
  /// Holds the model, or its program; null if the program was found in the
  /// cache.
  std::unique_ptr<Compiler> compiler;
  bool isPlanned = false;
  uint64_t arena = 0;
};

} // namespace reprise::driver

#endif // REPRISE_RUN_PROGRAMBUILD_H
