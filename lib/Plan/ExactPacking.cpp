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
//          Several rankings are tried in turn under a growing limit, since a
//          search is either quick or hopeless.
// Departs: no dynamic decomposition; ranges of time that no item joins are
//          separated by the caller.
// Cost:    exponential; counted against the limit.
//
//===----------------------------------------------------------------------===//
#include "Packing.h"
#include "reprise/Plan/Fault.h"

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
    isPlaced.assign(items.size(), 0);
    floor.assign(sections.count, 0);
    stamp.assign(sections.count, 0);
    lowest.clear();
    for (uint32_t s = 0; s < sections.count; ++s)
      lowest.push_back(members[s].empty() ? 0 : members[s].front());
    left.clear();
    log.clear();
    for (uint32_t s = 0; s < sections.count; ++s) {
      left.push_back(bytesIn(s));
      if (left.back() > height)
        return ExactOutcome::Impossible;
    }
    work = &limit;
    std::vector<uint32_t> all(items.size());
    std::iota(all.begin(), all.end(), 0);
    std::stable_sort(all.begin(), all.end(), [&](uint32_t a, uint32_t b) {
      return items[a].first < items[b].first;
    });
    return solveAll(all, {0, 0});
  }

  const std::vector<uint64_t> &offsets() const { return least; }

private:
  /// Where the last item went; the next ones go behind it.
  struct Position {
    uint64_t offset;
    uint32_t rank;
    bool operator<(const Position &other) const {
      return offset != other.offset ? offset < other.offset : rank < other.rank;
    }
  };
  struct Candidate {
    Position at;
    uint32_t id;
    bool operator<(const Candidate &other) const { return at < other.at; }
  };

  void set(uint64_t &slot, uint64_t value) {
    log.push_back({&slot, slot});
    slot = value;
  }
  void undo(size_t mark) {
    for (; log.size() > mark; log.pop_back())
      *log.back().first = log.back().second;
  }

  /// Splits unplaced items (by first step) where no item joins them, and
  /// solves the ranges one by one: one that fails decides for all.
  ExactOutcome solveAll(const std::vector<uint32_t> &open, Position last) {
    size_t mark = log.size();
    for (size_t begin = 0; begin < open.size();) {
      uint32_t end = sections.last[open[begin]];
      std::vector<uint32_t> range;
      size_t next = begin;
      for (; next < open.size() && sections.first[open[next]] <= end; ++next) {
        end = std::max(end, sections.last[open[next]]);
        range.push_back(open[next]);
      }
      ExactOutcome outcome = solve(range, last);
      if (outcome != ExactOutcome::Found) {
        undo(mark);
        return outcome;
      }
      begin = next;
    }
    return ExactOutcome::Found;
  }

  ExactOutcome solve(const std::vector<uint32_t> &open, Position last) {
    std::vector<uint32_t> rest;
    for (const Candidate &candidate : findCandidates(open, last)) {
      size_t mark = log.size();
      if (!work->spend(open.size()))
        return ExactOutcome::LimitReached;
      ExactOutcome outcome = ExactOutcome::Impossible;
      if (place(candidate) && restFits(open, candidate.at.offset)) {
        rest.clear();
        for (uint32_t id : open)
          if (id != candidate.id)
            rest.push_back(id);
        outcome = solveAll(rest, candidate.at);
      }
      if (outcome != ExactOutcome::Impossible)
        return outcome;
      undo(mark);
    }
    return ExactOutcome::Impossible;
  }

  /// The items worth placing next. Above the least end of another item, an
  /// item would leave a hole that the other could fill.
  std::vector<Candidate> findCandidates(const std::vector<uint32_t> &open,
                                        Position last) const {
    uint64_t leastEnd = UINT64_MAX;
    for (uint32_t id : open)
      leastEnd = std::min(leastEnd,
                          std::max(least[id], last.offset) + items[id].bytes);
    std::vector<Candidate> result;
    for (uint32_t id : open) {
      Candidate candidate{{least[id], rank[id]}, id};
      if (least[id] < leastEnd && !(candidate.at < last))
        result.push_back(candidate);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Returns false when some neighbour no longer fits under the height.
  bool place(const Candidate &candidate) {
    uint32_t id = candidate.id;
    uint64_t end = candidate.at.offset + items[id].bytes;
    if (end > height)
      return false;
    set(isPlaced[id], 1);
    for (uint32_t s = sections.first[id]; s <= sections.last[id]; ++s)
      set(left[s], left[s] - items[id].bytes);
    for (uint32_t other : neighbours[id]) {
      if (isPlaced[other] || least[other] >= end)
        continue;
      if (end + items[other].bytes > height)
        return false;
      set(least[other], end);
    }
    ++epoch;
    // What failed last is likely to fail again.
    bool fit = refreshFloor(failed) && refreshFloors(id);
    for (uint32_t other : neighbours[id])
      if (fit && !isPlaced[other] && least[other] == end)
        fit = refreshFloors(other);
    return fit;
  }

  bool refreshFloors(uint32_t id) {
    for (uint32_t s = sections.first[id]; s <= sections.last[id]; ++s)
      if (!refreshFloor(s))
        return false;
    return true;
  }

  /// Lowest place for anything unplaced in a section. Places only rise on the
  /// way down the tree, so that an item still at the floor shows it is right.
  bool refreshFloor(uint32_t s) {
    if (stamp[s] == epoch || left[s] == 0)
      return true;
    stamp[s] = epoch;
    work->spend(1);
    if (!isPlaced[lowest[s]] && least[lowest[s]] == floor[s])
      return floor[s] + left[s] <= height;
    work->spend(members[s].size());
    uint64_t found = UINT64_MAX;
    for (uint32_t member : members[s])
      if (!isPlaced[member] && least[member] < found) {
        found = least[member];
        lowest[s] = member;
      }
    if (found != floor[s])
      set(floor[s], found);
    if (found + left[s] <= height)
      return true;
    failed = s;
    return false;
  }

  /// Nothing begins below the last item any more.
  bool restFits(const std::vector<uint32_t> &open, uint64_t lastOffset) {
    uint32_t begin = sections.first[open.front()], end = 0;
    for (uint32_t id : open)
      end = std::max(end, sections.last[id]);
    for (uint32_t s = begin; s <= end; ++s)
      if (left[s] && std::max(floor[s], lastOffset) + left[s] +
                             REPRISE_FAULT("exact-gives-up-when-full") >
                         height)
        return false;
    return true;
  }

  const std::vector<PackItem> &items;
  const Sections &sections;
  uint64_t height;
  std::vector<std::vector<uint32_t>> neighbours; // by item
  std::vector<std::vector<uint32_t>> members;    // by section
  std::vector<uint32_t> rank;
  std::vector<uint64_t> least; // by item: offset, or the least possible one
  std::vector<uint64_t> isPlaced;
  std::vector<uint64_t> floor;  // by section: least place of what isn't placed
  std::vector<uint64_t> left;   // by section: bytes of what isn't placed
  std::vector<uint64_t> stamp;  // by section: epoch of its last refresh
  std::vector<uint32_t> lowest; // by section: item that was at the floor
  uint64_t epoch = 0;
  uint32_t failed = 0; // section that last had no room
  std::vector<std::pair<uint64_t *, uint64_t>> log; // what to undo
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
  std::vector<std::vector<Key>> keys = {{area, total, width},
                                        {total, area, width},
                                        {total, width, area},
                                        {width, area, total},
                                        {width, total, area}};
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
  for (uint64_t share = items.size() * 8000; limit.left; share *= 4)
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
