//===- Link.h - The speed of a link between ranks ---------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_LINK_H
#define REPRISE_RUNTIME_LINK_H

#include "reprise/Runtime/Status.h"
#include <cstdint>

namespace reprise::rt {

/// Returns true if the sum of a tensor of `bytes` bytes over ranks takes one
/// message to each of them: a second one would take longer than the additional
/// bytes, which grow with the ranks, as the workspace does.
constexpr bool isSmallSum(uint64_t bytes, unsigned ranks) {
  return bytes * ranks <= 32 << 10;
}

class Communicator;

/// A link, by which a rank sends to the others while it receives as much.
struct Link {
  double gigabytesPerSecond = 0; // 10^9 bytes per second
  double microseconds = 0;       // the latency of messages sent together

  /// Returns the time of messages that are sent together.
  double milliseconds(uint64_t bytes) const {
    return microseconds * 1e-3 + bytes / (gigabytesPerSecond * 1e6);
  }
};

/// Measures the link of two ranks or more, which all call this: the latency is
/// that of a few bytes to every other rank, the rate that of 32 MiB to all of
/// them together. Medians of this rank; fails where a call of `ranks` does.
Expected<Link> measureLink(Communicator &ranks);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_LINK_H
