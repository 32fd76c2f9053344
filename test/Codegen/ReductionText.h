//===- ReductionText.h - Text of kernels that reduce ------------*- C++ -*-===//
#ifndef REPRISE_TEST_CODEGEN_REDUCTIONTEXT_H
#define REPRISE_TEST_CODEGEN_REDUCTIONTEXT_H

#include "KernelHarness.h"

namespace reprise::test {

using Shape = std::vector<int64_t>;

/// Writes ops on values of a shape, on those that are kept of it when the
/// dimensions `reduced` are summed, and between them.
class ReductionText {
public:
  ReductionText(Shape shape, std::vector<size_t> reduced, std::string element);

  std::string full() const { return type(shape, element); }
  std::string kept() const { return type(keptShape, element); }
  std::string last() const { return type({shape.back()}, element); }

  std::string op(const std::string &line) const {
    return line + " : tensor<" + full() + ">\n";
  }
  std::string keptOp(const std::string &line) const {
    return line + " : tensor<" + kept() + ">\n";
  }
  std::string reduce(const std::string &to, const std::string &how,
                     const std::string &from) const {
    return "%" + to + " = sg." + how + " %" + from + " dims [" + list(reduced) +
           "] : tensor<" + full() + "> -> tensor<" + kept() + ">\n";
  }
  /// Along what is reduced.
  std::string repeat(const std::string &to, const std::string &from) const {
    return "%" + to + " = sg.broadcast %" + from + " dims [" + list(keptDims) +
           "] : tensor<" + kept() + "> -> tensor<" + full() + ">\n";
  }
  /// From the last dimension.
  std::string trailing(const std::string &to, const std::string &from) const {
    return "%" + to + " = sg.broadcast %" + from + " dims [" +
           list({shape.size() - 1}) + "] : tensor<" + last() + "> -> tensor<" +
           full() + ">\n";
  }
  std::string splat(const std::string &to, const std::string &value) const {
    return "%" + to + " = sg.constant dense<" + value + "> : tensor<" + kept() +
           ">\n";
  }

  /// A kernel that is compared with its ops one by one.
  Case make(const std::string &name, std::vector<std::string> arguments,
            const std::string &body,
            std::vector<std::pair<std::string, std::string>> results) const;

  static std::string type(const Shape &shape, const std::string &element);

private:
  static std::string list(const std::vector<size_t> &dims);

  Shape shape, keptShape;
  std::vector<size_t> reduced, keptDims;
  std::string element;
};

/// Over the last `count` dimensions: what is kept is an element for each row.
ReductionText overRows(Shape shape, size_t count, std::string element);

/// The pairs of (output, input) of a kernel that may share memory.
std::vector<std::pair<unsigned, unsigned>> pairsOf(const Case &kernel);

} // namespace reprise::test

#endif // REPRISE_TEST_CODEGEN_REDUCTIONTEXT_H
