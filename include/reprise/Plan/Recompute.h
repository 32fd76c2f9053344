//===- Recompute.h - Schedules that compute values again --------*- C++ -*-===//
//
// A schedule with recomputation is a sequence of executions: every op of the
// graph occurs, and ops that are no effects may occur again. A reader takes
// the newest execution of what it reads; a value's bytes are free between its
// last reader and its next execution.
//
//   executions   a b c d a' e        e reads a: from a', so that a's bytes are
//   a            ####    ####        free while d runs
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLAN_RECOMPUTE_H
#define REPRISE_PLAN_RECOMPUTE_H

#include "reprise/Plan/Effort.h"
#include "reprise/Plan/Schedule.h"

#include <functional>
#include <memory>

namespace reprise::plan {

/// Ops in the order they run, clones included.
using Executions = std::vector<OpId>;

/// Says why `executions` is no schedule of `graph`, or "": ops in range, each
/// at least once, effects exactly once, inputs computed before they are read,
/// Op::after and Op::overwrites kept.
std::string checkExecutions(const Graph &graph, const Executions &executions);

/// A graph in which every execution is an op of its own, in the order it runs,
/// so that liveness, placement and their validator apply.
struct UnrolledGraph {
  Graph graph;
  std::vector<OpId> opOf;       // by unrolled op: the op it executes
  std::vector<bool> isClone;    // by unrolled op: not the op's first execution
  std::vector<ValueId> valueOf; // by unrolled value
};

/// `executions` must have passed checkExecutions.
UnrolledGraph unroll(const Graph &graph, const Executions &executions);

/// Milliseconds of the executions, from a sum of whole picoseconds.
double costOf(const Graph &graph, const Executions &executions);

/// Most bytes live at once, by computeLiveness on the unrolled graph.
uint64_t maxLiveOf(const Graph &graph, const Executions &executions);

/// Runs `order` (each op once); what is not kept is dropped after its last
/// reader in the forward pass and computed again, with whatever of its inputs
/// is missing, in front of the first op of the backward pass that reads it.
/// `kept` is by ValueId; values of effects and views are kept as they must be.
Executions recomputeOnDemand(const Graph &graph, const std::vector<OpId> &order,
                             const std::vector<bool> &kept);

//===----------------------------------------------------------------------===//
// Solvers
//===----------------------------------------------------------------------===//

struct SolverOptions {
  /// Most bytes live at once: what is placed, without fixed storage.
  uint64_t budgetBytes = UINT64_MAX;
  /// Seconds of wall clock; 0 leaves only `work`, and the result is then the
  /// same on every machine.
  double timeLimitSeconds = 0;
  /// Effort of searches: 1 is a few seconds for a thousand ops. A search with
  /// more finds something else, which may be worse; see workLevels.
  double work = 1;
  /// The part of that work to do. A lower effort leaves out what seldom finds a
  /// better plan.
  Effort effort = Effort::Thorough;
  unsigned threads = 1;
  uint64_t seed = 0;
  /// Told by computeFrontier the part of its searches that is done, from 0 to
  /// 1, by any of its threads; may be empty.
  std::function<void(double)> progress;
};

struct Solution {
  Executions executions; // empty: none was found within the budget
  double milliseconds = 0;
  uint64_t maxLive = 0;
  std::string solver; // which one found it
  /// More SolverOptions::work comes to the same. False where that is not known.
  bool isFinal = false;
};

/// One way to choose what is computed again. `order` holds each op once and is
/// valid; first executions keep it.
class Solver {
public:
  virtual ~Solver();
  virtual std::string name() const = 0;
  virtual Solution solve(const Graph &graph, const std::vector<OpId> &order,
                         const SolverOptions &options) const = 0;
};

/// "none", "segments=N", "sqrt", "chen", "threshold", "revolve", "rotor",
/// "eviction", "cut", "search" or "auto"; null for another name.
std::unique_ptr<Solver> createSolver(const std::string &name);

/// The names createSolver knows, for help and errors.
std::vector<std::string> solverNames();

/// Without executions whose results nobody reads before the op is executed
/// again, where the rest is a schedule of no higher max-live.
Executions withoutUnread(const Graph &graph, Executions executions);

/// A schedule that no other one found beats in both bytes and time.
struct FrontierPoint {
  Solution solution;
  /// Of any schedule within this point's max-live, see lowerBound.
  double boundMilliseconds = 0;
  /// What a search found, in its order, if that is more than the solution's:
  /// with ops that nobody reads before they are executed again.
  Executions searched;

