//===- CanonicalSearch.cpp - Items bottom up under a height ---------------===//
//
// Method:  MiniMalloc's canonical search (Moffitt, ASPLOS 2024). Items are
//          placed bottom up: each at the least offset that the placed items
//          allow, in ascending order of (offset, rank), so that every packing
//          is reached once. A node is cut off when
//          - an item must begin below the last one placed (not canonical);
//          - an item would begin above the end of another that could still go
//            below it (dominated);
//          - in some section of time the remaining items don't fit.
//          Ranges of time that no open item joins are solved one by one.
// Departs: - The remaining items of a section are packed as low as each may
//            begin, in ascending order, which counts the holes that nothing
//            can fill; MiniMalloc adds up their bytes from the lowest one.
//          - An item that failed at an offset needs another below it from
//            then on, so that it begins at the earliest where one of its open
//            neighbours can end.
//          - A failure knows the decisions that caused it, and the later ones
//            need not be tried again (conflict-directed backjumping, Prosser
//            1993), if Retreat::ToReason asks for it.
// Cost:    exponential; counted against the limit.
//
//===----------------------------------------------------------------------===//
#include "CanonicalSearch.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

Sections Sections::of(const std::vector<PackItem> &items) {
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
  result.count = cuts.empty() ? 0 : cuts.size() - 1;
  return result;
}

CanonicalSearch::CanonicalSearch(const std::vector<PackItem> &items,
                                 uint64_t height)
    : items(items), sections(Sections::of(items)), height(height),
      neighbours(items.size()), members(sections.count),
      conflict(items.size()) {
  for (uint32_t a = 0; a < items.size(); ++a)
    for (uint32_t b = 0; b < items.size(); ++b)
      if (a != b && items[a].meets(items[b]))
        neighbours[a].push_back(b);
  for (uint32_t id = 0; id < items.size(); ++id)
    for (uint32_t s = sections.first[id]; s <= sections.last[id]; ++s)
      members[s].push_back(id);
}

uint64_t CanonicalSearch::bytesIn(uint32_t section) const {
  uint64_t bytes = 0;
  for (uint32_t id : members[section])
    bytes += items[id].bytes;
  return bytes;
}

void CanonicalSearch::reset(const Ids &ranked) {
  size_t count = items.size();
  rank.resize(count);
  for (uint32_t at = 0; at < count; ++at)
    rank[ranked[at]] = at;
  for (std::vector<uint64_t> *values :
       {&least, &leastBy, &release, &releaseBy, &isPlaced})
    values->assign(count, 0);
  for (std::vector<uint64_t> *values : {&floor, &ceiling, &stamp, &failed})
    values->assign(sections.count, 0);
  left.clear();
  openCount.clear();
  for (uint32_t s = 0; s < sections.count; ++s) {
    left.push_back(bytesIn(s));
    openCount.push_back(members[s].size());
  }
  log.clear();
  lastFailed = 0;
}

ExactOutcome CanonicalSearch::run(const std::vector<uint32_t> &ranked,
                                  Retreat how, WorkLimit &limit) {
  reset(ranked);
  retreat = how;
  work = &limit;
  if (!left.empty() && *std::max_element(left.begin(), left.end()) > height)
    return ExactOutcome::Impossible;
  Ids all(items.size());
  std::iota(all.begin(), all.end(), 0);
  std::stable_sort(all.begin(), all.end(), [&](uint32_t a, uint32_t b) {
    return items[a].first < items[b].first;
  });
  return solveAll(all, {0, 0}, 1);
}

void CanonicalSearch::set(uint64_t &slot, uint64_t value) {
  log.push_back({&slot, slot});
  slot = value;
}

void CanonicalSearch::undo(size_t mark) {
  for (; log.size() > mark; log.pop_back())
    *log.back().first = log.back().second;
}

void CanonicalSearch::enter(const Node &node) {
  current = node;
  conflict.clear();
}

