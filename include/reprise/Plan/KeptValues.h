//===- KeptValues.h - The fewest bytes between two passes -------*- C++ -*-===//
#ifndef REPRISE_PLAN_KEPTVALUES_H
#define REPRISE_PLAN_KEPTVALUES_H

#include <cstdint>
#include <vector>

namespace reprise::plan {

/// A value that a first pass computes and a later one may need.
struct PassedValue {
  /// What keeping it takes. 0: it is there in any case.
  uint64_t bytes = 0;
  /// Whether it may be computed again, from `operands`: earlier values.
  bool canRecompute = false;
  std::vector<uint32_t> operands;
  /// Whether the later pass reads it.
  bool isNeeded = false;
};

/// Which values to keep so that each that is needed is kept or may be computed
/// again from kept ones: the fewest bytes in sum, and of several such choices
/// the one nearest to the needs, which computes least again. Values that nobody
/// needs are not kept. It is a minimum cut: a value is an
/// arc of its bytes, which every way from what can't be computed again to what
/// is needed must cross where something is kept (the formulation of PyTorch's
/// min-cut partitioner).
std::vector<bool> chooseKeptValues(const std::vector<PassedValue> &values);

} // namespace reprise::plan

#endif // REPRISE_PLAN_KEPTVALUES_H
