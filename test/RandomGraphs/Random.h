//===- Random.h - Choices that depend on a seed -----------------*- C++ -*-===//
#ifndef REPRISE_TEST_RANDOMGRAPHS_RANDOM_H
#define REPRISE_TEST_RANDOMGRAPHS_RANDOM_H

#include "reprise/Reference/Philox.h"
#include "llvm/ADT/ArrayRef.h"

namespace reprise::random_graphs {

/// A sequence of choices: word n of it is a function of the seed, the stream
/// and n, on every machine.
class Random {
public:
  Random(uint64_t seed, uint32_t stream) : seed(seed), stream(stream) {}

  uint32_t word() {
    return reference::philox(
        {counter++, 0, 0, stream},
        {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)})[0];
  }

  /// In [0, bound).
  int64_t below(int64_t bound) {
    return static_cast<int64_t>((uint64_t{word()} * bound) >> 32);
  }

  /// In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }

  /// True once in `count` times.
  bool oneIn(int64_t count) { return below(count) == 0; }

  /// In (-1, 1).
  double symmetric() { return (word() + 0.5) / 2147483648.0 - 1.0; }

  template <typename T> const T &pick(llvm::ArrayRef<T> choices) {
    return choices[below(choices.size())];
  }

private:
  uint64_t seed;
  uint32_t stream, counter = 0;
};

} // namespace reprise::random_graphs

#endif // REPRISE_TEST_RANDOMGRAPHS_RANDOM_H
