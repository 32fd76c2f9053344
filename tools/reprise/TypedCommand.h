//===- TypedCommand.h - The command line as it was typed --------*- C++ -*-===//
//
// For hints to paste, and for an artifact to say what made it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_TYPEDCOMMAND_H
#define REPRISE_TOOLS_TYPEDCOMMAND_H

#include <string>
#include <vector>

namespace reprise::tools {

/// A word as a shell reads it back: quoted where it needs that.
std::string shellWord(const std::string &word);

/// The words of a command line, without those of options to leave out.
class TypedCommand {
public:
  TypedCommand(int argc, const char *const *argv);

  /// Leaves out an option, in every spelling; `names` are "--output", "-o".
  TypedCommand &dropOption(const std::vector<std::string> &names);
  TypedCommand &dropFlag(const std::string &name);
  TypedCommand &add(const std::string &word);
  /// As another word than the path of this tool.
  TypedCommand &setTool(const std::string &word);

  /// One line for a shell.
  std::string str() const;

private:
  std::vector<std::string> words;
};

/// Keeps what main was given for typedCommand.
void rememberCommand(int argc, const char *const *argv);

/// This process's command line; empty before rememberCommand.
TypedCommand typedCommand();

} // namespace reprise::tools

#endif // REPRISE_TOOLS_TYPEDCOMMAND_H
