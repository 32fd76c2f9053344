//===- Printable.h - Untrusted text on a terminal ---------------*- C++ -*-===//
//
// Names come from files, and terminals interpret some bytes as commands: to
// move the cursor, to set colours, to send a reply as if typed.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEXT_PRINTABLE_H
#define REPRISE_TEXT_PRINTABLE_H

#include <string>
#include <string_view>

namespace reprise::text {

/// Returns `text` with these bytes as `\xNN`: control characters (except line
/// ends and tabs), those of UTF-8 (C1), those that change the writing
/// direction, and invalid UTF-8.
std::string printable(std::string_view text);

} // namespace reprise::text

#endif // REPRISE_TEXT_PRINTABLE_H
