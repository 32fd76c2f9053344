//===- Roofline.h - How fast this machine is --------------------*- C++ -*-===//
//
// Two rates bound the time of an op from below: arithmetic and memory traffic.
// A roofline says roughly what an op costs that nobody has timed.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_ROOFLINE_H
#define REPRISE_RUNTIME_ROOFLINE_H

#include "reprise/Runtime/Status.h"
#include <algorithm>
#include <cstdint>
#include <string>

namespace reprise::rt {

/// The defaults are those of a small server's two cores.
struct Roofline {
  double gflops = 400;            // GFLOP/s
  double gigabytesPerSecond = 35; // GB/s

  double milliseconds(uint64_t flops, uint64_t bytes) const {
    return std::max(flops / (gflops * 1e6), bytes / (gigabytesPerSecond * 1e6));
  }
};

/// Times a matrix product and a triad of arrays too large for caches, on
/// `threads` threads, for about 0.3 s. Fails with RP_OUT_OF_MEMORY, or
/// RP_UNAVAILABLE when the library refuses the product.
Expected<Roofline> measureRoofline(unsigned threads);

/// What the system calls this processor; its features where it does not say.
std::string processorName();

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_ROOFLINE_H
