//===- RecipeKeys.cpp - The keys of recipes -------------------------------===//

#include "reprise/Run/RecipeKeys.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

/// Returns "weight_decay" for "weight-decay", the spelling of keys.
static std::string snakeCase(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

static recipe::Key keyOf(const OptimizerInfo &info, const Hyperparameter &one) {
  recipe::Key key;
  key.path = "optimizer." + snakeCase(one.name);
  key.option = std::string("--") + one.name;
  bool isSwitch = one.kind == Hyperparameter::Kind::Switch;
  key.kind = isSwitch ? recipe::Kind::Switch : recipe::Kind::Number;
  key.usual = isSwitch ? "false" : rt::settingNumber(one.value);
  // Without it another number is used.
  key.isExample = one.kind == Hyperparameter::Kind::Exception;
  std::string meaning = one.meaning;
  key.meaning =
      (meaning.empty() ? "Of " : meaning + "; of ") + info.name().str();
  return key;
}

recipe::Keys driver::allKeys() {
  recipe::Keys keys = recipe::Keys::standard();
  recipe::Key name;
  name.path = "optimizer.name";
  name.option = "--optimizer";
  name.kind = recipe::Kind::Choice;
  name.meaning = "What updates the parameters";
  name.choices = termNames<OptimizerKind>();
  name.usual = name.choices.front();
  keys.add(name);
  for (const OptimizerInfo &info : listOptimizers())
    for (const Hyperparameter &one : info.hyperparameters)
      (void)keys.add(keyOf(info, one)); // the first optimizer's of a name
  return keys;
}
