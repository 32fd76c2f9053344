//===- Elements.cpp - The elements of a tensor of a file ------------------===//

#include "Elements.h"
#include <charconv>
#include <cstring>

using namespace reprise::onnx;

std::optional<int64_t> reprise::onnx::countOf(const Shape &shape) {
  int64_t count = 1;
  bool isEmpty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    isEmpty |= extent == 0;
    if (extent > 0 && count > kMostElements / extent)
      return std::nullopt;
    count *= extent > 0 ? extent : 1;
  }
  return isEmpty ? 0 : count;
}

std::string reprise::onnx::textOf(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

bool reprise::onnx::isReal(TensorElement type) {
  return type == TensorElement::Float || type == TensorElement::Float16 ||
         type == TensorElement::BFloat16 || type == TensorElement::Double;
}

/// Returns an element's size in raw data; 0 for types that are not decoded.
static size_t widthOf(TensorElement type) {
  switch (type) {
  case TensorElement::UInt8:
  case TensorElement::Int8:
  case TensorElement::Bool:
    return 1;
  case TensorElement::UInt16:
  case TensorElement::Int16:
  case TensorElement::Float16:
  case TensorElement::BFloat16:
    return 2;
  case TensorElement::Float:
  case TensorElement::Int32:
  case TensorElement::UInt32:
    return 4;
  case TensorElement::Int64:
  case TensorElement::UInt64:
  case TensorElement::Double:
    return 8;
  default:
    return 0;
  }
}

bool reprise::onnx::isInteger(TensorElement type) {
  return widthOf(type) != 0 && !isReal(type);
}

static float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

static float fromHalf(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31)
    return asFloat(sign | 0x7f800000 | fraction << 13);
  if (exponent)
    return asFloat(sign | (exponent + 112) << 23 | fraction << 13);
  float magnitude = float(fraction) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

/// Returns the number whose bits these are, a double rounded.
static float realOf(TensorElement type, uint64_t bits) {
  if (type == TensorElement::Float)
    return asFloat(static_cast<uint32_t>(bits));
  if (type == TensorElement::BFloat16)
    return asFloat(static_cast<uint32_t>(bits) << 16);
  if (type == TensorElement::Double) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<float>(value);
  }
  return fromHalf(static_cast<uint16_t>(bits));
}

static int64_t integerOf(TensorElement type, uint64_t bits) {
  switch (type) {
  case TensorElement::Bool:
    return bits != 0;
  case TensorElement::UInt8:
    return static_cast<uint8_t>(bits);
  case TensorElement::Int8:
    return static_cast<int8_t>(bits);
  case TensorElement::UInt16:
    return static_cast<uint16_t>(bits);
  case TensorElement::Int16:
    return static_cast<int16_t>(bits);
  case TensorElement::UInt32:
    return static_cast<uint32_t>(bits);
  case TensorElement::Int32:
    return static_cast<int32_t>(bits);
  default:
    return static_cast<int64_t>(bits);
  }
}

static void add(Elements &elements, uint64_t bits) {
  if (isReal(elements.type))
    elements.reals.push_back(realOf(elements.type, bits));
  else
    elements.integers.push_back(integerOf(elements.type, bits));
}

static uint64_t littleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t k = 0; k < bytes.size(); ++k)
    value |= uint64_t(static_cast<unsigned char>(bytes[k])) << (8 * k);
  return value;
}

/// Adds elements of `width` bytes each.
static bool addFixed(std::string_view bytes, size_t width, int64_t count,
                     Elements &elements, std::string &error) {
  if (bytes.size() % width || int64_t(bytes.size() / width) != count) {
    error = "it has " + std::to_string(bytes.size()) + " bytes of data, but " +
            std::to_string(count) + " elements of " + std::to_string(width) +
            " bytes";
    return false;
  }
  for (size_t k = 0; k < bytes.size(); k += width)
    add(elements, littleEndian(bytes.substr(k, width)));
  return true;
}

/// Adds the numbers of the field that holds elements of this type.
static bool addFields(const TensorMessage &tensor, int64_t count,
                      Elements &elements, std::string &error) {
  if (tensor.type == TensorElement::Float)
    return addFixed(tensor.floats.view(), 4, count, elements, error);
  if (tensor.type == TensorElement::Double)
    return addFixed(tensor.doubles.view(), 8, count, elements, error);
  const Bytes &list = tensor.type == TensorElement::Int64 ? tensor.int64s
                      : tensor.type == TensorElement::UInt32 ||
                              tensor.type == TensorElement::UInt64
                          ? tensor.uint64s
                          : tensor.int32s;
  std::vector<int64_t> values;
  if (!decodeVarints(list.view(), values)) {
    error = "its list of integers is malformed";
    return false;
  }
  if (int64_t(values.size()) != count) {
    error = "it has " + std::to_string(values.size()) + " values, but " +
            std::to_string(count) + " elements";
    return false;
  }
  for (int64_t value : values)
    add(elements, static_cast<uint64_t>(value));
  return true;
}

