//===- Placement.cpp - Offsets of buffers ---------------------------------===//
//
// Input:   buffers, and the max-live of their schedule, which no placement can
//          beat.
// Output:  offsets, highest end, and the name of the strategy that found it.
// Method:  every greedy order with two choices of the gap; then, while above
//          max-live, searches for lower heights, halving the distance to
//          max-live: complete for the large items (where there are many), local
//          (all problems) and complete for all (small problems).
// Cost:    O(n^2) a greedy order, then bounded by counted work: a search that
//          fails after some hundred visits of every pair of buffers hardly ever
//          succeeds.
//
//===----------------------------------------------------------------------===//
#include "Packing.h"
#include "reprise/Plan/Schedule.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace reprise::plan {

namespace {

struct GreedyOrder {
  const char *name;
  /// Larger first; ties go to the longer life, then to the lower index.
  std::function<double(const PackItem &)> key;
};

} // namespace

static const std::vector<GreedyOrder> &greedyOrders() {
  using Item = const PackItem &;
  static const std::vector<GreedyOrder> orders = {
      {"size", [](Item item) { return double(item.bytes); }},
      {"lifetime", [](Item item) { return double(item.steps()); }},
      {"area",
       [](Item item) { return double(item.bytes) * double(item.steps()); }},
      {"start", [](Item item) { return -double(item.first); }},
      {"end", [](Item item) { return double(item.last); }},
      {"size-sqrt-lifetime",
       [](Item item) {
         return double(item.bytes) * double(item.bytes) * double(item.steps());
       }},
  };
  return orders;
}

static std::vector<uint32_t> sortItems(const std::vector<PackItem> &items,
                                       const GreedyOrder &by) {
  std::vector<double> key;
  for (const PackItem &item : items)
    key.push_back(by.key(item));
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (key[a] != key[b])
      return key[a] > key[b];
    return items[a].steps() > items[b].steps();
  });
  return order;
}

namespace {

/// The best packing so far and the strategy that found it.
struct Best {
  Packing packing;
  std::string strategy;

  bool offer(Packing candidate, const std::string &name) {
    if (candidate.offsets.empty() ||
        (!strategy.empty() && candidate.height >= packing.height))
      return false;
    packing = std::move(candidate);
    strategy = name;
    return true;
  }
};

} // namespace

static void tryGreedy(const std::vector<PackItem> &items, uint64_t bound,
                      Best &best) {
  for (const GreedyOrder &by : greedyOrders()) {
    std::vector<uint32_t> order = sortItems(items, by);
    for (GapChoice choice : {GapChoice::Tightest, GapChoice::Lowest}) {
      const char *gap =
          choice == GapChoice::Lowest ? ", lowest gap" : ", tightest gap";
      best.offer(packGreedily(items, order, choice),
                 std::string("greedy by ") + by.name + gap);
      if (best.packing.height <= bound)
        return;
    }
  }
}

/// Returns a unit that all sizes are multiples of.
static uint64_t commonUnit(const std::vector<PackItem> &items) {
  uint64_t unit = 0;
  for (const PackItem &item : items)
    unit = std::gcd(unit, item.bytes);
  return std::max<uint64_t>(unit, 1);
}

/// Fewer items are left to the complete search.
static constexpr size_t kManyItems = 256;

/// The remaining work of searches, for each kind separately.
struct Limits {
  WorkLimit largeFirst, others;
};

/// Returns true if the height is reached.
static bool tryLargeFirst(const std::vector<PackItem> &items, uint64_t height,
                          uint64_t work, WorkLimit &limit, Best &best) {
  if (items.size() < kManyItems || !limit.left)
    return false;
  best.offer(packLargeFirst(items, height, work, limit), "large items first");
  return best.packing.height <= height;
}

/// With more items, the complete search is only a last resort.
static constexpr size_t kExactItems = 2500;

/// Searches with at most `share` of the limit.
static ExactOutcome tryExact(const std::vector<PackItem> &items,
                             uint64_t height, uint64_t share, WorkLimit &limit,
                             Best &best) {
  uint64_t allowed = std::min(share, limit.left);
  WorkLimit part{allowed};
  Packing found;
  ExactOutcome outcome = packExactly(items, height, part, found);
  limit.spend(allowed - part.left);
  best.offer(std::move(found), "canonical search");
  return outcome;
}

