//===- ShellHelp.cpp - Completions and a manual page ----------------------===//

#include "ShellHelp.h"
#include <sstream>

using namespace reprise;

namespace {

/// A command with the words that lead to it.
struct Command {
  std::string words; // "zoo emit"; "" for the application
  const CLI::App *app;
};

} // namespace

/// An application, its commands, and those of these.
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

/// "--epochs" and "-o", of an option that is not an argument.
static std::vector<std::string> namesOf(const CLI::Option &option) {
  std::vector<std::string> names;
  for (const std::string &name : option.get_snames())
    names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    names.push_back("--" + name);
  return names;
}

/// What may follow a command: its commands and options.
static std::string wordsAfter(const CLI::App &app) {
  std::string words;
  auto add = [&](const std::string &word) {
    words += (words.empty() ? "" : " ") + word;
  };
  for (const CLI::App *command : app.get_subcommands({}))
    add(command->get_name());
  for (const CLI::Option *option : app.get_options({}))
    for (const std::string &name : namesOf(*option))
      add(name);
  return words;
}

std::string tools::bashCompletion(const CLI::App &app) {
  std::string name = app.get_name();
  std::ostringstream out;
  out << "# Completion of " << name << " for bash.\n_" << name << "() {\n"
      << "  local path='' at word=${COMP_WORDS[COMP_CWORD]}\n"
      << "  for ((at = 1; at < COMP_CWORD && at < 3; ++at)); do\n"
      << "    case \"$path${COMP_WORDS[at]} \" in\n";
  std::string known;
  for (const Command &command : commandsOf(app))
    if (!command.words.empty())
      known += (known.empty() ? "" : " | ") + ("'" + command.words + " '");
  out << "    " << known << ") path+=\"${COMP_WORDS[at]} \" ;;\n"
      << "    *) break ;;\n    esac\n  done\n  local words=''\n"
      << "  case \"$path\" in\n";
  for (const Command &command : commandsOf(app))
    out << "  '" << command.words << (command.words.empty() ? "" : " ")
        << "') words='" << wordsAfter(*command.app) << "' ;;\n";
  out << "  esac\n"
      << "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      << "  [[ ${#COMPREPLY[@]} -gt 0 || $word == -* ]] ||\n"
      << "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      << "}\ncomplete -o filenames -F _" << name << " " << name << "\n";
  return out.str();
}

std::string tools::zshCompletion(const CLI::App &app) {
  return "#compdef " + app.get_name() +
         "\n# Bash's completion, which zsh takes.\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bashCompletion(app);
}

/// In single quotes of fish.
static std::string fishText(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

/// The condition under which a command's words are completed.
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

std::string tools::fishCompletion(const CLI::App &app) {
  std::ostringstream out;
  out << "# Completion of " << app.get_name() << " for fish.\n";
  for (const Command &command : commandsOf(app)) {
    std::string begin = "complete -c " + app.get_name() + " -n " +
                        fishText(fishCondition(command));
    for (const CLI::App *next : command.app->get_subcommands({}))
      out << begin << " -a " << next->get_name() << " -d "
          << fishText(next->get_description()) << "\n";
    for (const CLI::Option *option : command.app->get_options({})) {
      if (namesOf(*option).empty())
        continue;
      out << begin;
      for (const std::string &name : option->get_snames())
        out << " -s " << name;
      for (const std::string &name : option->get_lnames())
        out << " -l " << name;
      out << (option->get_items_expected_max() > 0 ? " -r" : "") << " -d "
          << fishText(option->get_description()) << "\n";
    }
  }
  return out.str();
}

//===----------------------------------------------------------------------===//
// The manual page
//===----------------------------------------------------------------------===//

/// Text of roff: no escapes, no requests, no hyphens that become dashes.
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
  for (const std::string &name : namesOf(option))
    names += (names.empty() ? "" : ", ") + name;
  if (names.empty())
    names = option.get_name(true);
  std::string type = option.get_type_name();
  type = type.substr(0, type.find(':'));
  out << ".TP\n\\fB" << roff(names) << "\\fR"
      << (option.get_items_expected_max() > 0 ? " \\fI" + roff(type) + "\\fR"
                                              : std::string())
      << "\n"
      << roff(option.get_description()) << "\n";
}

std::string tools::manualPage(const CLI::App &app, const std::string &version) {
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
         "0 success, 1 failure, 2 a command line that makes no sense, 75 a run "
         "that a signal or an error ended and that was saved, 130 "
         "interrupted.\n";
  return out.str();
}
