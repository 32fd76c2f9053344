//===- Roofline.h - The rates of a machine ----------------------*- C++ -*-===//
//
// Two rates bound the time of an op from below: arithmetic and memory traffic.
// Processors with units for products of 16 bits have another arithmetic rate
// for these. A roofline gives the approximate cost of an op without a
// measurement.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_ROOFLINE_H
#define REPRISE_RUNTIME_ROOFLINE_H

#include <algorithm>
#include <cstdint>

namespace reprise::rt {

/// The defaults are those of a small server's two cores.
struct Roofline {
  double gflops = 400;            // GFLOP/s
  double gigabytesPerSecond = 35; // GB/s
  /// GFLOP/s of a library on operands of 16 bits; 0: the same as on others.
  double narrowGflops = 0;

  /// The time of an op; `isNarrow`: a library's, on operands of 16 bits.
  double milliseconds(uint64_t flops, uint64_t bytes,
                      bool isNarrow = false) const {
    double rate = isNarrow && narrowGflops > 0 ? narrowGflops : gflops;
    return std::max(flops / (rate * 1e6), bytes / (gigabytesPerSecond * 1e6));
  }
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_ROOFLINE_H
