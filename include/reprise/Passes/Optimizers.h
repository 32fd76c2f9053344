//===- Optimizers.h - The optimizers there are ------------------*- C++ -*-===//
//
// An optimizer is a file of passes/Train/Optimizers and a line of its registry,
// Optimizers.def.
// What chooses one, a pass's option or a flag, asks here for its names.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_OPTIMIZERS_H
#define REPRISE_PASSES_OPTIMIZERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace reprise {

/// A number of an optimizer that is fixed when a program is compiled.
struct Hyperparameter {
  enum class Kind {
    Number,
    /// On (1) or off (0, as it is unless it is given).
    Switch,
    /// A number that takes the place of another, `otherwise`, for some
    /// parameters; equal to that unless it is given.
    Exception,
  };
  const char *name;  // in kebab-case
  double value;      // unless another is given
  double least, end; // it is at least this and less than that
  Kind kind = Kind::Number;
  const char *meaning = ""; // for a list of options, where the name needs one
  const char *otherwise = "";
};

/// Values of hyperparameters, by name. Complete ones hold every number; a
/// switch that is on; an exception that differs from what it excepts.
using HyperparameterValues = std::map<std::string, double>;

struct OptimizerInfo {
  llvm::StringRef name;
  llvm::StringRef summary;
  llvm::ArrayRef<Hyperparameter> hyperparameters;
};

/// All of them; the first is the default.
std::vector<OptimizerInfo> listOptimizers();

/// Completes `values`: adds the defaults of what they do not say, and drops
/// what says nothing. Returns what is wrong with the name or a value; empty
/// when nothing is.
std::string completeHyperparameters(llvm::StringRef optimizer,
                                    HyperparameterValues &values);

} // namespace reprise

#endif // REPRISE_PASSES_OPTIMIZERS_H
