//===- Packing.h - Rectangles of time and bytes -----------------*- C++ -*-===//
//
// The placement problem without graphs: items with a height in bytes and a
// range of steps get offsets such that items that share a step don't share a
// byte.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_PACKING_H
#define REPRISE_LIB_PLAN_PACKING_H

#include <cstdint>
#include <vector>

namespace reprise::plan {

struct PackItem {
  uint64_t bytes;
  uint32_t first, last; // steps, inclusive

  uint64_t steps() const { return uint64_t(last) - first + 1; }
  bool meets(const PackItem &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct Packing {
  std::vector<uint64_t> offsets; // by item
  uint64_t height = 0;           // highest end; 0 when nothing was found
};

/// Work a search may still do, counted in items looked at, so that the result
/// doesn't depend on the machine.
struct WorkLimit {
  uint64_t left;

  bool spend(uint64_t amount) {
    left = amount < left ? left - amount : 0;
    return left != 0;
  }
};

enum class GapChoice { Lowest, Tightest };

/// Places items one after the other into a gap that fits.
Packing packGreedily(const std::vector<PackItem> &items,
                     const std::vector<uint32_t> &order, GapChoice choice);

/// The same with the tightest gap, for the items in `order`; those in `fixed`
/// are where `start` has them.
Packing packAround(const std::vector<PackItem> &items,
                   const std::vector<uint32_t> &fixed, const Packing &start,
                   const std::vector<uint32_t> &order);

/// Looks for a packing of at most `height` by moving items of `start` about.
/// Returns height 0 when the limit runs out first.
Packing packByEjection(const std::vector<PackItem> &items, uint64_t height,
                       const Packing &start, WorkLimit &limit);

enum class ExactOutcome { Found, Impossible, LimitReached };

/// Complete search for a packing of at most `height`.
ExactOutcome packExactly(const std::vector<PackItem> &items, uint64_t height,
                         WorkLimit &limit, Packing &result);

/// Large items by complete search under `height`, with at most `work` for each
/// idea of what is large, then small ones into the gaps. May end above the
/// height; height 0 when nothing was found.
Packing packLargeFirst(const std::vector<PackItem> &items, uint64_t height,
                       uint64_t work, WorkLimit &limit);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_PACKING_H
