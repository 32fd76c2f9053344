//===- ExactPacking.cpp - Complete search under a fixed height ------------===//
//
// Method:  MiniMalloc's canonical search (Moffitt, ASPLOS 2024). Items are
//          placed bottom up: each at the least offset that what was placed so
//          far allows, in ascending order of (offset, rank), so that every
//          packing is reached once. A node is cut off when
//          - an item must begin below the last one placed (not canonical);
//          - an item would begin above the end of another that could still go
//            below it (dominated);
//          - in some section of time the lowest place for what is left there
//            plus its bytes is past the height.
//          Several rankings are tried in turn under a doubling limit, since a
//          search is either quick or hopeless.
// Departs: no dynamic decomposition; ranges of time that no item joins are
//          separated by the caller.
// Cost:    exponential; counted against the limit.
//
//===----------------------------------------------------------------------===//
#include "Packing.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace reprise::plan {

namespace {

/// Steps between two beginnings or ends of items, renumbered: in each section
/// the same items are live.
struct Sections {
  std::vector<uint32_t> first, last; // by item, inclusive
  uint32_t count = 0;
};

class ExactSearch {
public:
  ExactSearch(const std::vector<PackItem> &items, const Sections &sections,
              uint64_t height)
      : items(items), sections(sections), height(height) {
    uint32_t count = items.size();
    neighbours.resize(count);
    for (uint32_t a = 0; a < count; ++a)
      for (uint32_t b = 0; b < count; ++b)
        if (a != b && items[a].meets(items[b]))
          neighbours[a].push_back(b);
    members.resize(sections.count);
    for (uint32_t id = 0; id < count; ++id)
      for (uint32_t s = sections.first[id]; s <= sections.last[id]; ++s)
        members[s].push_back(id);
  }

  uint64_t bytesIn(uint32_t section) const {
    uint64_t bytes = 0;
    for (uint32_t id : members[section])
      bytes += items[id].bytes;
    return bytes;
  }
  const std::vector<uint32_t> &membersOf(uint32_t section) const {
    return members[section];
  }

  /// Searches with one ranking; `ranked` lists the items, first rank first.
  ExactOutcome search(const std::vector<uint32_t> &ranked, WorkLimit &limit) {
    rank.resize(items.size());
    for (uint32_t i = 0; i < ranked.size(); ++i)
      rank[ranked[i]] = i;
    least.assign(items.size(), 0);
    isPlaced.assign(items.size(), false);
    left.clear();
    for (uint32_t s = 0; s < sections.count; ++s) {
      left.push_back(bytesIn(s));
      if (left.back() > height)
        return ExactOutcome::Impossible;
    }
    work = &limit;
    return extend(items.size(), 0, 0);
  }

  const std::vector<uint64_t> &offsets() const { return least; }

private:
  struct Candidate {
    uint64_t offset;
    uint32_t rank;
    uint32_t id;
    bool operator<(const Candidate &other) const {
      return offset != other.offset ? offset < other.offset
                                    : rank < other.rank;
    }
  };

