//===- SearchSolvers.cpp - Solvers that search for one budget -------------===//
//
// Input:   a graph, an order, a budget, an effort or a time limit.
// Output:  the cheapest schedule found within the budget.
// Method:  eviction: every setting of the powers, pruned. cut: what the best
//          cuts of the lower bound keep, repaired. search: large
//          neighbourhoods from those and from the plain order. auto: search on
//          every thread, restarted from the best of all, until the bound is
//          met or the effort is spent.
// Cost:    see Search.cpp; with a time limit until that is over.
//
//===----------------------------------------------------------------------===//
#include "../bounds/BoundSearch.h"
#include "../graph/ParallelTasks.h"
#include "Search.h"
#include "Seeds.h"
#include "Solvers.h"

#include <algorithm>
#include <chrono>

namespace reprise::plan {

namespace {

/// A graph made ready for searches for one budget.
struct Prepared {
  Prepared(const Graph &graph, const std::vector<OpId> &order,
           const SolverOptions &options)
      : graph(graph), compact(makeCompact(graph, order)),
        precedence(findPrecedence(graph, compact)),
        budget(std::min<uint64_t>(options.budgetBytes, INT64_MAX / 4)) {}

  /// `isFinal`: nothing depended on the work so far.
  Solution finish(const Search &search, const std::string &solver,
                  bool isFinal) const {
    Solution solution;
    if (!search.hasSolution())
      return solution;
    solution.executions = executionsOf(graph, compact, search.solution());
    solution.milliseconds = costOf(graph, solution.executions);
    solution.maxLive = search.peak();
    solution.solver = solver;
    solution.isFinal = isFinal;
    return solution;
  }

  const Graph &graph;
  CompactGraph compact;
  Precedence precedence;
  int64_t budget;
};

} // namespace

static void offerEvictions(const Prepared &problem, Search &search) {
  for (double distancePower : {0.0, 0.5, 1.0, 2.0})
    for (double costPower : {0.5, 1.0, 1.5})
      search.offer(
          evict(problem.compact, problem.budget, {distancePower, costPower}),
          {});
}

/// A condition that a cost meets which no schedule can beat.
using IsEnough = std::function<bool(int64_t bound)>;

/// Returns the cost that no schedule can beat. Ends early where `isEnough`.
static int64_t offerCuts(const Prepared &problem, Search &search,
                         const IsEnough &isEnough) {
  int64_t bound = problem.compact.totalCost();
  if (problem.compact.opCount() == 0)
    return bound;
  BoundSearch bounds(problem.compact, problem.precedence);
  BoundSearch::Result best = bounds.find(problem.budget, 48);
  if (!best.answer.feasible)
    return bound;
  std::vector<double> factors = {0.66, 0.76, 0.87, 1.0, 1.15, 1.32, 1.52};
  if (problem.compact.opCount() >= kManyOps) {
    // A stronger proof ends the search sooner; the likeliest factors first.
    best.answer = bounds.prove(best, problem.budget, 0.1);
    if (!best.answer.feasible)
      return bound;
    factors = {1.0, 0.87, 1.15, 0.76, 1.32, 0.66, 1.52};
  }
  CutRelaxation &relaxation = bounds.at(best.cut);
  relaxation.bound(problem.budget);
  bound += best.answer.extra;
  for (double factor : factors) {
    if (isEnough(bound))
      break;
    search.offer(recomputeBehind(problem.compact, best.cut,
                                 relaxation.residentAt(factor)),
                 {});
  }
  return bound;
}

namespace {

class EvictionSolver : public Solver {
public:
  std::string name() const override { return "eviction"; }
  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    Prepared problem(graph, order, options);
    Search search(problem.compact, problem.budget, options.seed);
    offerEvictions(problem, search);
    return problem.finish(search, name(), true);
  }
};

class CutSolver : public Solver {
public:
  std::string name() const override { return "cut"; }
  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    Prepared problem(graph, order, options);
    Search search(problem.compact, problem.budget, options.seed);
    search.offer(plainSequence(problem.compact), {});
    offerCuts(problem, search, [](int64_t) { return false; });
    return problem.finish(search, name(), true);
  }
};

/// The cost at which a search ends: the bound, or with less effort one close to
/// it.
static int64_t enoughOf(int64_t bound, Effort effort) {
  if (effort == Effort::Thorough)
    return bound;
  return bound + int64_t(double(bound) * paceOf(effort).closeEnough);
}

/// Says when a time limit is over; never without one.
class Deadline {
public:
  explicit Deadline(double seconds)
      : isSet(seconds > 0),
        end(std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                std::chrono::duration<double>(seconds))) {}
  bool isOver() const {
    return isSet && std::chrono::steady_clock::now() >= end;
  }
  const bool isSet;

private:
  std::chrono::steady_clock::time_point end;
};

class SearchSolver : public Solver {
public:
  /// `restarts` independent searches, then as many from the best of them.
  SearchSolver(std::string name, unsigned restarts)
      : label(std::move(name)), restarts(restarts) {}
  std::string name() const override { return label; }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    Deadline deadline(options.timeLimitSeconds);
    Prepared problem(graph, order, options);
    Search best(problem.compact, problem.budget, options.seed);
    best.offer(plainSequence(problem.compact), {});
    // One start of a graph of many ops takes seconds.
    bool isLarge = problem.compact.opCount() >= kManyOps;
    auto isEnough = [&](int64_t bound) {
      return deadline.isOver() ||
             (isLarge && best.hasSolution() &&
              best.cost() <= enoughOf(bound, options.effort));
    };
    int64_t bound = offerCuts(problem, best, isEnough);
    best.offerSeeds([&] { return isEnough(bound); });
    int64_t enough = enoughOf(bound, options.effort);
    constexpr int rounds = 2;
    int round = 0;
    for (; round < rounds || deadline.isSet; ++round) {
      if ((best.hasSolution() && best.cost() <= enough) || deadline.isOver())
        break;
      improveInParallel(problem, best, enough, round, options, deadline);
    }
    return problem.finish(best, name(), round == 0);
  }

private:
  void improveInParallel(const Prepared &problem, Search &best, int64_t enough,
                         int round, const SolverOptions &options,
                         const Deadline &deadline) const {
    std::vector<Sequence> found(restarts);
    double work = options.work * paceOf(options.effort).search;
    runTasks(restarts, options.threads, [&](uint32_t at) {
      Search search(problem.compact, problem.budget,
                    options.seed * 7919 + 64 * (round + 1) + at);
      search.offer(best.solution(), {});
      search.offer(plainSequence(problem.compact),
                   {MissingInput::Recompute, 1.0, 0.2});
      search.improve(4 * searchIterations(problem.compact, work), enough,
                     [&] { return deadline.isOver(); });
      found[at] = search.solution();
    });
    for (const Sequence &sequence : found)
      best.offer(sequence, {});
  }

  std::string label;
  unsigned restarts;
};

} // namespace

std::unique_ptr<Solver> createEviction() {
  return std::make_unique<EvictionSolver>();
}
std::unique_ptr<Solver> createCut() { return std::make_unique<CutSolver>(); }
std::unique_ptr<Solver> createSearch() {
  return std::make_unique<SearchSolver>("search", 1);
}
std::unique_ptr<Solver> createAuto() {
  return std::make_unique<SearchSolver>("auto", 2);
}

} // namespace reprise::plan
