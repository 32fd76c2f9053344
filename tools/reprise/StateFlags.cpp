//===- StateFlags.cpp - Options of a program from a state -----------------===//

#include "StateFlags.h"
#include "RecipeFlags.h"
#include "reprise/Runtime/Trainer/State.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::driver;

/// Takes model options from a recipe unless options are given.
static void takeModel(const std::string &recipe, CLI::App &command) {
  recipe::Keys keys = allKeys();
  for (const recipe::Setting &setting :
       recipe::parse(recipe, keys, text::nearest).settings) {
    const recipe::Key &key = *keys.find(setting.path);
    CLI::Option *option = command.get_option_no_throw(key.option);
    if (!option || !ModelFlags::isOfModel(*option) || option->count())
      continue;
    for (const std::string &value : setting.values)
      option->add_result(value);
    option->run_callback();
  }
}

rt::Status driver::takeFromState(CLI::App &command, RunFlags &run,
                                 const std::string &state,
                                 const std::string &weights) {
  if (state.empty()) {
    auto names = rt::readClassNames(weights);
    return names.ok() ? run.takeClassNames(*names, weights) : names.status();
  }
  auto position = rt::readStatePosition(state);
  if (!position.ok())
    return position.status();
  REPRISE_RETURN_IF_ERROR(run.takeClassNames(position->classNames, state));
  run.compile.resume(position->runSettings);
  run.takeOrientation(position->runSettings);
  if (zooModel(run.source))
    takeModel(position->recipe.empty() ? position->modelOptions
                                       : position->recipe,
              command);
  return {};
}
