//===- RunningMean.h - The mean of the last numbers -------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_RUNNINGMEAN_H
#define REPRISE_RUNTIME_TRAINER_RUNNINGMEAN_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace reprise::rt {

/// Mean of the last 50 losses.
class RunningMean {
public:
  void add(double value) { ring[count++ % ring.size()] = value; }
  double mean() const {
    size_t n = size_t(std::min<uint64_t>(count, ring.size()));
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum += ring[i];
    return n ? sum / double(n) : 0;
  }

private:
  std::array<double, 50> ring;
  uint64_t count = 0;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_RUNNINGMEAN_H
