//===- Rates.h - Rates as text ----------------------------------*- C++ -*-===//
#ifndef REPRISE_TEXT_RATES_H
#define REPRISE_TEXT_RATES_H

#include "reprise/Runtime/Link.h"
#include "reprise/Runtime/Roofline.h"
#include "reprise/Runtime/Status.h"
#include <string>

namespace reprise::text {

/// Parses "400GFLOPS,35GB/s": arithmetic in MFLOPS, GFLOPS or TFLOPS, and
/// traffic in MB/s, GB/s or TB/s. Both must be above 0; the order is free.
rt::Expected<rt::Roofline> parseRoofline(const std::string &text);

/// Formats in the same form, with one digit.
std::string formatRoofline(const rt::Roofline &roofline);

/// Parses "12.5GB/s,20us": what a rank sends per second in MB/s, GB/s or TB/s,
/// and the latency in ns, us or ms.
rt::Expected<rt::Link> parseLink(const std::string &text);

/// Formats as "12.5 GB/s and 20 us".
std::string formatLink(const rt::Link &link);

} // namespace reprise::text

#endif // REPRISE_TEXT_RATES_H
