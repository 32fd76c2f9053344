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

/// The remaining work of a search, counted in visited items, so that the result
/// doesn't depend on the machine.
struct WorkLimit {
  uint64_t left;

  bool spend(uint64_t amount) {
    left = amount < left ? left - amount : 0;
    return left != 0;
  }
};

enum class GapChoice { Lowest, Tightest };

/// Places items one after another into a gap that fits.
Packing packGreedily(const std::vector<PackItem> &items,
                     const std::vector<uint32_t> &order, GapChoice choice);

/// Like packGreedily, with the tightest gap, for the items in `order`; those in
/// `fixed` stay where `start` has them.
Packing packAround(const std::vector<PackItem> &items,
                   const std::vector<uint32_t> &fixed, const Packing &start,
                   const std::vector<uint32_t> &order);

/// Searches for a packing of at most `height` by moving items of `start`.
/// Returns height 0 if the limit runs out first.
Packing packByEjection(const std::vector<PackItem> &items, uint64_t height,
                       const Packing &start, WorkLimit &limit);

enum class ExactOutcome { Found, Impossible, LimitReached };

/// Complete search for a packing of at most `height`.
ExactOutcome packExactly(const std::vector<PackItem> &items, uint64_t height,
                         WorkLimit &limit, Packing &result);

/// Packs large items by complete search under `height`, with at most `work` for
/// each threshold of size, then small ones into the gaps. May end above the
/// height; returns height 0 if nothing was found.
Packing packLargeFirst(const std::vector<PackItem> &items, uint64_t height,
                       uint64_t work, WorkLimit &limit);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_PACKING_H
