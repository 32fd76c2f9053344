//===- Registry.cpp - The optimizers by name ------------------------------===//

#include "Optimizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace reprise;
using namespace reprise::sg;

static llvm::ArrayRef<const Optimizer *> optimizers() {
  static const Optimizer *const all[] = {
#define OPTIMIZER(NAME) &NAME##Optimizer(),
#include "Optimizers.def"
#undef OPTIMIZER
  };
  return all;
}

const Optimizer *sg::findOptimizer(llvm::StringRef name) {
  for (const Optimizer *optimizer : optimizers())
    if (optimizer->info().name == name)
      return optimizer;
  return nullptr;
}

std::vector<OptimizerInfo> reprise::listOptimizers() {
  std::vector<OptimizerInfo> infos;
  for (const Optimizer *optimizer : optimizers())
    infos.push_back(optimizer->info());
  return infos;
}

/// "sgd, adamw and none".
static std::string listNames(llvm::ArrayRef<std::string> names) {
  if (names.empty())
    return "none";
  std::string text = llvm::join(names.drop_back(), ", ");
  return text + (text.empty() ? "" : " and ") + names.back();
}

static std::string unknownOptimizer(llvm::StringRef name) {
  llvm::SmallVector<std::string> known;
  for (const OptimizerInfo &info : listOptimizers())
    known.push_back(info.name.str());
  return "unknown optimizer '" + name.str() + "'; known are " +
         listNames(known);
}

static std::string checkRange(llvm::StringRef optimizer,
                              const Hyperparameter &one, double value) {
  if (value >= one.least && value < one.end)
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << one.name << " of " << optimizer << " is " << llvm::format("%g", value)
      << "; it must be at least " << llvm::format("%g", one.least)
      << " and less than " << llvm::format("%g", one.end);
  return text;
}

std::string reprise::completeHyperparameters(llvm::StringRef optimizer,
                                             HyperparameterValues &values) {
  const Optimizer *found = findOptimizer(optimizer);
  if (!found)
    return unknownOptimizer(optimizer);
  llvm::SmallVector<std::string> known;
  for (const Hyperparameter &one : found->info().hyperparameters) {
    double value = values.emplace(one.name, one.value).first->second;
    if (std::string wrong = checkRange(optimizer, one, value); !wrong.empty())
      return wrong;
    known.push_back(one.name);
  }
  for (const auto &[name, value] : values)
    if (!llvm::is_contained(known, name))
      return optimizer.str() + " has no hyperparameter '" + name +
             "'; it has " + listNames(known);
  return "";
}
