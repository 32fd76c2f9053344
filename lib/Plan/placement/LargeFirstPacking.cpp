//===- LargeFirstPacking.cpp - Large items first, small ones into the gaps ===//
//
// Method:  complete search for the large items alone, of which there are few,
//          then the small ones into the gaps. Several shares of the height are
//          tried as the least size of a large item: a complete search is either
//          quick or hopeless, and a small change decides which.
// Cost:    the searches, against the limit, and O(n) a small item.
// Fails:   if no size separates large items from small ones, or the searches
// run
//          out of work.
//
//===----------------------------------------------------------------------===//
#include "Packing.h"

#include <algorithm>

namespace reprise::plan {

namespace {

/// Indices of items, by size.
struct Split {
  std::vector<uint32_t> large, small;
};

} // namespace

static Split splitItems(const std::vector<PackItem> &items, uint64_t least) {
  Split split;
  for (uint32_t id = 0; id < items.size(); ++id)
    (items[id].bytes >= least ? split.large : split.small).push_back(id);
  return split;
}

/// Packs the large items into `result`, at their indices among all items.
static bool packLarge(const std::vector<PackItem> &items, const Split &split,
                      uint64_t height, WorkLimit &limit, Packing &result) {
  std::vector<PackItem> large;
  for (uint32_t id : split.large)
    large.push_back(items[id]);
  Packing packed;
  if (packExactly(large, height, limit, packed) != ExactOutcome::Found)
    return false;
  result.offsets.assign(items.size(), 0);
  result.height = packed.height;
  for (uint32_t at = 0; at < split.large.size(); ++at)
    result.offsets[split.large[at]] = packed.offsets[at];
  return true;
}

/// Adds the small items by size and by area; returns the lower packing of the
/// two.
static Packing fill(const std::vector<PackItem> &items, Split split,
                    const Packing &packed) {
  Packing best;
  for (bool byArea : {false, true}) {
    auto key = [&](uint32_t id) {
      return double(items[id].bytes) * (byArea ? items[id].steps() : 1);
    };
    std::stable_sort(split.small.begin(), split.small.end(),
                     [&](uint32_t a, uint32_t b) { return key(a) > key(b); });
    Packing filled = packAround(items, split.large, packed, split.small);
    if (best.offsets.empty() || filled.height < best.height)
      best = std::move(filled);
  }
  return best;
}

Packing packLargeFirst(const std::vector<PackItem> &items, uint64_t height,
                       uint64_t work, WorkLimit &limit) {
  constexpr uint64_t shares[] = {4096, 1024, 512, 64};
  Packing best;
  for (uint64_t most : {work / 4, work}) {
    size_t before = items.size();
    for (uint64_t share : shares) {
      Split split = splitItems(items, height / share);
      if (split.large.empty() || split.large.size() == before)
        continue;
      before = split.large.size();
      uint64_t allowed = std::min(most, limit.left);
      WorkLimit part{allowed};
      Packing packed;
      bool isPacked = packLarge(items, split, height, part, packed);
      limit.spend(allowed - part.left);
      if (!isPacked)
        continue;
      Packing filled = fill(items, std::move(split), packed);
      if (best.offsets.empty() || filled.height < best.height)
        best = std::move(filled);
      if (best.height <= height)
        return best;
    }
    if (best.height && best.height <= height + height / 1024)
      return best;
  }
  return best;
}

} // namespace reprise::plan
