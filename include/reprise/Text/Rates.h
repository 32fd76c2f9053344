//===- Rates.h - Rates as text ----------------------------------*- C++ -*-===//
#ifndef REPRISE_TEXT_RATES_H
#define REPRISE_TEXT_RATES_H

#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::text {

/// Parses "400GFLOPS,35GB/s": arithmetic in MFLOPS, GFLOPS or TFLOPS, and
/// traffic in MB/s, GB/s or TB/s. Both must be above 0; the order is free.
rt::Expected<rt::Roofline> parseRoofline(const std::string &text);

/// Formats in the same form, with one digit.
std::string formatRoofline(const rt::Roofline &roofline);

} // namespace reprise::text

#endif // REPRISE_TEXT_RATES_H
