//===- Nesting.h - How deep the brackets of a text nest ---------*- C++ -*-===//
#ifndef REPRISE_TOOLS_TEXT_NESTING_H
#define REPRISE_TOOLS_TEXT_NESTING_H

#include <cstddef>
#include <optional>
#include <string_view>

namespace reprise::text {

/// Where the brackets of textual IR first nest deeper than `limit`. Counts the
/// kinds of brackets apart, without those of strings and comments, so that
/// arrows and comparisons hide none.
std::optional<size_t> findDeepNesting(std::string_view text, size_t limit);

} // namespace reprise::text

#endif // REPRISE_TOOLS_TEXT_NESTING_H
