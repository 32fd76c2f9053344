//===- Optimizers.h - The list of optimizers --------------------*- C++ -*-===//
//
// An optimizer is a file of passes/Train/Optimizers and a line of
// reprise/Optimizers.def. Passes' options and flags that choose one get its
// numbers here.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_OPTIMIZERS_H
#define REPRISE_PASSES_OPTIMIZERS_H

#include "reprise/Analysis/TrainingNote.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace reprise {

/// A number of an optimizer that is fixed when a program is compiled.
struct Hyperparameter {
  enum class Kind {
    Number,
    /// On (1) or off (0, the default).
    Switch,
    /// A number that replaces another, `otherwise`, for some parameters; equal
    /// to that by default.
    Exception,
  };
  const char *name;  // in kebab-case
  double value;      // the default
  double least, end; // valid values are at least `least` and less than `end`
  Kind kind = Kind::Number;
  const char *meaning = ""; // for a list of options, if the name needs an
                            // explanation
  const char *otherwise = "";
};

struct OptimizerInfo {
  OptimizerKind kind;
  llvm::StringRef summary;
  llvm::ArrayRef<Hyperparameter> hyperparameters;

  llvm::StringRef name() const { return termName(kind); }
};

/// All optimizers; the first is the default.
std::vector<OptimizerInfo> listOptimizers();

/// Completes the values: adds the defaults of missing ones, and drops those
/// without effect. Complete ones hold every Number, a Switch that is on, and an
/// Exception that differs from the number it replaces. Returns the error in a
/// value; empty if there is none.
std::string completeHyperparameters(OptimizerSettings &optimizer);

} // namespace reprise

#endif // REPRISE_PASSES_OPTIMIZERS_H
