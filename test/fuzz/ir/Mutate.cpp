//===- Mutate.cpp - Mutations that keep text well-formed ------------------===//
//
// Bytes drawn at random seldom parse. Most mutations therefore work on
// words and lines: another number, a word of elsewhere in the text, a line
// twice, a line gone.
//
//===----------------------------------------------------------------------===//
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

using Random = std::minstd_rand;

namespace {
/// Characters [begin, end) of a text.
struct Range {
  size_t begin, end;
  size_t size() const { return end - begin; }
};
} // namespace

/// Maximal runs of characters of one kind: numbers or names.
static std::vector<Range> findWords(const std::string &text, bool numbers) {
  std::vector<Range> words;
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%';
  };
  for (size_t at = 0; at < text.size();) {
    if (!isWord(text[at])) {
      ++at;
      continue;
    }
    // "4x8xf32" is three words.
    size_t end = at;
    bool isNumber = std::isdigit(static_cast<unsigned char>(text[at]));
    while (end < text.size() && isWord(text[end]) &&
           (!isNumber || std::isdigit(static_cast<unsigned char>(text[end]))))
      ++end;
    if (isNumber == numbers)
      words.push_back({at, end});
    at = end;
  }
  return words;
}

static std::vector<Range> findLines(const std::string &text) {
  std::vector<Range> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    end = end == std::string::npos ? text.size() : end + 1;
    lines.push_back({at, end});
    at = end;
  }
  return lines;
}

static const Range &pick(const std::vector<Range> &from, Random &random) {
  return from[random() % from.size()];
}

static void mutateNumber(std::string &text, Random &random) {
  static const char *const kNumbers[] = {
      "0",  "1",   "2",     "3",          "7",
      "16", "-1",  "65536", "4294967296", "9223372036854775807",
      "?",  "1.0", "100",   "5"};
  std::vector<Range> numbers = findWords(text, /*numbers=*/true);
  if (numbers.empty())
    return;
  Range range = pick(numbers, random);
  constexpr size_t kCount = sizeof kNumbers / sizeof *kNumbers;
  text.replace(range.begin, range.size(), kNumbers[random() % kCount]);
}

/// Puts a word where another of its kind was.
static void copyWord(std::string &text, Random &random) {
  std::vector<Range> words = findWords(text, random() % 2);
  if (words.size() < 2)
    return;
  Range from = pick(words, random), to = pick(words, random);
  text.replace(to.begin, to.size(), text.substr(from.begin, from.size()));
}

static void mutateLines(std::string &text, Random &random) {
  std::vector<Range> lines = findLines(text);
  if (lines.size() < 2)
    return;
  Range one = pick(lines, random), other = pick(lines, random);
  std::string line = text.substr(one.begin, one.size());
  if (random() % 2)
    text.insert(other.begin, line);
  else
    text.erase(one.begin, one.size());
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed + 1);
  if (random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char *>(data), size);
  for (unsigned count = 1 + random() % 3; count > 0; --count)
    switch (random() % 4) {
    case 0:
    case 1:
      mutateNumber(text, random);
      break;
    case 2:
      copyWord(text, random);
      break;
    case 3:
      mutateLines(text, random);
      break;
    }
  if (text.empty() || text.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
