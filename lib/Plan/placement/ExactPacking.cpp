//===- ExactPacking.cpp - Complete search under a fixed height ------------===//
//
// Method:  a canonical search is either quick or hopeless, depending on the
//          ranking of the items. So many rankings are tried, each with little
//          work: first MiniMalloc's (Moffitt, ASPLOS 2024), then the same keys
//          perturbed at random, with the sections of time in which the searches
//          so far have failed before the others (after dom/wdeg, Boussemart et
//          al. 2004). These searches retreat to the reason of a failure and
//          prove nothing; a fifth of the work goes to searches that do.
// Cost:    exponential; counted against the limit.
//
//===----------------------------------------------------------------------===//
#include "../graph/Random.h"
#include "../search/CanonicalSearch.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace reprise::plan {

namespace {

/// The rankings to try, one after the other.
class Rankings {
public:
  Rankings(const std::vector<PackItem> &items, const CanonicalSearch &search)
      : items(items), search(search), failures(search.countSections(), 0) {}

  /// The number of rankings after which the same keys come again.
  static constexpr uint32_t round = 5;

  std::vector<uint32_t> next() {
    std::vector<Keys> keys = findKeys();
    std::array<double Keys::*, 3> by = sequences[count++ % round];
    std::vector<uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      for (double Keys::*key : by)
        if (keys[a].*key != keys[b].*key)
          return keys[a].*key > keys[b].*key;
      return false;
    });
    return order;
  }

  /// Learns from the failures of a search, by section. Older ones count less.
  void learn(const std::vector<uint64_t> &latest) {
    constexpr double memory = 0.9;
    for (size_t s = 0; s < failures.size(); ++s)
      failures[s] = memory * failures[s] + double(latest[s]);
  }

private:
  /// MiniMalloc's keys: life, bytes in the fullest section, area.
  struct Keys {
    double width, total, area;
  };

  std::vector<Keys> findKeys() {
    std::vector<Keys> result;
    for (const PackItem &item : items) {
      double width = double(item.steps());
      result.push_back({width, 0, width * double(item.bytes)});
    }
    bool isFirstRound = count < round;
    double most = 0;
    for (double failed : failures)
      most = std::max(most, failed);
    for (uint32_t s = 0; s < failures.size(); ++s) {
      double bytes = double(search.bytesIn(s));
      if (!isFirstRound && most > 0)
        bytes *= 1 + failures[s] / most;
      for (uint32_t id : search.membersOf(s))
        result[id].total = std::max(result[id].total, bytes);
    }
    if (!isFirstRound)
      for (Keys &keys : result)
        drawApart(keys);
    return result;
  }

  /// Perturbs the keys so that neighbours in a ranking change places while the
  /// fullest sections stay before the others.
  void drawApart(Keys &keys) {
    keys.width *= 1 + 0.3 * random.fraction();
    keys.area *= 1 + 0.3 * random.fraction();
    keys.total *= 1 + 0.03 * random.fraction();
  }

  static constexpr std::array<double Keys::*, 3> sequences[round] = {
      {&Keys::area, &Keys::total, &Keys::width},
      {&Keys::total, &Keys::area, &Keys::width},
      {&Keys::total, &Keys::width, &Keys::area},
      {&Keys::width, &Keys::area, &Keys::total},
      {&Keys::width, &Keys::total, &Keys::area}};

  const std::vector<PackItem> &items;
  const CanonicalSearch &search;
  std::vector<double> failures; // by section
  uint32_t count = 0;
  Random random;
};

} // namespace

/// One search with at most `share` of the limit.
static ExactOutcome searchOnce(CanonicalSearch &search, Rankings &rankings,
                               Retreat retreat, uint64_t share,
                               WorkLimit &limit) {
  std::vector<uint32_t> ranking = rankings.next();
  uint64_t allowed = std::min(share, limit.left);
  WorkLimit part{allowed};
  ExactOutcome outcome = search.run(ranking, retreat, part);
  limit.spend(allowed - part.left);
  rankings.learn(search.failures());
  bool isProof = retreat == Retreat::StepByStep;
  return outcome == ExactOutcome::Impossible && !isProof
             ? ExactOutcome::LimitReached
             : outcome;
}

static ExactOutcome searchInTurn(CanonicalSearch &search, Rankings &rankings,
                                 uint64_t share, WorkLimit &limit) {
  uint64_t proofShare = share, begin = limit.left;
  uint64_t spentOnProofs = 0;
  ExactOutcome outcome = ExactOutcome::LimitReached;
  while (limit.left && outcome == ExactOutcome::LimitReached) {
    for (uint32_t at = 0; at < Rankings::round && limit.left &&
                          outcome == ExactOutcome::LimitReached;
         ++at)
      outcome = searchOnce(search, rankings, Retreat::ToReason, share, limit);
    share += share / 10;
    constexpr uint64_t partOfProofs = 5;
    uint64_t spent = begin - limit.left;
    if (outcome != ExactOutcome::LimitReached || !limit.left ||
        (spentOnProofs && (spentOnProofs + proofShare) * partOfProofs > spent))
      continue;
    uint64_t before = limit.left;
    outcome =
        searchOnce(search, rankings, Retreat::StepByStep, proofShare, limit);
    spentOnProofs += before - limit.left;
    proofShare *= 2;
  }
  return outcome;
}

ExactOutcome packExactly(const std::vector<PackItem> &items, uint64_t height,
                         WorkLimit &limit, Packing &result) {
  CanonicalSearch search(items, height);
  Rankings rankings(items, search);
  // Enough to reach the bottom, which visits each section once an item.
  constexpr uint64_t looksAtAnItem = 4000;
  uint64_t descent = 0;
  for (uint32_t s = 0; s < search.countSections(); ++s)
    descent += search.membersOf(s).size() * search.membersOf(s).size();
  uint64_t share = std::max(items.size() * looksAtAnItem, descent);
  ExactOutcome outcome = searchInTurn(search, rankings, share, limit);
  if (outcome != ExactOutcome::Found)
    return outcome;
  result.offsets = search.offsets();
  result.height = 0;
  for (uint32_t id = 0; id < items.size(); ++id)
    result.height =
        std::max(result.height, result.offsets[id] + items[id].bytes);
  return outcome;
}

} // namespace reprise::plan