/// Splits open items (by first step) where none joins them, and solves the
/// ranges one by one: if one fails, all fail.
ExactOutcome CanonicalSearch::solveAll(const Ids &open, Position last,
                                       uint32_t level) {
  size_t mark = log.size();
  Ids range;
  for (size_t begin = 0; begin < open.size();) {
    Node node{last, level, sections.first[open[begin]],
              sections.last[open[begin]]};
    range.clear();
    for (;
         begin < open.size() && sections.first[open[begin]] <= node.lastSection;
         ++begin) {
      node.lastSection = std::max(node.lastSection, sections.last[open[begin]]);
      range.push_back(open[begin]);
    }
    ExactOutcome outcome = solve(range, node);
    if (outcome != ExactOutcome::Found) {
      undo(mark);
      return outcome;
    }
  }
  return ExactOutcome::Found;
}

ExactOutcome CanonicalSearch::solve(const Ids &open, const Node &node) {
  LevelSet reasons(items.size());
  size_t before = log.size();
  std::vector<Candidate> candidates = findCandidates(open, node.last);
  if (candidates.empty())
    reasons.add(node.level - 1);
  for (const Candidate &candidate : candidates) {
    if (!work->spend(open.size()))
      return ExactOutcome::LimitReached;
    size_t mark = log.size();
    enter(node);
    ExactOutcome outcome = descend(open, candidate);
    if (outcome != ExactOutcome::Impossible)
      return outcome;
    undo(mark);
    if (retreat == Retreat::ToReason && !conflict.has(node.level)) {
      undo(before);
      return ExactOutcome::Impossible; // for the same reasons
    }
    conflict.add(leastBy[candidate.id]);
    reasons.addAll(conflict);
    enter(node);
    bool mayWait = skip(candidate);
    reasons.addAll(conflict);
    if (!mayWait)
      break;
  }
  undo(before);
  conflict = std::move(reasons);
  conflict.remove(node.level);
  return ExactOutcome::Impossible;
}

/// Places one of the open items, then the others.
ExactOutcome CanonicalSearch::descend(const Ids &open,
                                      const Candidate &candidate) {
  uint32_t level = current.level;
  if (!place(candidate) || !restFits(candidate.at.offset))
    return ExactOutcome::Impossible;
  Ids rest;
  rest.reserve(open.size());
  for (uint32_t id : open)
    if (id != candidate.id)
      rest.push_back(id);
  return solveAll(rest, candidate.at, level + 1);
}

