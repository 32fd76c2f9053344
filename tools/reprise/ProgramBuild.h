//===- ProgramBuild.h - A program on its way --------------------*- C++ -*-===//
//
// A program of a run that has several is found in the cache, or planned, which
// tells its memory and refuses what does not fit, and then given its machine
// code, which takes time and refuses nothing. So it may be planned before the
// first step and get its code beside the steps.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_PROGRAMBUILD_H
#define REPRISE_TOOLS_PROGRAMBUILD_H

#include "ProgramCache.h"
#include "Refusal.h"
#include "RunSource.h"

namespace reprise::tools {

/// A variable of a model, without what an optimizer keeps of it.
struct ModelVariable {
  std::string name, type;
  bool operator==(const ModelVariable &other) const {
    return name == other.name && type == other.type;
  }
};

class ProgramBuild {
public:
  /// Only the first program of a run shows warnings: they are about the model,
  /// which all programs share.
  enum class Warnings { Shown, Hidden };

  /// Loads the model, and looks into the cache; `describes` asks for the facts
  /// of the program.
  static rt::Expected<std::unique_ptr<ProgramBuild>>
  begin(ModelRequest wanted, bool describes,
        Warnings warnings = Warnings::Hidden);

  const std::vector<ModelVariable> &variables() const { return holds; }
  /// Plans, unless that was done or the program is there; says nothing of it
  /// on a terminal where it `isQuiet`, as another thread has to be. There is no
  /// search where the step without recomputation fits the budget.
  rt::Status plan(Advice advice, bool isQuiet);
  /// Bytes that a session of it takes, once it is planned.
  uint64_t arenaBytes() const { return arena; }
  /// Makes the code, after a plan where that was not asked for, and keeps it in
  /// the cache. Once, by any thread.
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
  /// Holds the model, or its program; null where it is found.
  std::unique_ptr<Compiler> compiler;
  bool isPlanned = false;
  uint64_t arena = 0;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRAMBUILD_H
