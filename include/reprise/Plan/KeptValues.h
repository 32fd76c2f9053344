//===- KeptValues.h - The fewest bytes between two passes -------*- C++ -*-===//
#ifndef REPRISE_PLAN_KEPTVALUES_H
#define REPRISE_PLAN_KEPTVALUES_H

#include <cstdint>
#include <vector>

namespace reprise::plan {

/// A value that a first pass computes and a later one may read.
struct PassedValue {
  /// The bytes of keeping it. 0: it is in memory in any case.
  uint64_t bytes = 0;
  /// True if it can be recomputed, from `operands`: earlier values.
  bool canRecompute = false;
  std::vector<uint32_t> operands;
  /// True if the later pass reads it.
  bool isReadLater = false;
};

/// Chooses the values to keep so that each value that is read later is kept or
/// can be recomputed from kept ones: the fewest total bytes, and among such
/// choices the one closest to the values read later, which recomputes the
/// least. A value is kept only if it is read later, itself or through others.
/// It is a minimum cut: a value is an arc of its bytes, and every path from
/// values that can't be recomputed to those read later must be cut by a kept
/// value (the formulation of PyTorch's min-cut
/// partitioner).
std::vector<bool> chooseKeptValues(const std::vector<PassedValue> &values);

} // namespace reprise::plan

#endif // REPRISE_PLAN_KEPTVALUES_H