/// Returns the items worth placing next. Above the least end of another item,
/// an item would leave a hole that the other could fill.
std::vector<CanonicalSearch::Candidate>
CanonicalSearch::findCandidates(const Ids &open, Position last) const {
  uint64_t leastEnd = UINT64_MAX;
  for (uint32_t id : open)
    leastEnd =
        std::min(leastEnd, std::max(least[id], last.offset) + items[id].bytes);
  std::vector<Candidate> result;
  for (uint32_t id : open) {
    Candidate candidate{{least[id], rank[id]}, id};
    if (least[id] < leastEnd && !(candidate.at < last))
      result.push_back(candidate);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Returns false if something no longer fits under the height.
bool CanonicalSearch::place(const Candidate &candidate) {
  uint32_t id = candidate.id;
  uint64_t end = candidate.at.offset + items[id].bytes;
  if (end > height) {
    conflict.add(current.level);
    return false;
  }
  set(isPlaced[id], 1);
  for (uint32_t s = sections.first[id]; s <= sections.last[id]; ++s) {
    set(left[s], left[s] - items[id].bytes);
    set(openCount[s], openCount[s] - 1);
    std::swap(*std::find(members[s].begin(), members[s].end(), id),
              members[s][openCount[s]]);
  }
  if (!raiseNeighbours(id, end))
    return false;
  lowest = candidate.at.offset;
  raisedTo = end;
  ++epoch;
  // The last section to fail is likely to fail again.
  bool fit =
      (!isInNode(lastFailed) || sectionFits(lastFailed)) && sectionsFit(id);
  for (uint32_t other : neighbours[id])
    if (fit && !isPlaced[other] && least[other] == end)
      fit = sectionsFit(other);
  return fit;
}

bool CanonicalSearch::raiseNeighbours(uint32_t id, uint64_t end) {
  for (uint32_t other : neighbours[id]) {
    if (isPlaced[other] || least[other] >= end)
      continue;
    if (end + items[other].bytes > height) {
      conflict.add(current.level);
      return false;
    }
    set(least[other], end);
    set(leastBy[other], current.level);
    if (release[other] >= end)
      continue;
    set(release[other], end);
    set(releaseBy[other], current.level);
  }
  return true;
}

/// Records that no packing has the candidate here, so that it will rest on
/// another item and one of the open ones goes below it. Returns false if none
/// can.
bool CanonicalSearch::skip(const Candidate &candidate) {
  uint32_t id = candidate.id;
  uint64_t soonest = UINT64_MAX;
  work->spend(neighbours[id].size());
  for (uint32_t other : neighbours[id])
    if (!isPlaced[other])
      soonest =
          std::min(soonest, std::max(release[other], candidate.at.offset) +
                                items[other].bytes);
  if (soonest == UINT64_MAX)
    return false;
  if (soonest + items[id].bytes > height) {
    for (uint32_t other : neighbours[id])
      if (!isPlaced[other])
        conflict.add(releaseBy[other]);
    return false;
  }
  if (soonest <= release[id])
    return true;
  set(release[id], soonest);
  set(releaseBy[id], current.level);
  lowest = candidate.at.offset;
  raisedTo = soonest;
  ++epoch;
  return sectionsFit(id);
}

bool CanonicalSearch::sectionsFit(uint32_t id) {
  for (uint32_t s = sections.first[id]; s <= sections.last[id]; ++s)
    if (!sectionFits(s))
      return false;
  return true;
}

/// Returns true if the open members fit when each begins as low as it may, in
/// ascending order: no other order of them ends lower.
bool CanonicalSearch::sectionFits(uint32_t s) {
  if (stamp[s] == epoch || openCount[s] == 0)
    return true;
  stamp[s] = epoch;
  work->spend(1);
  if (ceiling[s] < raisedTo)
    set(ceiling[s], raisedTo);
  if (std::max(ceiling[s], lowest) + left[s] <= height)
    return true; // in any order
  work->spend(openCount[s]);
  sortByRelease(s);
  uint64_t top = lowest;
  for (uint32_t at = 0; at < openCount[s]; ++at) {
    uint32_t id = members[s][at];
    top = std::max(top, release[id]) + items[id].bytes;
  }
  if (top > height) {
    lastFailed = s;
    ++failed[s];
    blameSection(s);
    return false;
  }
  uint64_t found = release[members[s].front()];
  if (floor[s] != found)
    set(floor[s], found);
  return true;
}

/// By insertion, since little changes between calls.
void CanonicalSearch::sortByRelease(uint32_t s) {
  uint32_t *member = members[s].data();
  for (uint32_t at = 1; at < openCount[s]; ++at) {
    uint32_t id = member[at], to = at;
    for (; to > 0 && release[member[to - 1]] > release[id]; --to)
      member[to] = member[to - 1];
    member[to] = id;
  }
}

/// The members above the last hole don't fit above it: the reasons are the
/// decisions that keep them from going lower.
void CanonicalSearch::blameSection(uint32_t s) {
  uint64_t top = lowest;
  uint32_t begin = 0;
  for (uint32_t at = 0; at < openCount[s]; ++at) {
    uint32_t id = members[s][at];
    if (release[id] > top) {
      top = release[id];
      begin = at;
    }
    top += items[id].bytes;
  }
  if (begin == 0 && release[members[s].front()] < lowest)
    conflict.add(current.level);
  for (uint32_t at = begin; at < openCount[s]; ++at)
    conflict.add(releaseBy[members[s][at]]);
}

/// Returns true if the open items may still fit, given that none begins below
/// the last one.
bool CanonicalSearch::restFits(uint64_t lastOffset) {
  for (uint32_t s = current.firstSection; s <= current.lastSection; ++s) {
    uint64_t end = std::max(floor[s], lastOffset) + left[s];
    if (!left[s] || end <= height)
      continue;
    conflict.add(current.level);
    for (uint32_t at = 0; at < openCount[s]; ++at)
      conflict.add(releaseBy[members[s][at]]);
    return false;
  }
  return true;
}

} // namespace reprise::plan
