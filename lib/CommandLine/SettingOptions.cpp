//===- SettingOptions.cpp - Options from Settings.def ---------------------===//

#include "reprise/CommandLine/SettingOptions.h"
#include <cassert>

using namespace reprise;
using namespace reprise::driver;

static const recipe::Key &keyOf(const std::string &option) {
  static const recipe::Keys keys = recipe::Keys::standard();
  const recipe::Key *key = keys.findOption(option);
  assert(key && "the option has no line in Settings.def");
  return *key;
}

CLI::Option *SettingOptions::describe(CLI::Option *option) const {
  const recipe::Key &key = keyOf(option->get_name());
  option->description(option->get_name() == key.off ? key.offHelp : key.help);
  if (!key.type.empty())
    option->type_name(key.type);
  if (group)
    option->group(group);
  return option;
}

std::string SettingOptions::otherNameOf(const std::string &option) {
  return keyOf(option).otherName;
}
