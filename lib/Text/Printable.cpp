//===- Printable.cpp - Untrusted text on a terminal -----------------------===//
//
// UTF-8 as in RFC 3629: shortest forms only, no surrogates, up to U+10FFFF.
//
//===----------------------------------------------------------------------===//
#include "reprise/Text/Printable.h"
#include <algorithm>
#include <cstdint>

using namespace reprise;

namespace {
/// The first character of a text; bytes is 0 if it is not valid.
struct Character {
  uint32_t code = 0;
  size_t bytes = 0;
};
} // namespace

static Character firstOf(std::string_view text) {
  static constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  uint8_t lead = uint8_t(text[0]);
  if (lead < 0x80)
    return {lead, 1};
  size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead >= 0xF8 || text.size() < bytes)
    return {};
  uint32_t code = lead & (0x7F >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((uint8_t(text[i]) & 0xC0) != 0x80)
      return {};
    code = code << 6 | (uint8_t(text[i]) & 0x3F);
  }
  bool isSurrogate = code >= 0xD800 && code < 0xE000;
  if (code < kSmallest[bytes] || code > 0x10FFFF || isSurrogate)
    return {};
  return {code, bytes};
}

static bool isShown(uint32_t code) {
  if (code < 0x20)
    return code == '\n' || code == '\t';
  bool isControl = code >= 0x7F && code < 0xA0;
  bool isSeparator = code == 0x2028 || code == 0x2029;
  bool isDirection = (code >= 0x202A && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
                     code == 0x200F || code == 0x061C;
  return !isControl && !isSeparator && !isDirection;
}

std::string text::printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    Character first = firstOf(text);
    size_t bytes = std::max<size_t>(first.bytes, 1);
    for (char c : text.substr(0, bytes)) {
      if (first.bytes && isShown(first.code)) {
        shown += c;
        continue;
      }
      shown += "\\x";
      shown += "0123456789ABCDEF"[uint8_t(c) >> 4];
      shown += "0123456789ABCDEF"[uint8_t(c) & 15];
    }
    text.remove_prefix(bytes);
  }
  return shown;
}
