//===- CommandLine.cpp - Help and errors of command lines -----------------===//

#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Text/Printable.h"
#include "reprise/Text/Table.h"
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace reprise;
using namespace reprise::driver;

namespace {
/// CLI11's help in 80 columns.
class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter() { column_width(kNames); }
  std::string make_option_desc(const CLI::Option *option) const override {
    return text::wrap(option->get_description(), kColumns - kNames);
  }
  std::string make_subcommand(const CLI::App *command) const override {
    std::ostringstream out;
    CLI::detail::format_help(
        out, command->get_name(),
        text::wrap(command->get_description(), kColumns - kNames), kNames);
    return out.str();
  }
  std::string make_description(const CLI::App *app) const override {
    return text::wrap(app->get_description(), kColumns) + "\n";
  }

private:
  static constexpr size_t kColumns = 80, kNames = 30;
};
} // namespace

void driver::useHelpFormat(CLI::App &app) {
  app.formatter(std::make_shared<HelpFormatter>());
}

void driver::addExamples(CLI::App &command, const std::string &examples) {
  command.footer("Examples:\n" + examples + "\n");
}

/// Returns "UINT", "INT", "FLOAT", "TEXT", or the name in the help; the parser
/// appends a colon and the check.
static std::string typeOf(const CLI::Option *option) {
  std::string type = option->get_type_name();
  return type.substr(0, type.find(':'));
}

/// Returns the error in a value that the parser would accept; "" if there is
/// none. The parser reads an empty number as 0 and a negative one as a large
/// one.
static std::string checkValue(const std::string &type,
                              const std::string &value) {
  if (value.empty())
    return "the value is empty";
  bool isNumber = type == "UINT" || type == "INT" || type == "FLOAT";
  size_t first = value.find_first_not_of(" \t");
  if (isNumber && first != 0)
    return "'" + value + "' is not a number";
  if (type == "UINT" && value[0] == '-')
    return "'" + value + "' is negative";
  char *end = nullptr;
  errno = 0;
  if (type == "UINT")
    (void)std::strtoull(value.c_str(), &end, 0);
  if (type == "INT")
    (void)std::strtoll(value.c_str(), &end, 0);
  if (errno == ERANGE)
    return "'" + value + "' is more than 64 bits hold";
  if (type == "FLOAT" && !std::isfinite(std::strtod(value.c_str(), &end)))
    return "'" + value + "' is not finite";
  return "";
}

void driver::guardValues(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->check(
          [type = typeOf(option)](const std::string &value) {
            return checkValue(type, value);
          },
          "");
  for (CLI::App *command : app.get_subcommands({}))
    guardValues(*command);
}

CLI::App *driver::chosenCommand(CLI::App &app) {
  for (CLI::App *command : app.get_subcommands())
    return chosenCommand(*command);
  return &app;
}

static std::vector<std::string> optionNames(const CLI::App *app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app->get_options({}))
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

static std::vector<std::string> commandNames(const CLI::App *app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app->get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

/// Returns a message that `what` is unknown, with the most similar word.
static std::string describeUnknown(const std::string &what,
                                   const std::string &word,
                                   const std::vector<std::string> &known) {
  std::string meant = text::nearest(word, known);
  return what + " '" + word + "'" +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
}

rt::Expected<std::string>
driver::helpOf(const CLI::App &app, const std::vector<std::string> &words) {
  const CLI::App *command = &app;
  std::string path = app.get_name();
  for (const std::string &word : words) {
    auto next = command->get_subcommands(
        [&](const CLI::App *one) { return one->get_name() == word; });
    if (next.empty())
      return misuse(
          describeUnknown("no command is named", word, commandNames(command)));
    command = next.front();
    path += " " + word;
  }
  // Formatted here: help() would print that of the chosen command.
  return command->get_formatter()->make_help(command, path,
                                             CLI::AppFormatMode::Normal);
}

/// Returns a message about unknown words, with the most similar ones.
static std::string describeExtra(CLI::App *command) {
  std::vector<std::string> extras = command->remaining();
  std::string word = extras.empty() ? "" : extras.front();
  std::vector<std::string> known;
  bool isOption = word.rfind("-", 0) == 0;
  if (isOption) {
    word = word.substr(0, word.find('='));
    known = optionNames(command);
  } else {
    known = commandNames(command);
  }
  return describeUnknown(isOption        ? "no option is named"
                         : known.empty() ? "unexpected argument"
                                         : "no command is named",
                         word, known);
}

/// Returns a message with the expected type of the value.
static std::string describeConversion(const CLI::App *command,
                                      const std::string &message) {
  for (const CLI::Option *option : command->get_options({})) {
    std::string begin = "Could not convert: " + option->get_name() + " = ";
    if (message.compare(0, begin.size(), begin) != 0)
      continue;
    bool isWhole = typeOf(option) != "FLOAT";
    return option->get_name() + " is '" + message.substr(begin.size()) +
           "'; give a " + (isWhole ? "whole number" : "number");
  }
  return message;
}

/// Returns an option that is given more often than allowed; null if there is
/// none.
static const CLI::Option *repeated(const CLI::App *command) {
  for (const CLI::Option *option : command->get_options({}))
    if (option->get_items_expected_max() == 1 && option->results().size() > 1)
      return option;
  return nullptr;
}

std::string driver::fullName(const CLI::App &command) {
  const CLI::App *parent = command.get_parent();
  return parent ? fullName(*parent) + " " + command.get_name()
                : command.get_name();
}

int driver::explain(CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == 0) { // --help and --version
    std::ostringstream text;
    app.exit(error, text, text);
    rt::Status status = print(text.str());
    return status.ok() ? kSuccess : fail(status);
  }
  CLI::App *command = chosenCommand(app);
  std::string message = error.what();
  if (!command->remaining().empty())
    message = describeExtra(command);
  else if (const CLI::Option *twice = repeated(command))
    message = twice->get_name() + " is given " +
              std::to_string(twice->results().size()) + " times; give it once";
  else if (dynamic_cast<const CLI::ConversionError *>(&error))
    message = describeConversion(command, message);
  else if (dynamic_cast<const CLI::RequiredError *>(&error) &&
           !commandNames(command).empty()) {
    std::string names;
    for (const std::string &name : commandNames(command))
      names += (names.empty() ? "" : ", ") + name;
    message = "a command is missing; choose one of " + names;
  }
  std::fprintf(stderr, "error: %s\n'%s --help' shows how to use it\n",
               text::printable(message).c_str(), fullName(*command).c_str());
  printJsonError(message);
  return kUsage;
}
