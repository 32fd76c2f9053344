//===- NumberSurvey.h - Range and non-finite values of a tensor -*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CORE_NUMBERSURVEY_H
#define REPRISE_RUNTIME_CORE_NUMBERSURVEY_H

#include "Views.h"
#include <limits>
#include <string>

namespace reprise::rt {

/// Counts of the floating-point numbers that are not finite, and the range of
/// the others.
struct NumberSurvey {
  uint64_t elements = 0, nans = 0, infinities = 0;
  uint64_t firstBad = 0; // row-major index of the first that is not finite
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  bool isFinite() const { return nans == 0 && infinities == 0; }
  void add(double number);
  /// "nan in 3 of 48 elements".
  std::string describe() const;
};

bool isFloatingPoint(fb::ElementType type);

/// The largest number that a floating-point type holds.
double largestOf(fb::ElementType type);

/// Surveys the elements of a view; `bytes` begins at its first element.
NumberSurvey surveyNumbers(const fb::View &view, const uint8_t *bytes);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_NUMBERSURVEY_H
