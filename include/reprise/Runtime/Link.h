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

/// Returns the number of exchanges in which the sum of a tensor of `bytes`
/// bytes over ranks receives their parts. The received bytes of one exchange
/// are live beside the tensor: 4 MiB, or a sixteenth of a tensor of more than
/// 64 MiB.
constexpr uint64_t exchangesOfSum(uint64_t bytes) {
  constexpr uint64_t kReceived = 4 << 20, kMost = 16;
  uint64_t exchanges = (bytes + kReceived - 1) / kReceived;
  return exchanges == 0 ? 1 : exchanges < kMost ? exchanges : kMost;
}

class Communicator;

/// A link, by which a rank sends to the others while it receives as much.
struct Link {
  double gigabytesPerSecond = 0; // 10^9 bytes per second
  double microseconds = 0;       // the latency of messages sent together

  /// Returns the time of `bytes` bytes in some exchanges of messages, one after
  /// another.
  double milliseconds(uint64_t bytes, uint64_t exchanges = 1) const {
    return exchanges * microseconds * 1e-3 + bytes / (gigabytesPerSecond * 1e6);
  }
};

/// Measures the link of two ranks or more, which all call this: the latency is
/// that of a few bytes to every other rank, the rate that of 32 MiB to all of
/// them together. Medians of this rank; fails where a call of `ranks` does.
Expected<Link> measureLink(Communicator &ranks);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_LINK_H
