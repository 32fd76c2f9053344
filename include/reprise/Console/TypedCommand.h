//===- TypedCommand.h - The command line as it was typed --------*- C++ -*-===//
//
// For hints to paste, and for the command recorded in an artifact.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CONSOLE_TYPEDCOMMAND_H
#define REPRISE_CONSOLE_TYPEDCOMMAND_H

#include <string>
#include <vector>

namespace reprise::driver {

/// Returns a word that a shell reads back unchanged: quoted if necessary.
std::string shellWord(const std::string &word);

/// The words of a command line, without those of omitted options.
class TypedCommand {
public:
  TypedCommand(int argc, const char *const *argv);

  /// Omits an option, in every spelling; `names` are "--output", "-o".
  TypedCommand &dropOption(const std::vector<std::string> &names);
  TypedCommand &dropFlag(const std::string &name);
  TypedCommand &add(const std::string &word);
  /// Replaces the path of this tool by another word.
  TypedCommand &setTool(const std::string &word);

  /// Returns one line for a shell.
  std::string str() const;

private:
  std::vector<std::string> words;
};

/// Keeps main's arguments for typedCommand.
void rememberCommand(int argc, const char *const *argv);

/// Returns this process's command line; empty before rememberCommand.
TypedCommand typedCommand();

} // namespace reprise::driver

#endif // REPRISE_CONSOLE_TYPEDCOMMAND_H
