//===- CommandLine.cpp - Help and errors of command lines -----------------===//

#include "reprise/CommandLine/CommandLine.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Text/Printable.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <tuple>

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

/// Returns what an option takes, for a message.
static std::string takenBy(const CLI::Option *option) {
  std::string type = typeOf(option);
  if (type == "UINT" || type == "INT")
    return "a whole number";
  if (type == "FLOAT")
    return "a number";
  // "FILE[:TEXT]"
  return type == "TEXT" ? "a value" : type.substr(0, type.find('['));
}

/// Returns a number as the parser prints it without zeros at its end.
static std::string shortNumber(std::string number) {
  if (number.find('.') == std::string::npos)
    return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.')
    number.pop_back();
  return number;
}

/// Returns true if the word is the name of one of the command's options.
static bool isOptionOf(const CLI::App *command, const std::string &word) {
  return word.size() > 1 && word[0] == '-' &&
         command->get_option_no_throw(word) != nullptr;
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

static std::string checkSwitch(const std::string &value) {
  return value == "true" || value == "false"
             ? ""
             : "leave out the value of this switch";
}

void driver::guardValues(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (option->get_items_expected_max() == 0)
      option->check(checkSwitch, "");
    else
      option->check(
          [&app, option, type = typeOf(option)](const std::string &value) {
            if (isOptionOf(&app, value))
              return takenBy(option) + " is missing before '" + value + "'";
            return checkValue(type, value);
          },
          "");
  for (CLI::App *command : app.get_subcommands({}))
    guardValues(*command);
}

std::function<std::string(const std::string &)>
driver::writtenAs(std::vector<std::string> written) {
  return [written = std::move(written)](const std::string &path) {
    static const std::set<std::string> formats = {
        ".avif", ".bmp",  ".bz2",  ".csv",         ".eps",  ".gif",     ".gz",
        ".h5",   ".hdf5", ".htm",  ".html",        ".jpeg", ".jpg",     ".json",
        ".md",   ".mlir", ".npy",  ".npz",         ".onnx", ".parquet", ".pdf",
        ".pkl",  ".png",  ".ps",   ".pt",          ".pth",  ".rpx",     ".svg",
        ".tar",  ".tif",  ".tiff", ".safetensors", ".toml", ".tsv",     ".webp",
        ".xlsx", ".xml",  ".xz",   ".yaml",        ".yml",  ".zip",     ".zst"};
    std::string ending = std::filesystem::path(path).extension();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    bool isWritten = std::count(written.begin(), written.end(), ending);
    if (isWritten || !formats.count(ending))
      return std::string();
    std::string list;
    for (const std::string &one : written)
      list += (list.empty() ? "" : " or ") + one;
    return "'" + path + "' names a format that is not written here; name a " +
           list + " file";
  };
}

std::string driver::checkNotZero(const std::string &value) {
  char *end = nullptr;
  bool isZero = std::strtoull(value.c_str(), &end, 0) == 0 && !*end;
  return isZero ? "0 is too few; give 1 or more" : "";
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

/// Splits "NAME: TEXT" at the name of an option; null if the message is not of
/// that form.
static const CLI::Option *optionOf(const CLI::App *command,
                                   const std::string &message,
                                   std::string &text) {
  for (const CLI::Option *option : command->get_options({})) {
    std::string begin = option->get_name() + ": ";
    if (message.compare(0, begin.size(), begin) != 0)
      continue;
    text = message.substr(begin.size());
    return option;
  }
  return nullptr;
}

/// Returns a message with the expected type of the value.
static std::string describeConversion(const CLI::App *command,
                                      const std::string &message) {
  for (const CLI::Option *option : command->get_options({})) {
    const std::string &name = option->get_name();
    std::string begin = "Could not convert: " + name + " = ";
    if (message.compare(0, begin.size(), begin) != 0)
      continue;
    std::string value = message.substr(begin.size());
    char *end = nullptr;
    (void)std::strtod(value.c_str(), &end);
    // strtod reads "nan" and "inf", too.
    bool isNumber = !*end && value.find_first_of("0123456789") != value.npos;
    bool isWhole = typeOf(option) != "FLOAT";
    if (isNumber && isWhole && value.find_first_of(".eE") == std::string::npos)
      return name + " is '" + value + "', which is too large";
    return name + " is '" + value + "'; give " + takenBy(option);
  }
  return message;
}

/// Returns a message about a value that a check refused.
static std::string describeCheck(const CLI::App *command,
                                 const std::string &message) {
  std::string text;
  const CLI::Option *option = optionOf(command, message, text);
  // "Value 9 not in range 1 to 4", "9 not in {a,b}"
  const std::string range = " not in range ", words = " not in {", to = " to ";
  size_t at = text.find(range), set = text.find(words), between = text.find(to);
  if (option && at != std::string::npos && between != std::string::npos) {
    size_t first = at + range.size();
    return option->get_name() + " is " + text.substr(6, at - 6) +
           "; it must be between " +
           shortNumber(text.substr(first, between - first)) + " and " +
           shortNumber(text.substr(between + to.size()));
  }
  if (!option || set == std::string::npos)
    return message;
  std::string known = text.substr(set + words.size());
  known = known.substr(0, known.find('}'));
  std::string list;
  for (char c : known)
    list += c == ',' ? std::string(", ") : std::string(1, c);
  return option->get_name() + " is '" + text.substr(0, set) + "'; choose " +
         list;
}

/// Returns a message that a value is missing, or that there are too few or too
/// many.
static std::string describeMismatch(const CLI::App *command,
                                    const std::string &message) {
  std::string text;
  if (const CLI::Option *option = optionOf(command, message, text))
    return text.find("missing") != std::string::npos
               ? option->get_name() + ": " + takenBy(option) + " is missing"
               : option->get_name() + " takes another number of values";
  return message;
}

/// Returns a message that an argument or a command is missing.
static std::string describeMissing(const CLI::App *command,
                                   const std::string &message) {
  for (const CLI::Option *option : command->get_options({})) {
    if (message != option->get_name() + " is required")
      continue;
    std::string what = option->get_description();
    if (!what.empty())
      what[0] = char(std::tolower(what[0]));
    return (option->get_positional() ? "the argument '" : "'") +
           option->get_name() + "' is missing" +
           (what.empty() ? "" : ": " + what);
  }
  std::string names;
  for (const std::string &name : commandNames(command))
    names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? message
                       : "a command is missing; choose one of " + names;
}

/// Returns a message about two options of which one needs the other or excludes
/// it.
static std::string describePair(const std::string &message) {
  for (const auto &[word, between, end] :
       {std::tuple(" requires ", " needs ", ""),
        std::tuple(" excludes ", " and ",
                   " are both given; keep one of them")}) {
    size_t at = message.find(word);
    if (at != std::string::npos)
      return message.substr(0, at) + between +
             message.substr(at + std::strlen(word)) + end;
  }
  return message;
}

/// Returns an option whose value is the name of the option that follows it;
/// null if there is none.
static const CLI::Option *followedBy(const CLI::App *command,
                                     std::string &next) {
  for (const CLI::Option *option : command->get_options({}))
    for (const std::string &value : option->results())
      if (option->get_items_expected_max() > 0 && isOptionOf(command, value)) {
        next = value;
        return option;
      }
  return nullptr;
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

std::string driver::describeError(const CLI::App &command,
                                  const CLI::ParseError &error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ConversionError *>(&error))
    return describeConversion(&command, message);
  if (dynamic_cast<const CLI::ValidationError *>(&error))
    return describeCheck(&command, message);
  if (dynamic_cast<const CLI::ArgumentMismatch *>(&error))
    return describeMismatch(&command, message);
  if (dynamic_cast<const CLI::RequiredError *>(&error))
    return describeMissing(&command, message);
  return describePair(message);
}

int driver::explain(CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == 0) { // --help and --version
    std::ostringstream text;
    app.exit(error, text, text);
    rt::Status status = print(text.str());
    return status.ok() ? kSuccess : fail(status);
  }
  CLI::App *command = chosenCommand(app);
  std::string next, message;
  if (const CLI::Option *option = followedBy(command, next))
    message = option->get_name() + ": " + takenBy(option) +
              " is missing before '" + next + "'";
  else if (!command->remaining().empty())
    message = describeExtra(command);
  else if (const CLI::Option *twice = repeated(command))
    message = twice->get_name() + " is given " +
              std::to_string(twice->results().size()) + " times; give it once";
  else
    message = describeError(*command, error);
  std::fprintf(stderr, "error: %s\n'%s --help' shows how to use it\n",
               text::printable(message).c_str(), fullName(*command).c_str());
  printJsonError(message);
  return kUsage;
}
