//===- Nesting.h - How deep the brackets of a text nest ---------*- C++ -*-===//
#ifndef REPRISE_TOOLS_TEXT_NESTING_H
#define REPRISE_TOOLS_TEXT_NESTING_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::text {

/// Where the brackets of textual IR first nest deeper than `limit`. Counts the
/// kinds of brackets apart, without those of strings and comments, so that
/// arrows and comparisons hide none.
std::optional<size_t> findDeepNesting(std::string_view text, size_t limit);

/// Refuses the text of a file at `path` that would take MLIR's parser, which
/// recurs, more stack than there is: a message, or "".
std::string checkNesting(const std::string &path, std::string_view text);

} // namespace reprise::text

#endif // REPRISE_TOOLS_TEXT_NESTING_H
