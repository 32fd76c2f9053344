//===- Frontier.cpp - Schedules for every budget --------------------------===//
//
// Input:   a graph, an order, an effort.
// Output:  schedules by increasing max-live and decreasing cost.
// Method:  the least peak first, in steps, which also shows whether the order
//          or the one in which the graph lists its ops does better; then
//          budgets at equal distances from there to the peak without
//          recomputation, each searched for itself, in groups that hand their
//          solution down; then each again from its neighbours' solutions; then
//          budgets in between, from those of both sides. What is not beaten in
//          bytes and time is kept. Which budget a user asks for plays no part,
//          so that more budget never costs more.
// Cost:    the searches: about ten seconds for a thousand ops on two threads
//          with work = 1.
//
//===----------------------------------------------------------------------===//
#include "../bounds/BoundSearch.h"
#include "../graph/ParallelTasks.h"
#include "../search/LeastBytes.h"
#include "../search/Search.h"
#include "../search/Seeds.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace reprise::plan {

static int64_t alignDown(int64_t bytes) {
  constexpr int64_t unit = kAlignment;
  return bytes / unit * unit;
}

namespace {

/// A sequence that fits what it is for.
struct Found {
  static constexpr Wide kUnknown = Wide(1) << 126;
  Sequence sequence;
  Wide cost = kUnknown;
  int64_t peak = INT64_MAX;
  int64_t bound = 0; // of every schedule with at most this peak
  Rank cut = kNone;  // which proves it
};

/// Lowers the peak of one order in steps, each from the schedule of the one
/// before, which is nearly there; steps shrink when one fails.
class Descent {
public:
  Descent(const Graph &graph, const std::vector<OpId> &order)
      : compact(makeCompact(graph, order)), plain(plainSequence(compact)) {
    Simulator simulator(compact, INT64_MAX / 4);
    simulator.settle(plain);
    found.push_back({plain, simulator.cost, simulator.peak});
  }

  /// Lowers the peak until a schedule has at most `enough` bytes. `proven`
  /// bytes are the least that any schedule takes. The schedules on the way do
  /// not depend on `enough`.
  void run(int64_t enough, int64_t proven, uint64_t iterations,
           uint32_t mostFailures, uint64_t seed) {
    enough = std::max(enough, proven);
    double step = 0.05;
    uint32_t failures = 0;
    for (; failures < mostFailures && least().peak > enough; ++seed) {
      if (least().sequence.size() > std::max(kSteps, compact.opCount() / 4 * 5))
        return offerSegments();
      int64_t peak = least().peak;
      int64_t scale = compact.scale(), scaled = peak / scale;
      int64_t target = static_cast<int64_t>(scaled - scaled * step) * scale;
      Search search(compact, std::max(proven, target), seed);
      search.offer(least().sequence, {});
      search.improve((failures ? 3 : 1) * iterations, 0,
                     [&] { return search.hasSolution(); });
      if (search.leastPeak() < peak)
        takeLowest(search);
      if (search.hasSolution())
        continue;
      ++failures;
      step /= 3;
    }
  }

  const Found &least() const { return found.back(); }
  const Found &withoutClones() const { return found.front(); }

  /// The schedule that just fits, or none.
  const Found *within(int64_t budget) const {
    for (const Found &each : found)
      if (each.peak <= budget)
        return &each;
    return nullptr;
  }

  CompactGraph compact;
  Sequence plain;
  std::vector<Found> found; // by falling peak

private:
  /// Longer sequences, of an order that doesn't do well, take too long.
  static constexpr uint32_t kSteps = 1500;
  static constexpr int64_t kMostParts = 256;

