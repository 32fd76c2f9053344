//===- Roofline.h - How fast a machine is --------------------*- C++ -*-===//
//
// Two rates bound the time of an op from below: arithmetic and memory traffic.
// A roofline says roughly what an op costs that nobody has timed.
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

  double milliseconds(uint64_t flops, uint64_t bytes) const {
    return std::max(flops / (gflops * 1e6), bytes / (gigabytesPerSecond * 1e6));
  }
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_ROOFLINE_H
