//===- NumberSurvey.cpp - Range and non-finite values of a tensor ---------===//

#include "NumberSurvey.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reprise::rt {

void NumberSurvey::add(double number) {
  if (std::isfinite(number)) {
    least = std::min(least, number);
    largest = std::max(largest, number);
  } else {
    if (isFinite())
      firstBad = elements;
    ++(std::isnan(number) ? nans : infinities);
  }
  ++elements;
}

std::string NumberSurvey::describe() const {
  std::string text;
  auto part = [&](uint64_t count, const char *kind) {
    if (count)
      text += (text.empty() ? "" : " and ") + std::string(kind) + " in " +
              std::to_string(count);
  };
  part(nans, "nan");
  part(infinities, "infinity");
  return text + " of " + std::to_string(elements) + " elements";
}

bool isFloatingPoint(fb::ElementType type) {
  return type == fb::ElementType::F32 || type == fb::ElementType::BF16 ||
         type == fb::ElementType::F16 || type == fb::ElementType::F64;
}

double largestOf(fb::ElementType type) {
  switch (type) {
  case fb::ElementType::F16:
    return 65504;
  case fb::ElementType::BF16:
    return 0x1.FEp127;
  case fb::ElementType::F64:
    return std::numeric_limits<double>::max();
  default:
    return std::numeric_limits<float>::max();
  }
}

template <typename Number> static Number take(const uint8_t *bytes) {
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

static double numberAt(fb::ElementType type, const uint8_t *bytes) {
  switch (type) {
  case fb::ElementType::F16:
    return double(take<_Float16>(bytes));
  case fb::ElementType::BF16: {
    uint32_t word = uint32_t(take<uint16_t>(bytes)) << 16;
    return double(take<float>(reinterpret_cast<const uint8_t *>(&word)));
  }
  case fb::ElementType::F64:
    return take<double>(bytes);
  default:
    return double(take<float>(bytes));
  }
}

/// The distance, in elements, of a row-major index from a view's first element.
static uint64_t placeOf(const fb::View &view, uint64_t number) {
  uint64_t place = 0;
  for (uint32_t d = view.shape() ? view.shape()->size() : 0; d-- > 0;) {
    uint64_t extent = uint64_t(view.shape()->Get(d));
    place += number % extent * uint64_t(view.strides()->Get(d));
    number /= extent;
  }
  return place;
}

NumberSurvey surveyNumbers(const fb::View &view, const uint8_t *bytes) {
  uint64_t elements = 1, width = elementBytes(view.type());
  if (view.shape())
    for (int64_t extent : *view.shape())
      elements *= uint64_t(extent);
  NumberSurvey survey;
  bool dense = isDense(view);
  for (uint64_t i = 0; i < elements; ++i)
    survey.add(
        numberAt(view.type(), bytes + (dense ? i : placeOf(view, i)) * width));
  return survey;
}

} // namespace reprise::rt
