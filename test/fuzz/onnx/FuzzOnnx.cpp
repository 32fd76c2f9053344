//===- FuzzOnnx.cpp - Any bytes as an ONNX file ---------------------------===//
//
// Input:   a model's bytes.
// Holds:   no crash; a file is read or refused with a reason; so is each of its
//          weights, which has as many elements as its shape.
//
//===----------------------------------------------------------------------===//
#include "Elements.h"
#include <cstdint>
#include <cstdlib>

using namespace reprise::onnx;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  std::string error;
  std::optional<Model> model = readModel(bytes, error);
  if (model.has_value() != error.empty())
    std::abort();
  if (!model)
    return 0;
  for (const TensorMessage &tensor : model->graph.initializers) {
    std::string reason;
    auto elements = decode(tensor, nullptr, reason);
    if (elements.has_value() != reason.empty())
      std::abort();
    if (elements && int64_t(elements->size()) != *countOf(tensor.dims))
      std::abort();
  }
  return 0;
}