  /// The places worth trying next, and none when an item can't be placed.
  std::vector<Candidate> findCandidates(uint64_t lastOffset,
                                        uint32_t lastRank) const {
    std::vector<Candidate> result;
    uint64_t leastEnd = UINT64_MAX;
    for (uint32_t id = 0; id < items.size(); ++id)
      if (!isPlaced[id])
        leastEnd = std::min(leastEnd, std::max(least[id], lastOffset) +
                                          items[id].bytes);
    for (uint32_t id = 0; id < items.size(); ++id) {
      if (isPlaced[id] || least[id] >= leastEnd)
        continue;
      Candidate candidate{least[id], rank[id], id};
      if (candidate.offset > lastOffset ||
          (candidate.offset == lastOffset && candidate.rank >= lastRank))
        result.push_back(candidate);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Lowest place for anything unplaced in a section, given that nothing will
  /// begin below `lastOffset` any more.
  bool fits(uint32_t section, uint64_t lastOffset) const {
    if (left[section] == 0)
      return true;
    uint64_t floor = UINT64_MAX;
    for (uint32_t id : members[section])
      if (!isPlaced[id])
        floor = std::min(floor, least[id]);
    return std::max(floor, lastOffset) + left[section] <= height;
  }

  bool allFit(uint64_t lastOffset) const {
    for (uint32_t s = 0; s < sections.count; ++s)
      if (!fits(s, lastOffset))
        return false;
    return true;
  }

  ExactOutcome extend(uint32_t count, uint64_t lastOffset, uint32_t lastRank) {
    if (count == 0)
      return ExactOutcome::Found;
    if (!work->spend(items.size() * 8))
      return ExactOutcome::LimitReached;
    for (const Candidate &at : findCandidates(lastOffset, lastRank)) {
      size_t mark = trail.size();
      putDown(at);
      ExactOutcome outcome = ExactOutcome::Impossible;
      if (allFit(at.offset))
        outcome = extend(count - 1, at.offset, at.rank);
      if (outcome != ExactOutcome::Impossible)
        return outcome;
      pickUp(at, mark);
    }
    return ExactOutcome::Impossible;
  }

  void putDown(const Candidate &at) {
    isPlaced[at.id] = true;
    uint64_t end = at.offset + items[at.id].bytes;
    for (uint32_t other : neighbours[at.id])
      if (!isPlaced[other] && least[other] < end) {
        trail.push_back({other, least[other]});
        least[other] = end;
      }
    for (uint32_t s = sections.first[at.id]; s <= sections.last[at.id]; ++s)
      left[s] -= items[at.id].bytes;
  }

  void pickUp(const Candidate &at, size_t mark) {
    for (uint32_t s = sections.first[at.id]; s <= sections.last[at.id]; ++s)
      left[s] += items[at.id].bytes;
    for (; trail.size() > mark; trail.pop_back())
      least[trail.back().first] = trail.back().second;
    isPlaced[at.id] = false;
  }

  const std::vector<PackItem> &items;
  const Sections &sections;
  uint64_t height;
  std::vector<std::vector<uint32_t>> neighbours; // by item
  std::vector<std::vector<uint32_t>> members;    // by section
  std::vector<uint32_t> rank;
  std::vector<uint64_t> least; // by item: offset, or the least possible one
  std::vector<bool> isPlaced;
  std::vector<uint64_t> left; // by section: bytes of what isn't placed
  std::vector<std::pair<uint32_t, uint64_t>> trail;
  WorkLimit *work = nullptr;
};

} // namespace

static Sections findSections(const std::vector<PackItem> &items) {
  std::vector<uint64_t> cuts;
  for (const PackItem &item : items) {
    cuts.push_back(item.first);
    cuts.push_back(uint64_t(item.last) + 1);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  auto indexOf = [&](uint64_t cut) {
    return std::lower_bound(cuts.begin(), cuts.end(), cut) - cuts.begin();
  };
  Sections result;
  for (const PackItem &item : items) {
    result.first.push_back(indexOf(item.first));
    result.last.push_back(indexOf(uint64_t(item.last) + 1) - 1);
  }
  result.count = cuts.size() - 1;
  return result;
}

/// MiniMalloc's keys: widest life, fullest section, largest area, in the
/// orders it tries.
static std::vector<std::vector<uint32_t>>
findRankings(const std::vector<PackItem> &items, const Sections &sections,
             const ExactSearch &search) {
  std::vector<uint64_t> fullest(items.size(), 0);
  for (uint32_t s = 0; s < sections.count; ++s) {
    uint64_t bytes = search.bytesIn(s);
    for (uint32_t id : search.membersOf(s))
      fullest[id] = std::max(fullest[id], bytes);
  }
  auto width = [&](uint32_t id) { return double(items[id].steps()); };
  auto total = [&](uint32_t id) { return double(fullest[id]); };
  auto area = [&](uint32_t id) {
    return double(items[id].steps()) * double(items[id].bytes);
  };
  using Key = std::function<double(uint32_t)>;
  std::vector<std::vector<Key>> keys = {{total, area, width},
                                        {total, width, area},
                                        {width, area, total},
                                        {width, total, area},
                                        {area, total, width}};
  std::vector<std::vector<uint32_t>> result;
  for (const std::vector<Key> &key : keys) {
    std::vector<uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      for (const Key &part : key)
        if (part(a) != part(b))
          return part(a) > part(b);
      return false;
    });
    result.push_back(std::move(order));
  }
  return result;
}

ExactOutcome packExactly(const std::vector<PackItem> &items, uint64_t height,
                         WorkLimit &limit, Packing &result) {
  Sections sections = findSections(items);
  ExactSearch search(items, sections, height);
  std::vector<std::vector<uint32_t>> rankings =
      findRankings(items, sections, search);
  for (uint64_t share = items.size() * 8000; limit.left; share *= 2)
    for (const std::vector<uint32_t> &ranking : rankings) {
      uint64_t allowed = std::min(share, limit.left);
      WorkLimit part{allowed};
      ExactSearch fresh(items, sections, height);
      ExactOutcome outcome = fresh.search(ranking, part);
      limit.spend(allowed - part.left);
      if (outcome == ExactOutcome::LimitReached)
        continue;
      if (outcome == ExactOutcome::Impossible)
        return outcome;
      result.offsets = fresh.offsets();
      result.height = 0;
      for (uint32_t id = 0; id < items.size(); ++id)
        result.height =
            std::max(result.height, result.offsets[id] + items[id].bytes);
      return outcome;
    }
  return ExactOutcome::LimitReached;
}

} // namespace reprise::plan
