//===- Elements.h - The elements of a tensor of a file ----------*- C++ -*-===//
#ifndef REPRISE_ONNX_ELEMENTS_H
#define REPRISE_ONNX_ELEMENTS_H

#include "ModelFile.h"
#include "reprise/Onnx/Model.h"

namespace reprise::onnx {

using Shape = std::vector<int64_t>;

/// The largest number of elements of a tensor.
inline constexpr int64_t kMostElements = int64_t(1) << 40;

/// The largest number of elements of a constant that follows the batch.
inline constexpr int64_t kMostFollowing = int64_t(1) << 26;

/// Returns the number of elements; nothing if an extent is negative or there
/// are more than kMostElements.
std::optional<int64_t> countOf(const Shape &shape);

/// "2x3x4"; "scalar" for rank 0.
std::string textOf(const Shape &shape);

/// True for types whose elements are `reals` below: float, float16, bfloat16,
/// double.
bool isReal(TensorElement type);
/// True for integers and bool.
bool isInteger(TensorElement type);

/// Elements in row-major order: `reals` of the type float, which other floating
/// types are converted to, `integers` of an integer type or bool.
struct Elements {
  TensorElement type = TensorElement::Float;
  Shape shape;
  std::vector<float> reals;
  std::vector<int64_t> integers;

  size_t size() const { return isReal(type) ? reals.size() : integers.size(); }
};

/// The elements with `count` samples along dimension d. Nothing unless each
/// element is the same in all samples, or an integer that goes up by one from
/// each sample to the next.
std::optional<Elements> withSamples(const Elements &elements, size_t d,
                                    int64_t count);

/// Decodes a tensor, of external data by `file`, which may be null. On failure,
/// returns nothing and sets `error`.
std::optional<Elements> decode(const TensorMessage &tensor, ModelFile *file,
                               std::string &error);

} // namespace reprise::onnx

#endif // REPRISE_ONNX_ELEMENTS_H
