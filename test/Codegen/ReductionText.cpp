//===- ReductionText.cpp - Text of kernels that reduce --------------------===//

#include "ReductionText.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace reprise::test;

ReductionText::ReductionText(Shape shape, std::vector<size_t> reduced,
                             std::string element)
    : shape(std::move(shape)), reduced(std::move(reduced)),
      element(std::move(element)) {
  for (size_t d = 0; d < this->shape.size(); ++d)
    if (std::find(this->reduced.begin(), this->reduced.end(), d) ==
        this->reduced.end()) {
      keptDims.push_back(d);
      keptShape.push_back(this->shape[d]);
    }
}

ReductionText reprise::test::overRows(Shape shape, size_t count,
                                      std::string element) {
  std::vector<size_t> dims;
  for (size_t d = shape.size() - count; d < shape.size(); ++d)
    dims.push_back(d);
  return ReductionText(std::move(shape), std::move(dims), std::move(element));
}

Case ReductionText::make(
    const std::string &name, std::vector<std::string> arguments,
    const std::string &body,
    std::vector<std::pair<std::string, std::string>> results) const {
  std::string label = name + "_" + type(shape, element);
  for (size_t d : reduced)
    label += "_" + std::to_string(d);
  Case c{label, std::move(arguments), body, std::move(results)};
  c.tolerance = element == "f32" ? 1e-4 : element == "f16" ? 1e-2 : 8e-2;
  c.hasParts = true;
  return c;
}

std::string ReductionText::type(const Shape &shape,
                                const std::string &element) {
  std::string text;
  for (int64_t d : shape)
    text += std::to_string(d) + "x";
  return text + element;
}

std::string ReductionText::list(const std::vector<size_t> &dims) {
  std::string text;
  for (size_t d : dims)
    text += (text.empty() ? "" : ", ") + std::to_string(d);
  return text;
}

std::vector<std::pair<unsigned, unsigned>>
reprise::test::pairsOf(const Case &kernel) {
  auto context = createContext();
  auto module = parseCases(*context, {kernel});
  auto info = reprise::analyzeKernel(*sourcesOf(*module)[0].body,
                                     reprise::KernelShape());
  EXPECT_TRUE(succeeded(info));
  return {info->inPlace.begin(), info->inPlace.end()};
}
