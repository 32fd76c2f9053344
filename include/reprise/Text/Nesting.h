//===- Nesting.h - Limit the nesting of a text's brackets -------*- C++ -*-===//
#ifndef REPRISE_TEXT_NESTING_H
#define REPRISE_TEXT_NESTING_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::text {

/// Returns the place where the brackets of textual IR first nest deeper than
/// `limit`. Counts each kind of bracket separately, without those in strings
/// and comments, so that arrows and comparisons hide none.
std::optional<size_t> findDeepNesting(std::string_view text, size_t limit);

/// Returns an error message for the text of a file at `path` that would
/// overflow the stack of MLIR's recursive parser, or "".
std::string checkNesting(const std::string &path, std::string_view text);

} // namespace reprise::text

#endif // REPRISE_TEXT_NESTING_H
