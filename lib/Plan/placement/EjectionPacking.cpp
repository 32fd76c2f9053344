//===- EjectionPacking.cpp - Local search under a fixed height ------------===//
//
// Method:  guided ejection search (Nagata and Braeysy 2009, there for vehicle
//          routing). Items that don't fit under the height wait in a list. The
//          last of them is placed where the items it displaces weigh least;
//          those wait in turn. An item's weight grows each time it finds no
//          gap, so that hard items end up placed and easy ones move.
// Cost:    O(k log k) a move, where k is the number of items that meet the
//          moved one in time, plus a scan of the placed ones; counted against
//          the limit.
// Fails:   never: it gives up when the limit is spent.
//
//===----------------------------------------------------------------------===//
#include "../graph/Random.h"
#include "Packing.h"

#include <algorithm>

namespace reprise::plan {

namespace {

struct Slot {
  uint64_t begin, end;
  uint32_t first, last;
  uint32_t id;
};

class EjectionSearch {
public:
  EjectionSearch(const std::vector<PackItem> &items, uint64_t height,
                 WorkLimit &limit)
      : items(items), height(height), limit(limit), weight(items.size(), 1) {}

  Packing run(const Packing &start) {
    if (!init(start))
      return {};
    while (!waiting.empty()) {
      if (!limit.spend(placed.size() + 1))
        return {};
      uint32_t id = waiting.back();
      waiting.pop_back();
      findMeeting(id);
      if (placeInGap(id))
        continue;
      limit.spend(sortWork * meeting.size());
      placeByForce(id);
    }
    Packing result;
    result.offsets.resize(items.size());
    for (const Slot &slot : placed) {
      result.offsets[slot.id] = slot.begin;
      result.height = std::max(result.height, slot.end);
    }
    return result;
  }

private:
  /// The work of sorting an item's candidates, in visits of placed items.
  static constexpr uint64_t sortWork = 64;

  bool init(const Packing &start) {
    for (uint32_t id = 0; id < items.size(); ++id) {
      if (items[id].bytes > height)
        return false;
      uint64_t begin = start.offsets[id];
      if (begin + items[id].bytes <= height)
        placed.push_back(makeSlot(id, begin));
      else
        waiting.push_back(id);
    }
    std::stable_sort(placed.begin(), placed.end(), beginsEarlier);
    sortWaiting(0);
    return true;
  }

  Slot makeSlot(uint32_t id, uint64_t begin) const {
    const PackItem &item = items[id];
    return {begin, begin + item.bytes, item.first, item.last, id};
  }

  static bool beginsEarlier(const Slot &a, const Slot &b) {
    return a.begin < b.begin;
  }

  /// Large items come last, since items are taken from the back.
  void sortWaiting(size_t from) {
    std::sort(waiting.begin() + from, waiting.end(),
              [&](uint32_t a, uint32_t b) {
                uint64_t bytesA = items[a].bytes, bytesB = items[b].bytes;
                return bytesA != bytesB ? bytesA < bytesB : a > b;
              });
  }

  void findMeeting(uint32_t id) {
    const PackItem &item = items[id];
    meeting.clear();
    for (const Slot &slot : placed)
      if (slot.first <= item.last && item.first <= slot.last)
        meeting.push_back(slot);
  }

  void place(uint32_t id, uint64_t begin) {
    Slot slot = makeSlot(id, begin);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), slot, beginsEarlier),
        slot);
  }

  bool placeInGap(uint32_t id) {
    uint64_t bytes = items[id].bytes;
    uint64_t top = 0, best = 0, bestGap = UINT64_MAX;
    auto consider = [&](uint64_t end) {
      if (end > top && end - top >= bytes && end - top < bestGap) {
        best = top;
        bestGap = end - top;
      }
    };
    for (const Slot &slot : meeting) {
      consider(slot.begin);
      top = std::max(top, slot.end);
    }
    consider(height);
    if (bestGap == UINT64_MAX)
      return false;
    place(id, best);
    return true;
  }

  /// Collects candidates: positions worth trying touch a meeting item or a
  /// border.
  void findCandidates(uint64_t bytes) {
    candidates.assign({0, height - bytes});
    ends.clear();
    for (const Slot &slot : meeting) {
      ends.push_back({slot.end, weight[slot.id]});
      if (slot.end + bytes <= height)
        candidates.push_back(slot.end);
      if (slot.begin >= bytes)
        candidates.push_back(slot.begin - bytes);
    }
    std::sort(ends.begin(), ends.end());
    std::sort(candidates.begin(), candidates.end());
  }

  /// Returns the candidate whose displaced items weigh least, found in one
  /// sweep: an item is in the way of positions in (begin - bytes, end).
  uint64_t findLightest(uint64_t bytes) {
    findCandidates(bytes);
    uint64_t best = 0, bestWeight = UINT64_MAX, current = 0, ties = 0;
    size_t entering = 0, leaving = 0;
    for (uint64_t position : candidates) {
      for (; entering < meeting.size() &&
             meeting[entering].begin < position + bytes;
           ++entering)
        current += weight[meeting[entering].id];
      for (; leaving < ends.size() && ends[leaving].first <= position;
           ++leaving)
        current -= ends[leaving].second;
      if (current > bestWeight)
        continue;
      ties = current < bestWeight ? 1 : ties + 1;
      if (ties > 1 && random.next() % ties != 0)
        continue;
      bestWeight = current;
      best = position;
    }
    return best;
  }

  void placeByForce(uint32_t id) {
    uint64_t bytes = items[id].bytes;
    weight[id] += 1;
    uint64_t begin = findLightest(bytes);
    size_t before = waiting.size();
    const PackItem &item = items[id];
    auto isInWay = [&](const Slot &slot) {
      return slot.first <= item.last && item.first <= slot.last &&
             slot.begin < begin + bytes && begin < slot.end;
    };
    for (const Slot &slot : meeting)
      if (isInWay(slot))
        waiting.push_back(slot.id);
    sortWaiting(before);
    placed.erase(std::remove_if(placed.begin(), placed.end(), isInWay),
                 placed.end());
    place(id, begin);
  }

  const std::vector<PackItem> &items;
  uint64_t height;
  WorkLimit &limit;
  std::vector<uint64_t> weight; // by item
  std::vector<Slot> placed;     // by begin
  std::vector<uint32_t> waiting;
  std::vector<Slot> meeting; // of the item being placed, by begin
  std::vector<uint64_t> candidates;
  std::vector<std::pair<uint64_t, uint64_t>> ends; // end, weight
  Random random;
};

} // namespace

Packing packByEjection(const std::vector<PackItem> &items, uint64_t height,
                       const Packing &start, WorkLimit &limit) {
  return EjectionSearch(items, height, limit).run(start);
}

} // namespace reprise::plan
