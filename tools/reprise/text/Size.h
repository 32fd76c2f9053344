//===- Size.h - Bytes and numbers as people write them ----------*- C++ -*-===//
//
// A size is a decimal number and a unit: B, the decimal kB, MB, GB, TB or the
// binary KiB, MiB, GiB, TiB, which differ ("2GB" is 2,000,000,000 bytes,
// "2GiB" is 2,147,483,648). K, M, G and T are binary, as in dd, ulimit and
// cgroups. A number without a unit is in bytes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_TEXT_SIZE_H
#define REPRISE_TOOLS_TEXT_SIZE_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::text {

/// Bytes of "512MiB", "2 GB", "2.6GiB" or "4096", rounded down. Refuses a part
/// of a byte without a unit and more than 64 bits hold, and says which units
/// there are.
rt::Expected<uint64_t> parseSize(const std::string &text);

/// Binary units with one digit: "713.2 MiB", "512 B".
std::string formatSize(uint64_t bytes);

/// Sizes that are read beside one another: with one digit, or as many, up to
/// four, as tell those apart that differ; where these do not, in bytes.
std::vector<std::string> formatSizesApart(const std::vector<uint64_t> &sizes);

/// Decimal prefixes with three digits: "4.09 G", "11.5 M", "640".
std::string formatCount(double count);

/// The same of arithmetic: "4.09 GFLOP", "640 FLOP".
std::string formatFlops(uint64_t flops);

/// All digits, in groups: "25,557,032".
std::string formatInteger(uint64_t value);

/// "12.3%" of a share where 1 is 100%.
std::string formatPercent(double share);

/// "1 image", "2 images".
std::string formatCounted(uint64_t count, const std::string &one,
                          const std::string &more);

/// "0.42 s", "12 s", "3 min 05 s", "1 h 02 min".
std::string formatSeconds(double seconds);

/// With `digits` digits behind the point.
std::string formatFixed(double value, int digits);

} // namespace reprise::text

#endif // REPRISE_TOOLS_TEXT_SIZE_H