  /// Where most bytes live at once in order, by rank.
  Rank fullest() const {
    std::vector<int64_t> change(compact.opCount() + 1);
    for (StorageId id = 0; id < compact.storageCount(); ++id) {
      Rank producer = compact.producer[id];
      change[producer == kNone ? 0 : producer] += compact.bytes[id];
      if (!compact.livesToEnd[id] && !compact.readers[id].empty())
        change[compact.readers[id].back() + 1] -= compact.bytes[id];
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    return Rank(std::max_element(change.begin(), change.end() - 1) -
                change.begin());
  }

  /// Of what lives at the cut and can be computed again, storages that have
  /// about as many bytes between them; all that cannot.
  std::vector<bool> everySo(Rank cut, int64_t parts) const {
    std::vector<std::pair<Rank, StorageId>> passing;
    int64_t all = 0;
    for (StorageId id = 0; id < compact.storageCount(); ++id) {
      Rank producer = compact.producer[id];
      if (producer == kNone || producer > cut || compact.readers[id].empty() ||
          compact.readers[id].back() <= cut)
        continue;
      passing.push_back({producer, id});
      all += compact.bytes[id];
    }
    std::sort(passing.begin(), passing.end());
    std::vector<bool> isKept(compact.storageCount(), true);
    int64_t before = 0, last = 0;
    for (auto [producer, id] : passing) {
      before += compact.bytes[id];
      int64_t part = int64_t(Wide(before) * parts / std::max<int64_t>(all, 1));
      isKept[id] = part > last || !compact.canClone(producer);
      last = part;
    }
    return isKept;
  }

  /// Schedules with segments, as few as make a peak lower than any so far: for
  /// many ops, whose search would end before it has found as much.
  void offerSegments() {
    Rank cut = fullest();
    std::vector<Found> offers;
    for (int64_t parts = 4; parts <= kMostParts; parts += parts / 4) {
      Sequence sequence = recomputeBehind(compact, cut, everySo(cut, parts));
      if (sequence.empty())
        continue;
      Simulator simulator(compact, INT64_MAX / 4);
      simulator.settle(sequence);
      offers.push_back({simulator.steps, simulator.cost, simulator.peak});
    }
    std::stable_sort(
        offers.begin(), offers.end(),
        [](const Found &a, const Found &b) { return a.peak > b.peak; });
    for (Found &offer : offers)
      if (offer.peak < least().peak)
        found.push_back(std::move(offer));
  }

  void takeLowest(const Search &search) {
    Simulator simulator(compact, search.leastPeak());
    simulator.settle(search.lowest());
    found.push_back({simulator.steps, simulator.cost, simulator.peak});
  }
};

class FrontierSearch {
public:
  FrontierSearch(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options)
      : graph(graph), options(options), pace(paceOf(options.effort)) {
    descents.emplace_back(graph, order);
    listed.resize(order.size());
    std::iota(listed.begin(), listed.end(), 0);
    if (listed == order)
      listed.clear();
    else if (order.size() < kManyOps)
      descents.emplace_back(graph, listed);
    iterations =
        searchIterations(descents[0].compact, options.work / 2 * pace.search);
  }

  /// The schedules of the descents alone.
  std::vector<FrontierPoint> runWithin(int64_t budget) {
    if (graph.ops.empty())
      return {};
    descend(budget);
    chosen = &descents[0];
    for (const Descent &descent : descents)
      for (Found found : descent.found) {
        found.bound = descent.compact.totalCost();
        keep(descent, found);
      }
    return points();
  }

  std::vector<FrontierPoint> run() {
    if (graph.ops.empty())
      return {};
    descend(0);
    chosen = &chooseDescent();
    if (chosen != &descents[0])
      precedence = findPrecedence(graph, chosen->compact);
    setBudgets();
    results.resize(budgets.size());
    finish(0);
    uint32_t groups = (budgets.size() + kGroup - 1) / kGroup;
    runTasks(groups, options.threads, [&](uint32_t at) { searchGroup(at); });
    std::vector<Found> first = results;
    runTasks(budgets.size(), options.threads,
             [&](uint32_t at) { searchAgain(at, first); });
    std::vector<Found> between(pace.between * (results.size() - 1));
    runTasks(between.size(), options.threads, [&](uint32_t at) {
      between[at] = searchBetween(at / pace.between, at % pace.between + 1);
    });
    for (const std::vector<Found> *all : {&results, &between})
      for (const Found &found : *all)
        keep(*chosen, found);
    for (const Descent &descent : descents)
      for (Found found : descent.found) {
        // In between, the searches' points are better, and so is their bound.
        if (found.peak > budgetsFrom() && found.cost > plainCost())
          continue;
        found.bound = boundAt(found.peak);
        keep(descent, found);
      }
    return points();
  }

private:
  /// Shares of the work: a budget's first search, its second, one in between.
  static constexpr uint32_t kFirstPart = 6, kAgainPart = 6, kBetweenPart = 1;

  /// Tells that a part of the searches is done; the descents were a fifth.
  void finish(uint32_t part) {
    if (!options.progress)
      return;
    constexpr double descents = 0.2;
    double all = double(budgets.size()) *
                 (kFirstPart + kAgainPart + pace.between * kBetweenPart);
    options.progress(descents + (1 - descents) * double(done += part) / all);
  }

  static constexpr uint32_t kGroup = 5;

  struct Candidate {
    Found found;
    Executions executions, searched;
  };

