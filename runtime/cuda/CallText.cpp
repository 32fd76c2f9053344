//===- CallText.cpp - Library calls as text -------------------------------===//
#include "reprise/Runtime/Cuda/Cuda.h"

#include <cstdio>

namespace reprise::rt::cuda {

static std::string joined(const std::vector<int64_t> &numbers, char between) {
  std::string text;
  for (int64_t number : numbers)
    text +=
        (text.empty() ? "" : std::string(1, between)) + std::to_string(number);
  return text;
}

/// Returns "8x4xf32", with strides "8x4xf32@16,1".
static std::string text(const TensorDesc &tensor) {
  std::string result = joined(tensor.shape, 'x');
  result += (result.empty() ? "" : "x") + std::string(elementName(tensor.type));
  if (!tensor.strides.empty())
    result += "@" + joined(tensor.strides, ',');
  return result;
}

std::string callText(const LibraryCallDesc &desc) {
  std::string result = functionOf(desc).name;
  for (const TensorDesc &input : desc.inputs)
    result += " " + text(input);
  result += " ->";
  for (const TensorDesc &output : desc.outputs)
    result += " " + text(output);
  result += " [" + joined(codeInts(desc.op, desc.ints), ',') + "]";
  for (double number : desc.floats) {
    char digits[40];
    std::snprintf(digits, sizeof digits, " %.17g", number);
    result += digits;
  }
  for (Epilogue epilogue : desc.epilogues)
    result += std::string(" +") + kLibraryEpilogues[size_t(epilogue)].name;
  return result;
}

} // namespace reprise::rt::cuda
