//===- TypedCommand.cpp - The command line as it was typed ----------------===//

#include "reprise/Console/TypedCommand.h"
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

using namespace reprise::driver;

std::string reprise::driver::shellWord(const std::string &word) {
  auto isSafe = [](unsigned char c) {
    return std::isalnum(c) || (c && std::strchr("_-./:=,+@%", c)) || c >= 0x80;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), isSafe))
    return word;
  bool hasControl = std::any_of(word.begin(), word.end(), [](unsigned char c) {
    return c < 0x20 || c == 0x7f;
  });
  std::string quoted = hasControl ? "$'" : "'";
  for (unsigned char c : word) {
    char spelled[8];
    if (c < 0x20 || c == 0x7f) {
      std::snprintf(spelled, sizeof spelled, "\\%03o", unsigned(c));
      quoted += spelled;
    } else if (hasControl && (c == '\'' || c == '\\')) {
      quoted += std::string("\\") + char(c);
    } else if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += char(c);
    }
  }
  return quoted + "'";
}

TypedCommand::TypedCommand(int argc, const char *const *argv)
    : words(argv, argv + argc) {}

/// Returns true if `word` is `name` with its value: "--name=value", "-nvalue".
static bool holdsValue(const std::string &word, const std::string &name) {
  bool isLong = name.rfind("--", 0) == 0;
  return word.size() > name.size() && word.rfind(name, 0) == 0 &&
         (!isLong || word[name.size()] == '=');
}

TypedCommand &TypedCommand::dropOption(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    for (size_t at = 1; at < words.size();) {
      size_t count = words[at] == name ? 2 : holdsValue(words[at], name);
      auto first = words.begin() + std::ptrdiff_t(at);
      words.erase(first,
                  first + std::ptrdiff_t(std::min(count, words.size() - at)));
      at += count == 0;
    }
  return *this;
}

TypedCommand &TypedCommand::dropFlag(const std::string &name) {
  words.erase(std::remove(words.begin(), words.end(), name), words.end());
  return *this;
}

TypedCommand &TypedCommand::add(const std::string &word) {
  words.push_back(word);
  return *this;
}

TypedCommand &TypedCommand::setTool(const std::string &word) {
  if (!words.empty())
    words.front() = word;
  return *this;
}

std::string TypedCommand::str() const {
  std::string line;
  for (const std::string &word : words)
    line += (line.empty() ? "" : " ") + shellWord(word);
  return line;
}

static TypedCommand &remembered() {
  static TypedCommand command(0, nullptr);
  return command;
}

void reprise::driver::rememberCommand(int argc, const char *const *argv) {
  remembered() = TypedCommand(argc, argv);
}

TypedCommand reprise::driver::typedCommand() { return remembered(); }
