//===- NameText.cpp - Foreign names in messages ---------------------------===//

#include "reprise/Runtime/NameText.h"
#include <cstdint>

std::string reprise::rt::nameText(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (char c : text) {
    auto byte = uint8_t(c);
    if (byte >= 0x20 && byte != 0x7F) {
      shown += c;
      continue;
    }
    shown += "\\x";
    shown += "0123456789ABCDEF"[byte >> 4];
    shown += "0123456789ABCDEF"[byte & 15];
  }
  return shown;
}
