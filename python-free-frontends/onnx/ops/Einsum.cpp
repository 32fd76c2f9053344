//===- Einsum.cpp - Products and sums by letters --------------------------===//
//
// Method:  a letter twice in one operand takes the diagonal; operands are
//          multiplied from the left to the right, two as one product of
//          matrices: letters of both that are needed later number the matrices,
//          letters of both that are not are summed over. Letters of one operand
//          that nothing else has are summed over at once.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

namespace {
/// A tensor whose dimensions have letters, all different.
struct Lettered {
  Tensor tensor;
  std::string letters;

  int64_t extent(char letter) const {
    size_t at = letters.find(letter);
    return at == std::string::npos ? 1 : tensor.dim(at);
  }
  bool has(char letter) const {
    return letters.find(letter) != std::string::npos;
  }
};
} // namespace

/// Splits the equation at commas and the arrow, without blanks.
static bool split(const std::string &equation, std::vector<std::string> &terms,
                  std::optional<std::string> &result) {
  std::string text;
  for (char c : equation)
    if (c != ' ')
      text += c;
  size_t arrow = text.find("->");
  if (arrow != std::string::npos) {
    result = text.substr(arrow + 2);
    text.resize(arrow);
  }
  terms.assign(1, "");
  for (char c : text)
    if (c == ',')
      terms.emplace_back();
    else
      terms.back() += c;
  return text.size() < 1024;
}

/// Replaces "..." by `count` letters that an equation cannot have: the last
/// ones of the digits, so that operands of fewer dimensions share the last
/// ones.
static bool expandDots(std::string &term, size_t count) {
  static const std::string places = "0123456789";
  size_t dots = term.find("...");
  if (dots != std::string::npos) {
    if (count > places.size())
      return false;
    term.replace(dots, 3, places.substr(places.size() - count));
  }
  return llvm::all_of(term, [](char c) { return llvm::isAlnum(c); });
}

/// Takes the diagonal of the dimensions whose letter came before.
static Lettered diagonal(Tensor x, std::string letters) {
  for (size_t k = 0; k < letters.size();) {
    size_t first = letters.find(letters[k]);
    if (first == k) {
      ++k;
      continue;
    }
    Tensor isOn = compare(sg::ComparePredicate::EQ, iota(x, first), iota(x, k));
    x = reduce<sg::ReduceSumOp>(nn::select(isOn, x, numberLike(x, 0.0)),
                                {int64_t(k)});
    letters.erase(k, 1);
  }
  return {x, letters};
}

/// Sums over the letters that are not among `kept`.
static Lettered sumOthers(Lettered x, const std::string &kept) {
  Shape dims;
  std::string rest;
  for (auto [d, letter] : llvm::enumerate(x.letters))
    if (kept.find(letter) == std::string::npos)
      dims.push_back(d);
    else
      rest += letter;
  if (!dims.empty())
    x.tensor = reduce<sg::ReduceSumOp>(x.tensor, dims);
  return {x.tensor, rest};
}

/// x with its dimensions in the order of `letters`, which are all its own.
static Tensor inOrder(const Lettered &x, const std::string &letters) {
  Shape order;
  for (char letter : letters)
    order.push_back(x.letters.find(letter));
  return permute(x.tensor, order);
}

/// Drops dimensions of extent 1 whose letter has another extent in `other`.
static void dropSingle(Lettered &x, const Lettered &other) {
  Shape shape;
  std::string letters;
  for (auto [d, letter] : llvm::enumerate(x.letters))
    if (x.tensor.dim(d) != 1 || other.extent(letter) == 1) {
      shape.push_back(x.tensor.dim(d));
      letters += letter;
    }
  if (letters != x.letters)
    x = {nn::reshape(x.tensor, shape), letters};
}

