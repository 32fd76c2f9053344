//===- ShellHelp.cpp - Completions and a manual page ----------------------===//

#include "reprise/CommandLine/ShellHelp.h"
#include <map>
#include <sstream>

using namespace reprise;

namespace {

/// A command with its path of words.
struct Command {
  std::string words; // "zoo emit"; "" for the application
  const CLI::App *app;
};

} // namespace

/// Collects an application, its commands, and their subcommands.
static void collect(const CLI::App &app, const std::string &words,
                    std::vector<Command> &commands) {
  commands.push_back({words, &app});
  for (const CLI::App *command : app.get_subcommands({}))
    collect(*command, words + (words.empty() ? "" : " ") + command->get_name(),
            commands);
}

static std::vector<Command> commandsOf(const CLI::App &app) {
  std::vector<Command> commands;
  collect(app, "", commands);
  return commands;
}

/// Returns names such as "--epochs" and "-o", of an option that is not an
/// argument.
static std::vector<std::string> optionNames(const CLI::Option &option) {
  std::vector<std::string> names;
  for (const std::string &name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    names.push_back("--" + name);
  return names;
}

static std::string joined(const std::vector<std::string> &words,
                          const char *between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

static bool takesValue(const CLI::Option &option) {
  return option.get_items_expected_max() > 0;
}

/// Returns the words that may follow a command: its commands, its options, and
/// values of its arguments.
static std::string wordsAfter(const CLI::App &app,
                              const driver::ValueWords &values) {
  std::vector<std::string> words;
  for (const CLI::App *command : app.get_subcommands({}))
    words.push_back(command->get_name());
  for (const CLI::Option *option : app.get_options({})) {
    std::vector<std::string> more = optionNames(*option);
    if (more.empty())
      more = values(*option);
    words.insert(words.end(), more.begin(), more.end());
  }
  return joined(words, " ");
}

/// Returns the cases after an option that takes a value: its possible words, or
/// files if there are none.
static std::string bashValues(const CLI::App &app,
                              const driver::ValueWords &values) {
  // An option's name has the same meaning in all commands.
  std::map<std::string, std::string> wordsOf;
  for (const Command &command : commandsOf(app))
    for (const CLI::Option *option : command.app->get_options({}))
      if (takesValue(*option))
        for (const std::string &name : optionNames(*option))
          if (std::string &words = wordsOf[name]; words.empty())
            words = joined(values(*option), " ");
  std::string cases;
  std::vector<std::string> ofFiles;
  for (const auto &[name, words] : wordsOf)
    if (words.empty())
      ofFiles.push_back(name);
    else
      cases += "  " + name + ") words='" + words + "' files= ;;\n";
  return cases + "  " + joined(ofFiles, " | ") + ") words='' ;;\n";
}

/// Returns the bash function `function` that completes, and the line that
/// registers it.
static std::string bashFunction(const CLI::App &app,
                                const driver::ValueWords &values,
                                const std::string &function) {
  std::string name = app.get_name();
  std::ostringstream out;
  out << function << "() {\n"
      << "  local path='' at word=${COMP_WORDS[COMP_CWORD]}\n"
      << "  for ((at = 1; at < COMP_CWORD; ++at)); do\n"
      << "    case \"$path${COMP_WORDS[at]} \" in\n";
  std::string known;
  for (const Command &command : commandsOf(app))
    if (!command.words.empty())
      known += (known.empty() ? "" : " | ") + ("'" + command.words + " '");
  out << "    " << known
      << ") path+=\"${COMP_WORDS[at]} \" ;;\n"
      // Options before the command take no values.
      << "    -*) ;;\n"
      << "    *) break ;;\n    esac\n  done\n"
      << "  local words='' files=yes IFS=$' \\t\\n'\n"
      << "  case \"$path\" in\n";
  for (const Command &command : commandsOf(app))
    out << "  '" << command.words << (command.words.empty() ? "" : " ")
        << "') words='" << wordsAfter(*command.app, values) << "' ;;\n";
  out << "  esac\n"
      << "  case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n"
      << bashValues(app, values) << "  esac\n"
      << "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      << "  [[ -z $path || -z $files || $word == -* ]] && return\n"
      << "  IFS=$'\\n'\n"
      << "  COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      << "}\ncomplete -o filenames -F " << function << " " << name << "\n";
  return out.str();
}

std::string driver::bashCompletion(const CLI::App &app,
                                   const ValueWords &values) {
  return "# Completion of " + app.get_name() + " for bash.\n" +
         bashFunction(app, values, "_" + app.get_name());
}

std::string driver::zshCompletion(const CLI::App &app,
                                  const ValueWords &values) {
  std::string own = "_" + app.get_name(), function = own + "_words";
  // The shell runs the file as the function `own` at the first completion,
  // which must then still be computed.
  return "#compdef " + app.get_name() +
         "\n# Bash's completion, which zsh takes.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bashFunction(app, values, function) + "[[ $funcstack[1] == " + own +
         " ]] && _bash_complete -o filenames -F " + function + "\n";
}

/// Quotes text for fish, in single quotes.
static std::string fishText(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

/// Returns the condition under which a command's words are completed.
static std::string fishCondition(const Command &command) {
  if (command.words.empty())
    return "__fish_use_subcommand";
  std::string condition;
  std::istringstream words(command.words);
  for (std::string word; words >> word;)
    condition += (condition.empty() ? "" : "; and ") +
                 ("__fish_seen_subcommand_from " + word);
  return condition;
}

std::string driver::fishCompletion(const CLI::App &app,
                                   const ValueWords &values) {
  std::ostringstream out;
  out << "# Completion of " << app.get_name() << " for fish.\n";
  for (const Command &command : commandsOf(app)) {
    std::string begin = "complete -c " + app.get_name() + " -n " +
                        fishText(fishCondition(command));
    for (const CLI::App *next : command.app->get_subcommands({}))
      out << begin << " -a " << next->get_name() << " -d "
          << fishText(next->get_description()) << "\n";
    for (const CLI::Option *option : command.app->get_options({})) {
      std::string words = joined(values(*option), " ");
      if (optionNames(*option).empty()) {
        if (!words.empty())
          out << begin << " -a " << fishText(words) << "\n";
        continue;
      }
      out << begin;
      for (const std::string &name : option->get_snames())
        out << " -s " << name;
      for (const std::string &name : option->get_lnames())
        out << " -l " << name;
      // Words only, or files.
      if (!words.empty())
        out << " -x -a " << fishText(words);
      else if (takesValue(*option))
        out << " -r -F";
      out << " -d " << fishText(option->get_description()) << "\n";
    }
  }
  return out.str();
}

//===----------------------------------------------------------------------===//
// The manual page
//===----------------------------------------------------------------------===//

/// Escapes text for roff: no escapes, no requests, no hyphens that become
/// dashes.
static std::string roff(const std::string &text) {
  std::string out;
  bool atBegin = true;
  for (char c : text) {
    if (atBegin && (c == '.' || c == '\''))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    atBegin = c == '\n';
  }
  return out;
}

static void describeOption(const CLI::Option &option, std::ostream &out) {
  std::string names;
  for (const std::string &name : optionNames(option))
    names += (names.empty() ? "" : ", ") + name;
  if (names.empty())
    names = option.get_name(true);
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  out << ".TP\n\\fB" << roff(names) << "\\fR"
      << (takesValue(option) ? " \\fI" + roff(type) + "\\fR" : std::string())
      << "\n"
      << roff(option.get_description()) << "\n";
}

std::string driver::manualPage(const CLI::App &app,
                               const std::string &version) {
  std::ostringstream out;
  std::string name = app.get_name();
  out << ".TH " << name << " 1 \"\" \"" << roff(version) << "\"\n"
      << ".SH NAME\n"
      << name << " \\- compiles and trains networks within a memory budget\n"
      << ".SH SYNOPSIS\n\\fB" << name
      << "\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...]\n.SH DESCRIPTION\n"
      << roff(app.get_description()) << "\n";
  for (const Command &command : commandsOf(app)) {
    out << ".SH "
        << (command.words.empty() ? "OPTIONS"
                                  : roff(name + " " + command.words))
        << "\n";
    if (!command.words.empty())
      out << roff(command.app->get_description()) << "\n";
    for (const CLI::Option *option : command.app->get_options({}))
      describeOption(*option, out);
    if (!command.app->get_footer().empty())
      out << ".PP\n.nf\n" << roff(command.app->get_footer()) << "\n.fi\n";
  }
  out << ".SH EXIT STATUS\n"
         "0 success, 1 failure, 2 an invalid command line, 75 a run with "
         "--auto-checkpoint that a signal or an error ended, or another "
         "command "
         "that a signal ended before its work was done, 130 an interrupted run "
         "or evaluation.\n";
  return out.str();
}