  /// Leaves out what nobody reads. One that computes nothing again is the given
  /// order alone.
  void dropUnread(Candidate &candidate) const {
    Executions rest = withoutUnread(graph, candidate.executions);
    if (rest.size() == candidate.executions.size())
      return;
    Wide cost = 0;
    for (OpId op : rest)
      cost += picosecondsOf(graph.ops[op].cost);
    if (cost <= plainCost())
      return;
    candidate.found.cost = cost;
    candidate.found.peak = maxLiveOf(graph, rest);
    std::swap(candidate.executions, rest);
    candidate.searched = std::move(rest);
  }

  void keep(const Descent &order, const Found &found) {
    if (found.sequence.empty())
      return;
    Executions executions = executionsOf(graph, order.compact, found.sequence);
    candidates.push_back({found, std::move(executions), {}});
    dropUnread(candidates.back());
  }

  /// Down to what is proven, or to `enough` bytes.
  void descend(int64_t enough) {
    precedence = findPrecedence(graph, descents[0].compact);
    int64_t proven = findLeastBytes(descents[0].compact, precedence).bytes;
    // With many ops there is one descent, for which all threads wait.
    double twice = descents[0].compact.opCount() < kManyOps ? 2 : 1;
    uint64_t each = uint64_t(pace.descents * twice * double(iterations));
    runTasks(descents.size(), options.threads, [&](uint32_t at) {
      descents[at].run(enough, proven, each, pace.failures, options.seed);
    });
    if (descents.size() == 1 && !listed.empty() &&
        descents[0].least().peak > std::max(enough, proven + proven / 4)) {
      descents.emplace_back(graph, listed);
      descents[1].run(enough, proven, each, pace.failures, options.seed);
    }
  }

  static void takeIfBetter(Found &into, const Search &search) {
    if (search.hasSolution() && search.cost() < into.cost)
      into = {search.solution(), search.cost(), search.peak(), into.bound,
              into.cut};
  }

  int64_t budgetsFrom() const { return chosen->least().peak; }
  Wide plainCost() const { return chosen->withoutClones().cost; }

  /// The bound of the least budget that `peak` fits.
  int64_t boundAt(int64_t peak) const {
    int64_t bound = chosen->compact.totalCost();
    for (size_t at = 0; at < budgets.size() && peak <= budgets[at]; ++at)
      bound = results[at].bound;
    return bound;
  }

  /// The order whose descent costs less over the budgets of both.
  const Descent &chooseDescent() const {
    if (descents.size() == 1)
      return descents[0];
    int64_t from = std::max(descents[0].least().peak, descents[1].least().peak);
    int64_t to = std::min(descents[0].withoutClones().peak,
                          descents[1].withoutClones().peak);
    constexpr int64_t samples = 12;
    int64_t scale = descents[0].compact.scale();
    // The given order has the lower peak; another one must be worth it.
    constexpr double worth = 1.005;
    double firstCost = 0, secondCost = 0;
    for (int64_t at = 0; at < samples; ++at) {
      int64_t budget = from + (to - from) / scale / samples * at * scale;
      const Found *first = descents[0].within(budget);
      const Found *second = descents[1].within(budget);
      if (!first || !second)
        continue;
      firstCost += double(first->cost);
      secondCost += double(second->cost);
    }
    return descents[secondCost * worth < firstCost ? 1 : 0];
  }

  void setBudgets() {
    int64_t least = budgetsFrom(), scale = chosen->compact.scale();
    int64_t range = (chosen->withoutClones().peak - least) / scale;
    int64_t count =
        std::min(std::clamp(80 * std::sqrt(options.work), 10.0, 40.0),
                 double(pace.budgets));
    for (int64_t at = 0; at < count; ++at) {
      int64_t budget = least + alignDown(range / count * at) * scale;
      if (budgets.empty() || budget > budgets.back())
        budgets.push_back(budget);
    }
    std::reverse(budgets.begin(), budgets.end());
  }

  /// A cost at which a search may end: effort is better spent on budgets that
  /// are further from their bound.
  int64_t closeTo(int64_t bound) const {
    return bound + static_cast<int64_t>(bound * pace.closeEnough);
  }

  void searchGroup(uint32_t group) {
    const CompactGraph &compact = chosen->compact;
    BoundSearch bounds(compact, precedence);
    Sequence before = chosen->plain;
    uint32_t end = std::min<uint32_t>(budgets.size(), (group + 1) * kGroup);
    for (uint32_t at = group * kGroup; at < end; ++at) {
      Search search(compact, budgets[at], options.seed * 1000003 + at);
      BoundSearch::Result cut = bounds.find(budgets[at], 24);
      results[at].bound = compact.totalCost() + cut.answer.extra;
      results[at].cut = cut.cut;
      search.offer(before, {});
      if (const Found *fits = chosen->within(budgets[at]))
        search.offer(fits->sequence, {});
      if (cut.answer.feasible)
        for (double factor : {0.76, 0.87, 1.0, 1.15, 1.32})
          search.offer(recomputeBehind(compact, cut.cut,
                                       bounds.at(cut.cut).residentAt(factor)),
                       {});
      if ((at == group * kGroup && compact.opCount() < kManyOps) ||
          !search.hasSolution())
        search.offerSeeds();
      search.offer(chosen->least().sequence, {});
      search.improve(iterations, closeTo(results[at].bound), {});
      takeIfBetter(results[at], search);
      before = search.solution();
      finish(kFirstPart);
    }
  }

