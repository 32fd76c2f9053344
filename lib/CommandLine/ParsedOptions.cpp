//===- ParsedOptions.cpp - The options of a parser ------------------------===//

#include "reprise/CommandLine/ParsedOptions.h"
#include "reprise/CommandLine/CommandLine.h"

using namespace reprise::driver;

bool ParsedOptions::knows(const std::string &option) const {
  return command.get_option_no_throw(option) != nullptr;
}

std::vector<std::string>
ParsedOptions::valuesOf(const std::string &option) const {
  const CLI::Option *found = command.get_option_no_throw(option);
  return found ? found->results() : std::vector<std::string>();
}

bool ParsedOptions::isOn(const std::string &option) const {
  std::vector<std::string> values = valuesOf(option);
  return !values.empty() && CLI::detail::to_flag_value(values.back()) > 0;
}

std::vector<std::string>
ParsedOptions::namesIn(const std::string &group) const {
  std::vector<std::string> names;
  for (const CLI::Option *option : command.get_options())
    if (option->count() && (group.empty() || option->get_group() == group))
      names.push_back(option->get_name());
  return names;
}

std::string ParsedOptions::groupOf(const std::string &option) const {
  const CLI::Option *found = command.get_option_no_throw(option);
  return found ? found->get_group() : "";
}

std::string ParsedOptions::set(const std::string &option,
                               const std::vector<std::string> &values) {
  CLI::Option *found = command.get_option(option);
  for (const std::string &value : values)
    found->add_result(value);
  try {
    found->run_callback();
  } catch (const CLI::ParseError &error) {
    found->clear();
    return describeError(command, error);
  }
  return "";
}