  const Executions &start() const {
    return searched.empty() ? solution.executions : searched;
  }
};

/// Schedules from the least bytes found to no recomputation, by increasing
/// max-live and strictly decreasing cost. Budgets between two points take the
/// lower one, so that cost and peak are monotone in the budget. Same input,
/// same result, whatever the number of threads.
std::vector<FrontierPoint> computeFrontier(const Graph &graph,
                                           const std::vector<OpId> &order,
                                           const SolverOptions &options);

/// Returns the start of a frontier: schedules from no recomputation on towards
/// fewer bytes, up to the first one within options.budgetBytes, if the search
/// finds one.
std::vector<FrontierPoint> searchWithin(const Graph &graph,
                                        const std::vector<OpId> &order,
                                        const SolverOptions &options);

/// Searches longer between two neighbours of a frontier, for schedules that
/// cost less than `below` and more than `above`, by increasing max-live, from
/// that of `below` on, and decreasing cost.
std::vector<FrontierPoint> searchBetween(const Graph &graph,
                                         const FrontierPoint &below,
                                         const FrontierPoint &above,
                                         const SolverOptions &options);

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

/// What no schedule can beat, whatever its order and recomputation.
struct LowerBound {
  bool feasible = true;    // false: no schedule lives in the budget
  double milliseconds = 0; // of a whole step, when feasible
  OpId cut = kNone;        // at whose first execution the proof looks
  /// Milliseconds that one more MiB of budget saves at most, near this budget.
  double millisecondsPerMiB = 0;
  /// Values that must be live at the cut, largest first.
  std::vector<ValueId> pinned;
};

/// The price of memory that a bound says, in whole picoseconds, rounded up: one
/// more MiB saves at most that.
uint64_t priceOf(const LowerBound &bound);

/// Source: minimum over what is resident at an op's first execution and what
/// is executed again later, relaxed by a Lagrange multiplier on the bytes and
/// solved as minimum-weight closures by integer maximum flow (docs/plan.md).
/// More `work` never proves less, see workLevels.
LowerBound lowerBound(const Graph &graph, uint64_t budgetBytes,
                      double work = 1);

/// The efforts that `work` stands for, rising: 1/64, 1/8, 1, 2, 4 and so on, up
/// to `work`, and at least the first. Whoever tries each and takes the best has
/// done with more work all that less would have done.
std::vector<double> workLevels(double work);

/// The most ops of a graph all of whose schedules are searched.
constexpr uint32_t kExhaustiveOps = 12;

struct ExhaustiveResult {
  Solution solution; // no executions: none was accepted
  /// Without a solution: no schedule lives in the budget. False for what is too
  /// large to search.
  bool isComplete = false;
};

/// The cheapest schedule within `budgetBytes` of max-live that `accept` takes.
/// First executions are in `order`, or in any order where it is empty.
ExhaustiveResult
searchExhaustively(const Graph &graph, const std::vector<OpId> &order,
                   uint64_t budgetBytes,
                   const std::function<bool(const Executions &)> &accept);

/// The least max-live of all schedules, by the same search; nothing for a graph
/// that is too large.
std::optional<uint64_t> leastOfAll(const Graph &graph,
                                   const std::vector<OpId> &order);

/// Says how a bound and the cost of a schedule within the same budget
/// contradict each other, or "". One of the two is wrong then, by an error of
/// this library, and nothing that rests on either may be used.
std::string checkBound(const LowerBound &bound, double milliseconds);

/// The same for the points of computeFrontier.
std::string checkBounds(const std::vector<FrontierPoint> &points);

/// Bytes that every schedule needs at some op, and where: the sum of the op's
/// workspace and of what is pinned, each rounded up to kAlignment.
struct ByteBound {
  uint64_t bytes = 0;
  OpId cut = kNone;
  /// Largest first. Of an output that takes over an input's bytes the input.
  std::vector<ValueId> pinned;
  uint64_t workspaceBytes = 0;
};
ByteBound lowestBytes(const Graph &graph);

/// The same as checkBound, for the bytes of any schedule.
std::string checkByteBound(const ByteBound &bound, uint64_t bytes);

//===----------------------------------------------------------------------===//
// Placed plans
//===----------------------------------------------------------------------===//

constexpr uint64_t kNoOffset = UINT64_MAX;

/// One execution with its addresses. Offsets are in bytes, multiples of
/// kAlignment.
struct PlanStep {
  OpId op = kNone;
  uint64_t workspaceOffset = kNoOffset;
  std::vector<uint64_t> outputOffsets; // kNoOffset: fixed, a view or no bytes
  std::vector<ValueId> frees;          // storages given back after this step
};

struct Plan {
  std::vector<PlanStep> steps;
  std::vector<uint64_t> inputOffsets; // by ValueId of Input values
  uint64_t maxLive = 0;
  uint64_t height = 0; // bytes of the area, at least maxLive
  double milliseconds = 0;
  std::string solver, strategy;
};

/// Bytes of the area that a plan's steps touch: its height, less what the last
/// bytes are rounded up by, which is less than kAlignment.
uint64_t touchedHeight(const Graph &graph, const Plan &plan);

/// Places `executions` with at most `placementWork`, see placeBuffers, and at
/// most an effort's share of placementWorkOf their buffers.
Plan makePlan(const Graph &graph, const Executions &executions,
              uint64_t placementWork = kPlacementWork,
              Effort effort = Effort::Thorough);

/// The same in exactly `capacity` bytes, a multiple of kAlignment, for a
/// quarter of that work at most: finds soon what it finds at all. Where fewer
/// would do, the highest buffers are moved up to the end.
std::optional<Plan> makePlanWithin(const Graph &graph,
                                   const Executions &executions,
                                   uint64_t capacity,
                                   Effort effort = Effort::Thorough);

/// A point of a frontier with its bytes placed. The schedule may be another one
/// of at most the point's max-live.
struct PlacedPoint {
  Solution solution;
  Plan plan;
};

/// Places points[at]. While what the placement wastes is worth it, searches for
/// other schedules of the point's bytes and places them: some pack without
/// loss. They cost less than the point before and more than the point behind,
/// and end exactly at the point's bytes, so that costs fall strictly along a
/// frontier whose points are all placed, and no point ends below its bytes.
PlacedPoint placePoint(const Graph &graph,
                       const std::vector<FrontierPoint> &points, size_t at,
                       const SolverOptions &options);

/// Runs the plan on paper: dependences present, effects once, bytes disjoint,
/// nothing read after it was given back, peak, height and cost as claimed.
/// Returns what is wrong, or "". Shares no code with what makes plans.
std::string validatePlan(const Graph &graph, const Plan &plan);

} // namespace reprise::plan

#endif // REPRISE_PLAN_RECOMPUTE_H