/// The product of two operands, of which later ones need `kept`.
static Lettered product(Lettered a, Lettered b, const std::string &kept) {
  dropSingle(a, b);
  dropSingle(b, a);
  a = sumOthers(a, kept + b.letters);
  b = sumOthers(b, kept + a.letters);
  std::string matrices, summed, rows, columns;
  for (char letter : a.letters)
    (!b.has(letter)                           ? rows
     : kept.find(letter) != std::string::npos ? matrices
                                              : summed) += letter;
  for (char letter : b.letters)
    if (!a.has(letter))
      columns += letter;
  Shape shape;
  auto count = [&](const std::string &letters, const Lettered &of) {
    int64_t product = 1;
    for (char letter : letters)
      product *= of.extent(letter);
    return product;
  };
  for (char letter : matrices + rows)
    shape.push_back(a.extent(letter));
  for (char letter : columns)
    shape.push_back(b.extent(letter));
  int64_t many = count(matrices, a), inner = count(summed, a);
  Tensor x = nn::reshape(inOrder(a, matrices + rows + summed),
                         {many, count(rows, a), inner});
  Tensor y = nn::reshape(inOrder(b, matrices + summed + columns),
                         {many, inner, count(columns, b)});
  return {nn::reshape(nn::matmul(x, y), shape), matrices + rows + columns};
}

/// The letters of an equation without an arrow: those of the dots, then those
/// that stand there once, in the alphabet's order.
static std::string implicitResult(const std::vector<std::string> &terms) {
  std::map<char, unsigned> uses;
  std::string dots, once;
  for (const std::string &term : terms)
    for (char letter : term)
      ++uses[letter];
  for (auto [letter, count] : uses)
    if (llvm::isDigit(letter))
      dots += letter;
    else if (count == 1)
      once += letter;
  return dots + once;
}

/// Checks that every letter has one extent, or 1 in some operands.
static bool fit(const std::vector<std::string> &terms,
                llvm::ArrayRef<Tensor> operands, const std::string &result) {
  std::map<char, int64_t> extents;
  for (auto [term, x] : llvm::zip(terms, operands))
    for (auto [d, letter] : llvm::enumerate(term)) {
      int64_t &extent = extents.try_emplace(letter, 1).first->second;
      if (extent != 1 && x.dim(d) != 1 && x.dim(d) != extent)
        return false;
      // A diagonal needs equal extents.
      if (term.find(letter) != d && x.dim(term.find(letter)) != x.dim(d))
        return false;
      extent = std::max(extent, x.dim(d));
    }
  for (auto [d, letter] : llvm::enumerate(result))
    if (!extents.count(letter) || result.find(letter) != d)
      return false;
  return true;
}

bool onnx::importEinsum(NodeImport &node) {
  if (!areReal(node))
    return false;
  std::string equation = node.text("equation", "");
  std::vector<std::string> terms;
  std::optional<std::string> given;
  llvm::SmallVector<Tensor> operands;
  bool isGood = split(equation, terms, given) && terms.size() == node.inputs();
  size_t dots = 0;
  for (size_t k = 0; isGood && k < terms.size(); ++k) {
    bool hasDots = terms[k].find("...") != std::string::npos;
    size_t letters = terms[k].size() - (hasDots ? 3 : 0);
    size_t rank = node.in(k).rank();
    isGood = hasDots ? rank >= letters : rank == letters;
    isGood = isGood && !llvm::any_of(terms[k], llvm::isDigit) &&
             expandDots(terms[k], rank - letters);
    dots = std::max(dots, isGood ? rank - letters : 0);
    operands.push_back(node.plain(k));
    if (!operands.back())
      return false;
  }
  isGood = isGood && !(given && llvm::any_of(*given, llvm::isDigit));
  std::string result = given && isGood ? *given : implicitResult(terms);
  isGood = isGood && expandDots(result, dots) && fit(terms, operands, result);
  if (!isGood)
    return node.refuse("its equation '" + equation +
                       "' does not fit its operands");
  Lettered product = diagonal(operands[0], terms[0]);
  for (size_t k = 1; k < terms.size(); ++k) {
    std::string kept = result;
    for (size_t later = k + 1; later < terms.size(); ++later)
      kept += terms[later];
    product = ::product(product, diagonal(operands[k], terms[k]), kept);
  }
  return node.set(0, inOrder(sumOthers(product, result), result));
}
