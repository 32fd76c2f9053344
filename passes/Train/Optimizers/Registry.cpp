//===- Registry.cpp - The optimizers by name ------------------------------===//

#include "Optimizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace reprise;
using namespace reprise::sg;

static llvm::ArrayRef<const Optimizer *> optimizers() {
  static const Optimizer *const all[] = {
#define OPTIMIZER(KIND, NAME) &NAME##Optimizer(),
#include "reprise/Optimizers.def"
#undef OPTIMIZER
  };
  return all;
}

const Optimizer &sg::optimizerOf(OptimizerKind kind) {
  return *optimizers()[size_t(kind)];
}

std::vector<OptimizerInfo> reprise::listOptimizers() {
  std::vector<OptimizerInfo> infos;
  for (const Optimizer *optimizer : optimizers())
    infos.push_back(optimizer->info());
  return infos;
}

/// Returns a list such as "sgd, adamw and none".
static std::string listNames(llvm::ArrayRef<std::string> names) {
  if (names.empty())
    return "none";
  std::string text = llvm::join(names.drop_back(), ", ");
  return text + (text.empty() ? "" : " and ") + names.back();
}

static std::string checkRange(llvm::StringRef optimizer,
                              const Hyperparameter &one, double value) {
  bool isSwitch = one.kind == Hyperparameter::Kind::Switch;
  if (isSwitch ? value == 0 || value == 1
               : value >= one.least && value < one.end)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << one.name << " of " << optimizer << " is "
         << llvm::format("%g", value) << "; it must be ";
  if (isSwitch)
    stream << "0 or 1";
  else
    stream << "at least " << llvm::format("%g", one.least) << " and less than "
           << llvm::format("%g", one.end);
  return text;
}

/// Adds a default, or drops a value without effect.
static void complete(const Hyperparameter &one, HyperparameterValues &values) {
  auto it = values.find(one.name);
  switch (one.kind) {
  case Hyperparameter::Kind::Number:
    values.emplace(one.name, one.value);
    break;
  case Hyperparameter::Kind::Switch:
    if (it != values.end() && it->second == 0)
      values.erase(it);
    break;
  case Hyperparameter::Kind::Exception:
    if (it != values.end() && it->second == values.at(one.otherwise))
      values.erase(it);
    break;
  }
}

std::string reprise::completeHyperparameters(OptimizerSettings &settings) {
  const Optimizer &optimizer = optimizerOf(settings.kind);
  OptimizerInfo info = optimizer.info();
  HyperparameterValues &values = settings.values;
  llvm::SmallVector<std::string> known;
  for (const Hyperparameter &one : info.hyperparameters) {
    auto it = values.find(one.name);
    if (it != values.end())
      if (std::string wrong = checkRange(info.name(), one, it->second);
          !wrong.empty())
        return wrong;
    complete(one, values);
    known.push_back(one.name);
  }
  for (const auto &[name, value] : values)
    if (!llvm::is_contained(known, name))
      return info.name().str() + " has no hyperparameter '" + name +
             "'; it has " + listNames(known);
  return optimizer.check(values);
}