static bool parse(std::string_view text, uint64_t &value) {
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size();
}

/// Returns the bytes of external data.
static std::optional<std::string_view> externalOf(const TensorMessage &tensor,
                                                  ModelFile *file,
                                                  uint64_t wanted,
                                                  std::string &error) {
  std::string_view location;
  uint64_t offset = 0, length = wanted;
  for (auto [key, value] : tensor.external) {
    if (key == "location")
      location = value;
    if ((key == "offset" && !parse(value, offset)) ||
        (key == "length" && !parse(value, length))) {
      error = "the " + std::string(key) + " of its data is no number";
      return std::nullopt;
    }
  }
  if (!file) {
    error = "its data are in another file";
    return std::nullopt;
  }
  std::string_view bytes = file->external(std::string(location), error);
  if (!error.empty())
    return std::nullopt;
  if (offset > bytes.size() || length > bytes.size() - offset) {
    error = "its data end at byte " + std::to_string(offset + length) +
            " of a file of " + std::to_string(bytes.size());
    return std::nullopt;
  }
  return bytes.substr(offset, length);
}

std::optional<Elements> reprise::onnx::decode(const TensorMessage &tensor,
                                              ModelFile *file,
                                              std::string &error) {
  std::optional<int64_t> count = countOf(tensor.dims);
  size_t width = widthOf(tensor.type);
  if (!count)
    error = "its shape " + textOf(tensor.dims) + " is impossible";
  else if (width == 0)
    error = "its elements are of " + nameOf(tensor.type);
  else if (tensor.hasSegment)
    error = "it is one segment of a tensor";
  if (!error.empty())
    return std::nullopt;

  Elements elements{tensor.type, tensor.dims, {}, {}};
  bool good;
  if (tensor.isExternal) {
    auto bytes = externalOf(tensor, file, uint64_t(*count) * width, error);
    good = bytes && addFixed(*bytes, width, *count, elements, error);
  } else if (tensor.raw) {
    bool isTwice = !tensor.floats.view().empty() ||
                   !tensor.int32s.view().empty() ||
                   !tensor.int64s.view().empty();
    if (isTwice)
      error = "it has raw and typed data";
    good = !isTwice && addFixed(*tensor.raw, width, *count, elements, error);
  } else {
    good = addFields(tensor, *count, elements, error);
  }
  if (!good)
    return std::nullopt;
  if (isReal(elements.type))
    elements.type = TensorElement::Float;
  return elements;
}

std::optional<Elements> reprise::onnx::withSamples(const Elements &elements,
                                                   size_t d, int64_t count) {
  int64_t extent = elements.shape[d], inner = 1;
  for (size_t k = d + 1; k < elements.shape.size(); ++k)
    inner *= elements.shape[k];
  Elements made{elements.type, elements.shape, {}, {}};
  made.shape[d] = count;
  std::optional<int64_t> size = countOf(made.shape);
  if (!size || *size > kMostFollowing || extent < 1)
    return std::nullopt;
  // A single sample does not tell whether integers count the samples.
  if (extent == 1 && !isReal(elements.type) && count != 1)
    return std::nullopt;
  auto at = [&](int64_t outer, int64_t sample, int64_t k) {
    size_t place = (outer * extent + sample) * inner + k;
    return isReal(elements.type) ? double(elements.reals[place])
                                 : double(elements.integers[place]);
  };
  for (int64_t k = 0; k < *size; ++k) {
    int64_t outer = k / (inner * count), sample = k / inner % count;
    double first = at(outer, 0, k % inner);
    double step = extent > 1 ? at(outer, 1, k % inner) - first : 0;
    bool counts = step == 1 && !isReal(elements.type);
    for (int64_t other = 1; other < extent && sample == 0; ++other)
      if (at(outer, other, k % inner) != first + (counts ? other : 0))
        return std::nullopt;
    if (isReal(elements.type))
      made.reals.push_back(first);
    else
      made.integers.push_back(int64_t(first) + (counts ? sample : 0));
  }
  return made;
}
