//===- Random.h - The same numbers every time -------------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_RANDOM_H
#define REPRISE_LIB_PLAN_RANDOM_H

#include <cstdint>

namespace reprise::plan {

/// SplitMix64 (Steele, Lea, Flood 2014): breaks ties reproducibly.
class Random {
public:
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// In [0, 1): exact, since it takes 53 bits.
  double fraction() { return double(next() >> 11) / double(uint64_t(1) << 53); }

private:
  uint64_t state = 0;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_RANDOM_H