  void searchAgain(uint32_t at, const std::vector<Found> &first) {
    const CompactGraph &compact = chosen->compact;
    Search search(compact, budgets[at], options.seed * 1000033 + at + 1);
    uint32_t from = at < 2 ? 0 : at - 2;
    uint32_t to = std::min<uint32_t>(at + 3, first.size());
    for (uint32_t other = from; other < to; ++other)
      search.offer(first[other].sequence, {});
    // More for budgets that are far from their bound: the tight ones.
    constexpr double far = 0.01;
    int64_t bound = first[at].bound;
    bool isFar = search.cost() > bound + bound * far;
    bool isLarge = compact.opCount() >= kManyOps;
    search.improve((isFar && !isLarge ? 3 : 1) * iterations, closeTo(bound),
                   {});
    takeIfBetter(results[at], search);
    finish(kAgainPart);
  }

  /// A budget between the one at `above` and the next lower one: their
  /// solutions, and little search.
  Found searchBetween(uint32_t above, int64_t part) {
    int64_t low = budgets[above + 1], high = budgets[above];
    int64_t scale = chosen->compact.scale();
    int64_t more = (high - low) / scale / (pace.between + 1) * part;
    Search search(chosen->compact, low + alignDown(more) * scale,
                  options.seed * 1000081 + pace.between * above + part);
    search.offer(results[above + 1].sequence, {});
    search.offer(results[above].sequence, {});
    Found found;
    found.cut = results[above].cut;
    CutRelaxation::Answer proof =
        CutRelaxation(chosen->compact, precedence, found.cut)
            .bound(search.budget());
    found.bound = std::max(results[above].bound,
                           chosen->compact.totalCost() + proof.extra);
    search.improve(iterations / 6, closeTo(found.bound), {});
    takeIfBetter(found, search);
    finish(kBetweenPart);
    return found;
  }

  /// What no candidate beats, with its bound.
  std::vector<FrontierPoint> points() {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate &a, const Candidate &b) {
                       return std::tie(a.found.peak, a.found.cost) <
                              std::tie(b.found.peak, b.found.cost);
                     });
    std::vector<FrontierPoint> result;
    Wide cheapest = Found::kUnknown;
    for (Candidate &candidate : candidates) {
      const Found &found = candidate.found;
      bool isBeaten = found.cost >= cheapest;
      if (isBeaten)
        continue;
      cheapest = found.cost;
      FrontierPoint point;
      point.solution.executions = std::move(candidate.executions);
      point.searched = std::move(candidate.searched);
      point.solution.milliseconds = costOf(graph, point.solution.executions);
      point.solution.maxLive = found.peak;
      point.solution.solver = "search";
      point.boundMilliseconds = found.bound / CompactGraph::kPerMillisecond;
      result.push_back(std::move(point));
    }
    // What holds for more bytes holds for fewer.
    for (size_t at = result.size(); at-- > 1;)
      result[at - 1].boundMilliseconds = std::max(
          result[at - 1].boundMilliseconds, result[at].boundMilliseconds);
    return result;
  }

  const Graph &graph;
  const SolverOptions &options;
  const Pace pace;
  std::vector<OpId> listed;      // the graph's own order, if another one
  std::vector<Descent> descents; // of the order, and of the graph's own
  const Descent *chosen = nullptr;
  Precedence precedence; // in the chosen order
  uint64_t iterations;
  std::vector<int64_t> budgets; // falling
  std::vector<Found> results;   // by budget
  std::vector<Candidate> candidates;
  std::atomic<uint64_t> done{0};
};

} // namespace

std::vector<FrontierPoint> computeFrontier(const Graph &graph,
                                           const std::vector<OpId> &order,
                                           const SolverOptions &options) {
  return FrontierSearch(graph, order, options).run();
}

std::vector<FrontierPoint> searchWithin(const Graph &graph,
                                        const std::vector<OpId> &order,
                                        const SolverOptions &options) {
  uint64_t most = std::min<uint64_t>(options.budgetBytes, INT64_MAX);
  return FrontierSearch(graph, order, options).runWithin(int64_t(most));
}

} // namespace reprise::plan
