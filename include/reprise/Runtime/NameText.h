//===- NameText.h - External names in messages ------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_NAMETEXT_H
#define REPRISE_RUNTIME_NAMETEXT_H

#include <string>
#include <string_view>

namespace reprise::rt {

/// `text` on one line, with each control character as `\xNN`, line ends
/// included: a file's name may contain one, and the text after it would look
/// like a separate message.
std::string nameText(std::string_view text);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_NAMETEXT_H
