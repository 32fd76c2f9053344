//===- HostLink.h - The link between a device and the host ------*- C++ -*-===//
#ifndef REPRISE_HOSTLINK_H
#define REPRISE_HOSTLINK_H

#include <cstdint>

namespace reprise {

/// A link that copies to host memory and, at the same time, from there.
struct HostLink {
  double bytesPerMillisecond = 0; // in each direction
  double latencyMilliseconds = 0; // of a copy
  double milliseconds(uint64_t bytes) const {
    return latencyMilliseconds + double(bytes) / bytesPerMillisecond;
  }
};

} // namespace reprise

#endif // REPRISE_HOSTLINK_H
