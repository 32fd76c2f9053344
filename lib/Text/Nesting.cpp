//===- Nesting.cpp - Limit the nesting of a text's brackets ---------------===//
#include "reprise/Text/Nesting.h"

#include <algorithm>

namespace reprise::text {

/// Returns the end of the string that begins at `at`, after its quote.
static size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  return at + 1;
}

std::optional<size_t> findDeepNesting(std::string_view text, size_t limit) {
  constexpr std::string_view kOpening = "([{<", kClosing = ")]}>";
  size_t depth[4] = {};
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      at = skipString(text, at) - 1;
    } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
      at = text.find('\n', at);
      if (at == std::string_view::npos)
        return std::nullopt;
    } else if (size_t kind = kOpening.find(c); kind != kOpening.npos) {
      if (++depth[kind] > limit)
        return at;
    } else if (size_t kind = kClosing.find(c); kind != kClosing.npos) {
      bool isArrow = c == '>' && at > 0 && text[at - 1] == '-';
      depth[kind] -= depth[kind] > 0 && !isArrow;
    }
  }
  return std::nullopt;
}

std::string checkNesting(const std::string &path, std::string_view text) {
  // Far more than a model needs, far less than overflows the parser's stack.
  constexpr size_t kDepth = 256;
  std::optional<size_t> at = findDeepNesting(text, kDepth);
  if (!at)
    return "";
  std::string_view before = text.substr(0, *at);
  size_t line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return "'" + path + "', line " + std::to_string(line) + ", column " +
         std::to_string(column) + ": brackets nest deeper than " +
         std::to_string(kDepth);
}

} // namespace reprise::text
