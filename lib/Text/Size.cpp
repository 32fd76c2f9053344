//===- Size.cpp - Sizes and numbers as text -------------------------------===//
//
// A size is parsed in integers: whole part and fraction are scaled separately,
// so that every size that is a whole number of bytes is read exactly. Others
// are rounded down.
//
//===----------------------------------------------------------------------===//
#include "reprise/Text/Size.h"
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>

using namespace reprise;
using namespace reprise::text;

namespace {
struct Unit {
  const char *name;
  uint64_t bytes;
};
} // namespace

static constexpr std::array<Unit, 14> kUnits = {{{"B", 1},
                                                 {"kB", 1000},
                                                 {"KB", 1000},
                                                 {"MB", 1000000},
                                                 {"GB", 1000000000},
                                                 {"TB", 1000000000000},
                                                 {"KiB", uint64_t(1) << 10},
                                                 {"MiB", uint64_t(1) << 20},
                                                 {"GiB", uint64_t(1) << 30},
                                                 {"TiB", uint64_t(1) << 40},
                                                 {"K", uint64_t(1) << 10},
                                                 {"M", uint64_t(1) << 20},
                                                 {"G", uint64_t(1) << 30},
                                                 {"T", uint64_t(1) << 40}}};

static rt::Status notASize(const std::string &text) {
  return rt::Status::error(RP_INVALID_ARGUMENT,
                           "'" + text +
                               "' is not a size; write bytes as 4096, or with "
                               "a unit as 512MiB or 512M (binary) or 2GB "
                               "(decimal)");
}

static const Unit *findUnit(const std::string &name) {
  for (const Unit &unit : kUnits)
    if (name == unit.name)
      return &unit;
  return name.empty() ? &kUnits[0] : nullptr;
}

static bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

/// Takes digits from `text` at `at`; returns an empty result if there are none.
static std::string takeDigits(const std::string &text, size_t &at) {
  size_t begin = at;
  while (at < text.size() && isDigit(text[at]))
    ++at;
  return text.substr(begin, at - begin);
}

/// Computes whole * scale; returns false on overflow.
static bool scaleDigits(const std::string &digits, uint64_t scale,
                        uint64_t &out) {
  uint64_t value = 0;
  for (char c : digits)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, uint64_t(c - '0'), &value))
      return false;
  return !__builtin_mul_overflow(value, scale, &out);
}

/// Returns 0.digits * scale, rounded down. Digits after the 18th are less than
/// a byte of any unit.
static uint64_t scaleFraction(const std::string &digits, uint64_t scale) {
  uint64_t numerator = 0, denominator = 1;
  for (size_t i = 0; i < digits.size() && i < 18; ++i) {
    numerator = numerator * 10 + uint64_t(digits[i] - '0');
    denominator *= 10;
  }
  using Wide = unsigned __int128;
  return uint64_t(Wide(numerator) * scale / denominator);
}

rt::Expected<uint64_t> text::parseSize(const std::string &text) {
  size_t at = 0;
  std::string whole = takeDigits(text, at), fraction;
  if (whole.empty())
    return notASize(text);
  if (at < text.size() && text[at] == '.') {
    fraction = takeDigits(text, ++at);
    if (fraction.empty())
      return notASize(text);
  }
  if (at < text.size() && text[at] == ' ')
    ++at;
  const Unit *unit = findUnit(text.substr(at));
  if (!unit || (at == text.size() && text.back() == ' '))
    return notASize(text);
  uint64_t bytes = 0;
  if (!scaleDigits(whole, unit->bytes, bytes) ||
      __builtin_add_overflow(bytes, scaleFraction(fraction, unit->bytes),
                             &bytes))
    return rt::Status::error(RP_INVALID_ARGUMENT,
                             "'" + text + "' is more than 64 bits hold");
  bool isPart = fraction.find_first_not_of('0') != std::string::npos;
  if (unit->bytes == 1 && isPart)
    return rt::Status::error(RP_INVALID_ARGUMENT,
                             "'" + text + "' is not a whole number of bytes");
  return bytes;
}

std::string text::formatFixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

static std::string formatSize(uint64_t bytes, int digits) {
  static constexpr const char *names[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  double value = double(bytes) / 1024;
  size_t unit = 0;
  // A value that would print as 1024.0 prints as 1.0 of the next unit.
  while (value >= 1023.95 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  return formatFixed(value, digits) + " " + names[unit];
}

std::string text::formatSize(uint64_t bytes) { return ::formatSize(bytes, 1); }

std::vector<std::string>
text::formatSizesApart(const std::vector<uint64_t> &sizes) {
  constexpr int mostDigits = 4;
  for (int digits = 1; digits <= mostDigits; ++digits) {
    std::vector<std::string> texts;
    std::map<std::string, uint64_t> meant;
    bool isApart = true;
    for (uint64_t size : sizes) {
      texts.push_back(::formatSize(size, digits));
      isApart &= meant.emplace(texts.back(), size).first->second == size;
    }
    if (isApart)
      return texts;
  }
  std::vector<std::string> texts;
  for (uint64_t size : sizes)
    texts.push_back(formatInteger(size) + " B");
  return texts;
}

std::string text::formatCounted(uint64_t count, const std::string &one,
                                const std::string &more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

std::string text::formatCount(double count) {
  static constexpr const char *prefixes[] = {"", " k", " M", " G", " T", " P"};
  size_t prefix = 0;
  while (count >= 999.5 && prefix < 5) {
    count /= 1000;
    ++prefix;
  }
  int digits = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
  return formatFixed(count, prefix ? digits : 0) + prefixes[prefix];
}

std::string text::formatFlops(uint64_t flops) {
  std::string count = formatCount(double(flops));
  bool hasPrefix = count.find(' ') != std::string::npos;
  return count + (hasPrefix ? "FLOP" : " FLOP");
}

std::string text::formatInteger(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

std::string text::formatPercent(double share) {
  return formatFixed(share * 100, 1) + "%";
}

std::string text::formatSeconds(double seconds) {
  if (!(seconds < 1e9))
    return "?";
  if (seconds < 9.995)
    return formatFixed(seconds, 2) + " s";
  uint64_t whole = uint64_t(std::llround(seconds));
  char buffer[64];
  if (whole < 60)
    std::snprintf(buffer, sizeof buffer, "%u s", unsigned(whole));
  else if (whole < 3600)
    std::snprintf(buffer, sizeof buffer, "%u min %02u s", unsigned(whole / 60),
                  unsigned(whole % 60));
  else
    std::snprintf(buffer, sizeof buffer, "%llu h %02u min",
                  (unsigned long long)(whole / 3600),
                  unsigned(whole % 3600 / 60));
  return buffer;
}
