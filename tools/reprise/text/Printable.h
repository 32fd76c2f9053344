//===- Printable.h - Text from elsewhere on a terminal ----------*- C++ -*-===//
//
// Names come from files, and a terminal takes some bytes as orders: to move, to
// colour, to answer as if somebody had typed.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_TEXT_PRINTABLE_H
#define REPRISE_TOOLS_TEXT_PRINTABLE_H

#include <string>
#include <string_view>

namespace reprise::text {

/// `text` with each byte as \xNN that is a control character (but for line ends
/// and tabs), of one in UTF-8 (C1), of one that changes the direction of
/// writing, or no UTF-8.
std::string printable(std::string_view text);

} // namespace reprise::text

#endif // REPRISE_TOOLS_TEXT_PRINTABLE_H
