//===- Revolve.h - Optimal reversal of a uniform chain ----------*- C++ -*-===//
//
// Source: A. Griewank, A. Walther. Algorithm 799: revolve. ACM TOMS 26(1),
// 2000.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_REVOLVE_H
#define REPRISE_LIB_PLAN_REVOLVE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace reprise::plan {

/// t(l,s): the least number of steps executed in addition to reverse a chain of
/// `l` steps with `s` slots for states, one of which holds the chain's input.
/// By dynamic programming:
///   t(1,s) = 0, t(l,1) = l(l-1)/2,
///   t(l,s) = min over 0 < k < l of k + t(l-k,s-1) + t(k,s).
class RevolveTable {
public:
  /// `length` and `slots` at least 1. O(length^2 slots) time.
  RevolveTable(uint32_t length, uint32_t slots);
  uint64_t steps(uint32_t length, uint32_t slots) const {
    return entries[slots - 1][length].steps;
  }
  /// Returns the k of the minimum: the distance to the next state that takes a
  /// slot.
  uint32_t advance(uint32_t length, uint32_t slots) const {
    return entries[slots - 1][length].advance;
  }

private:
  struct Entry {
    uint64_t steps = 0;
    uint32_t advance = 0;
  };
  std::vector<std::vector<Entry>> entries; // by slots - 1, length
};

/// Returns the same t(l,s) in closed form: r*l - C(s+r, s+1) for the only r
/// with C(s+r-1, s) < l <= C(s+r, s). Returns nothing if it exceeds 64 bits, or
/// if the length or the number of slots is 0.
std::optional<uint64_t> revolveClosedForm(uint64_t length, uint64_t slots);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_REVOLVE_H