/// Tries one height: large items first; local search; then the complete one if
/// the number of items gives it a chance.
static bool tryHeight(const std::vector<PackItem> &items, uint64_t height,
                      uint64_t work, Limits &limits, Best &best) {
  if (tryLargeFirst(items, height, work / 2, limits.largeFirst, best))
    return true;
  WorkLimit &total = limits.others;
  bool isSmall = items.size() <= kExactItems;
  WorkLimit local{std::min(total.left, isSmall ? work / 4 : work)};
  uint64_t before = local.left;
  Packing found = packByEjection(items, height, best.packing, local);
  total.spend(before - local.left);
  if (best.offer(std::move(found), "ejection search"))
    return true;
  if (!isSmall || !total.left)
    return false;
  return tryExact(items, height, work, total, best) == ExactOutcome::Found;
}

/// Halves the distance between the bound and the best height until it is below
/// a thousandth or the work is spent. A height that failed may still be
/// possible; it is only not tried again.
static void searchHeights(const std::vector<PackItem> &items, uint64_t bound,
                          uint64_t work, Best &best) {
  uint64_t unit = commonUnit(items);
  uint64_t closeEnough = bound / 1024;
  Limits limits{{work}, {work}};
  uint64_t low = bound;
  uint64_t target = bound;
  while (limits.others.left && best.packing.height > low + closeEnough) {
    if (!tryHeight(items, target, work / 4, limits, best))
      low = target + unit;
    target = low + (best.packing.height - low) / 2 / unit * unit;
  }
}

uint64_t placementWorkOf(size_t buffers) {
  constexpr double looksAtAPair = 500, most = kPlacementWork / 4.0;
  return uint64_t(
      std::min(most, looksAtAPair * double(buffers) * double(buffers)));
}

/// Returns the buffers that take bytes: the complete search orders items by the
/// items below them, which an empty one doesn't have.
static std::vector<PackItem> toItems(const std::vector<Buffer> &buffers) {
  std::vector<PackItem> items;
  for (const Buffer &buffer : buffers)
    if (buffer.bytes)
      items.push_back({buffer.bytes, buffer.firstStep, buffer.lastStep});
  return items;
}

/// Returns the offsets of all buffers from those of their items; empty ones get
/// 0.
static std::vector<uint64_t> offsetsOf(const std::vector<Buffer> &buffers,
                                       const Packing &packing) {
  std::vector<uint64_t> offsets;
  auto next = packing.offsets.begin();
  for (const Buffer &buffer : buffers)
    offsets.push_back(buffer.bytes ? *next++ : 0);
  return offsets;
}

Placement placeBuffers(const std::vector<Buffer> &buffers, uint64_t maxLive,
                       std::optional<uint64_t> workLimit) {
  std::vector<PackItem> items = toItems(buffers);
  if (items.empty())
    return {offsetsOf(buffers, {}), 0, "nothing to place"};
  uint64_t work = workLimit.value_or(placementWorkOf(items.size()));
  Best best;
  tryGreedy(items, maxLive, best);
  if (best.packing.height > maxLive)
    searchHeights(items, maxLive, work, best);
  return {offsetsOf(buffers, best.packing), best.packing.height, best.strategy};
}

/// Searches one height until the work is spent: the complete search if it is
/// quick; large items first; the local search, which succeeds early or not at
/// all; and the complete one for the remaining work, since only it proves that
/// no packing exists.
static FitOutcome searchHeight(const std::vector<PackItem> &items,
                               uint64_t height, uint64_t work, Best &best) {
  WorkLimit exact{work};
  auto outcomeOf = [](ExactOutcome outcome) {
    return outcome == ExactOutcome::Found        ? FitOutcome::Found
           : outcome == ExactOutcome::Impossible ? FitOutcome::Impossible
                                                 : FitOutcome::LimitReached;
  };
  if (items.size() <= kExactItems) {
    FitOutcome quick =
        outcomeOf(tryExact(items, height, work / 32, exact, best));
    if (quick != FitOutcome::LimitReached)
      return quick;
  }
  WorkLimit large{std::min(work, kPlacementWork / 16)};
  if (tryLargeFirst(items, height, large.left / 2, large, best))
    return FitOutcome::Found;
  WorkLimit local{work / 32};
  best.offer(packByEjection(items, height, best.packing, local),
             "ejection search");
  if (best.packing.height <= height)
    return FitOutcome::Found;
  return outcomeOf(tryExact(items, height, exact.left, exact, best));
}

FitResult placeWithin(const std::vector<Buffer> &buffers, uint64_t capacity,
                      uint64_t workLimit) {
  std::vector<PackItem> items = toItems(buffers);
  if (items.empty())
    return {FitOutcome::Found, {offsetsOf(buffers, {}), 0, "nothing to place"}};
  Best best;
  tryGreedy(items, capacity, best);
  FitOutcome outcome = best.packing.height <= capacity
                           ? FitOutcome::Found
                           : searchHeight(items, capacity, workLimit, best);
  return {
      outcome,
      {offsetsOf(buffers, best.packing), best.packing.height, best.strategy}};
}

} // namespace reprise::plan
