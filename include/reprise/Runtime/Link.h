//===- Link.h - The speed of a link between ranks ---------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_LINK_H
#define REPRISE_RUNTIME_LINK_H

#include <cstdint>

namespace reprise::rt {

/// The largest tensor whose sum over ranks takes one message to each of them,
/// in bytes: a second one would take longer than the additional bytes.
constexpr uint64_t kSmallSumBytes = 8 << 10;

/// A link, by which a rank sends to the others while it receives as much.
struct Link {
  double gigabytesPerSecond = 0; // 10^9 bytes per second
  double microseconds = 0;       // the latency of messages sent together

  /// Returns the time of messages that are sent together.
  double milliseconds(uint64_t bytes) const {
    return microseconds * 1e-3 + bytes / (gigabytesPerSecond * 1e6);
  }
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_LINK_H
