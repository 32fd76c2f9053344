//===- Size.h - Sizes and numbers as text -----------------------*- C++ -*-===//
//
// A size is a decimal number and a unit: B, the decimal kB, MB, GB, TB or the
// binary KiB, MiB, GiB, TiB, which differ ("2GB" is 2,000,000,000 bytes,
// "2GiB" is 2,147,483,648). K, M, G and T are binary, as in dd, ulimit and
// cgroups. A number without a unit is in bytes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEXT_SIZE_H
#define REPRISE_TEXT_SIZE_H

#include "reprise/Runtime/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::text {

/// Parses the bytes of "512MiB", "2 GB", "2.6GiB" or "4096", rounded down.
/// Rejects a fraction without a unit and more than 64 bits hold, with a list of
/// the units.
rt::Expected<uint64_t> parseSize(const std::string &text);

/// Formats in binary units with one digit: "713.2 MiB", "512 B".
std::string formatSize(uint64_t bytes);

/// Formats sizes that are read together: with one digit, or as many, up to
/// four, as distinguish different ones; if these do not suffice, in bytes.
std::vector<std::string> formatSizesApart(const std::vector<uint64_t> &sizes);

/// Formats with decimal prefixes and three digits: "4.09 G", "11.5 M", "640".
std::string formatCount(double count);

/// The same for arithmetic: "4.09 GFLOP", "640 FLOP".
std::string formatFlops(uint64_t flops);

/// Formats all digits, in groups: "25,557,032".
std::string formatInteger(uint64_t value);

/// Formats "12.3%" for a share where 1 is 100%.
std::string formatPercent(double share);

/// Formats "1 image", "2 images".
std::string formatCounted(uint64_t count, const std::string &one,
                          const std::string &more);

/// Formats "0.42 s", "12 s", "3 min 05 s", "1 h 02 min".
std::string formatSeconds(double seconds);

/// Formats with `digits` decimal places.
std::string formatFixed(double value, int digits);

} // namespace reprise::text

#endif // REPRISE_TEXT_SIZE_H
