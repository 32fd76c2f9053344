//===- IndexRange.h - The elements that a program accepts -------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_INDEXRANGE_H
#define REPRISE_RUNTIME_TRAINER_INDEXRANGE_H

#include "reprise/Runtime/reprise.h"
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace reprise::rt {

/// Integers or probabilities of a column that are in range, for some elements
/// of its rows.
struct IndexRange {
  rp_index_use use = RP_INDEX_CLASS;
  int64_t limit = 0;
  std::optional<int64_t> ignored;
  /// Elements of a row: the first of a run and the one after its last.
  std::vector<std::pair<size_t, size_t>> runs;

  /// Returns true for an integer that is in range.
  bool holds(int64_t value) const {
    return (value >= 0 && value < limit) || (ignored && value == *ignored);
  }
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_INDEXRANGE_H
