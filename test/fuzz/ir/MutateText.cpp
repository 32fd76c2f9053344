//===- MutateText.cpp - Mutations that keep text well-formed --------------===//
//
// Bytes drawn at random seldom parse. Mutations therefore work on words, types
// and lines: another number, a word of elsewhere in the text, another type, a
// line twice, a line gone.
//
//===----------------------------------------------------------------------===//
#include "MutateText.h"

#include <cctype>
#include <cstring>
#include <vector>

using namespace reprise::fuzz;

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

/// The types of tensors, "tensor<...>" with its brackets.
static std::vector<Range> findTypes(const std::string &text) {
  std::vector<Range> types;
  for (size_t at = text.find("tensor<"); at != std::string::npos;
       at = text.find("tensor<", at + 1)) {
    size_t end = at + std::strlen("tensor<");
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += (text[end] == '<') - (text[end] == '>');
    types.push_back({at, end});
  }
  return types;
}

/// Another type at one place, or wherever the old one was.
static void mutateType(std::string &text, Random &random) {
  static const char *const kTypes[] = {
      "tensor<*xf32>",
      "tensor<?xf32>",
      "tensor<4xcomplex<f32>>",
      "tensor<4xindex>",
      "tensor<4xi128>",
      "tensor<4xui8>",
      "tensor<4xf8E4M3FN>",
      "tensor<4xvector<2xf32>>",
      "tensor<4xf32, \"encoded\">",
      "tensor<0xf32>",
      "tensor<f64>",
      "tensor<2147483647x2147483647x2147483647xf32>",
      "tensor<32768x1073741824x1073741824xf32>",
      "vector<4xf32>",
      "memref<4xf32>",
      "complex<f32>",
      "tuple<f32>",
      "index",
      "f32",
      "none",
      "i1"};
  std::vector<Range> types = findTypes(text);
  if (types.empty())
    return;
  Range range = pick(types, random);
  std::string old = text.substr(range.begin, range.size());
  std::string fresh;
  constexpr size_t kCount = sizeof kTypes / sizeof *kTypes;
  if (random() % 2) {
    Range other = pick(types, random);
    fresh = text.substr(other.begin, other.size());
  } else {
    fresh = kTypes[random() % kCount];
  }
  if (random() % 2) {
    text.replace(range.begin, range.size(), fresh);
    return;
  }
  for (size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + fresh.size()))
    text.replace(at, old.size(), fresh);
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

void reprise::fuzz::mutateText(std::string &text, Random &random) {
  switch (random() % 5) {
  case 0:
  case 1:
    return mutateNumber(text, random);
  case 2:
    return copyWord(text, random);
  case 3:
    return mutateType(text, random);
  case 4:
    return mutateLines(text, random);
  }
}
