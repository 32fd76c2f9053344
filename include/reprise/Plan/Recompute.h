//===- Recompute.h - Schedules that recompute values ------------*- C++ -*-===//
//
// A schedule with recomputation is a sequence of executions: every op of the
// graph occurs, and ops that need not run once may occur again. A reader takes
// the newest execution of its operand; a value's bytes are free between its
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

/// Returns why `executions` is no schedule of `graph`, or "": ops in range,
/// each at least once, ops that run once exactly once, inputs computed before
/// they are read, Op::after and Op::overwrites observed.
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

/// The most live bytes, by computeLiveness on the unrolled graph.
uint64_t maxLiveOf(const Graph &graph, const Executions &executions);

/// Runs `order` (each op once); a value that is not kept is dropped after its
/// last reader in the forward pass and recomputed, with whatever of its inputs
/// is missing, before the first op of the backward pass that reads it. `kept`
/// is by ValueId; values of ops that run once and views are kept as required.
Executions recomputeOnDemand(const Graph &graph, const std::vector<OpId> &order,
                             const std::vector<bool> &kept);

//===----------------------------------------------------------------------===//
// Solvers
//===----------------------------------------------------------------------===//

struct SolverOptions {
  /// The limit on live bytes, without fixed storage.
  uint64_t budgetBytes = UINT64_MAX;
  /// Seconds of wall clock; 0 leaves only `work`, and the result is then the
  /// same on every machine.
  double timeLimitSeconds = 0;
  /// Effort of searches: 1 is a few seconds for a thousand ops. A search with
  /// more may return another schedule, even a worse one; see workLevels.
  double work = 1;
  /// The part of that work to do. A lower effort skips searches that seldom
  /// find a better plan.
  Effort effort = Effort::Thorough;
  unsigned threads = 1;
  uint64_t seed = 0;
  /// Called by computeFrontier with the completed share of its searches, from 0
  /// to 1, from any of its threads; may be empty.
  std::function<void(double)> progress;
};

struct Solution {
  Executions executions; // empty: none was found within the budget
  double milliseconds = 0;
  uint64_t maxLive = 0;
  std::string solver; // the name of the solver that found it
  /// True if more SolverOptions::work is known to give the same result.
  bool isFinal = false;
};

/// A strategy that chooses the ops to recompute. `order` holds each op once and
/// is valid; first executions keep it.
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

/// Removes executions whose results are not read before the op is executed
/// again, if the rest is a schedule of no higher max-live.
Executions withoutUnread(const Graph &graph, Executions executions);

/// A schedule for which the search found no other with both fewer bytes and
/// less time.
struct FrontierPoint {
  Solution solution;
  /// A bound on any schedule within this point's max-live, see lowerBound.
  double boundMilliseconds = 0;
  /// The executions as the search found them, if they are more than the
  /// solution's: with those that are not read before the op is executed again.
  Executions searched;

  const Executions &start() const {
    return searched.empty() ? solution.executions : searched;
  }
};

/// Schedules from the fewest bytes found to no recomputation, by increasing
/// max-live and strictly decreasing cost. Budgets between two points take the
/// lower one, so that cost and peak are monotone in the budget. The same input
/// gives the same result, whatever the number of threads.
std::vector<FrontierPoint> computeFrontier(const Graph &graph,
                                           const std::vector<OpId> &order,
                                           const SolverOptions &options);

/// Returns the start of a frontier: schedules from no recomputation towards
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

/// A bound that no schedule can beat, whatever its order and recomputation.
struct LowerBound {
  bool feasible = true;    // false: no schedule fits the budget
  double milliseconds = 0; // of a whole step, when feasible
  OpId cut = kNone;        // the op at whose first execution the proof applies
  /// The most milliseconds that one more MiB of budget saves, near this budget.
  double millisecondsPerMiB = 0;
  /// Values that must be live at the cut, largest first.
  std::vector<ValueId> pinned;
};

/// The price of memory at a bound: the most whole picoseconds that one more MiB
/// saves, rounded up.
uint64_t priceOf(const LowerBound &bound);

/// Source: minimum over the values resident at an op's first execution and the
/// ops recomputed later, relaxed by a Lagrange multiplier on the bytes and
/// solved as minimum-weight closures by integer maximum flow (docs/plan.md).
/// More `work` never proves less, see workLevels.
LowerBound lowerBound(const Graph &graph, uint64_t budgetBytes,
                      double work = 1);

/// The levels of effort up to `work`, rising: 1/64, 1/8, 1, 2, 4 and so on, at
/// least the first. A caller that tries each level and takes the best result
/// never gets a worse one with more work.
std::vector<double> workLevels(double work);

/// The most ops of a graph that is searched exhaustively.
constexpr uint32_t kExhaustiveOps = 12;

struct ExhaustiveResult {
  Solution solution; // no executions: none was accepted
  /// Without a solution: no schedule fits the budget. False if the graph is too
  /// large to search.
  bool isComplete = false;
};

/// The cheapest schedule within `budgetBytes` of max-live that `accept`
/// accepts. First executions are in `order`, or in any order if it is empty.
ExhaustiveResult
searchExhaustively(const Graph &graph, const std::vector<OpId> &order,
                   uint64_t budgetBytes,
                   const std::function<bool(const Executions &)> &accept);

/// The lowest max-live of all schedules, by the same search; nothing if the
/// graph is too large.
std::optional<uint64_t> leastOfAll(const Graph &graph,
                                   const std::vector<OpId> &order);

/// Describes how a bound and the cost of a schedule within the same budget
/// contradict each other, or "". One of the two is then wrong, by an error of
/// this library, and no result based on either may be used.
std::string checkBound(const LowerBound &bound, double milliseconds);

/// The same for the points of computeFrontier.
std::string checkBounds(const std::vector<FrontierPoint> &points);

/// The bytes that every schedule needs at some op, and that op: the sum of the
/// op's workspace and of the pinned values, each rounded up to kAlignment.
struct ByteBound {
  uint64_t bytes = 0;
  OpId cut = kNone;
  /// Largest first. If an output takes over an input's bytes, the input is
  /// listed.
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
  std::vector<ValueId> frees;          // storages freed after this step
};

struct Plan {
  std::vector<PlanStep> steps;
  std::vector<uint64_t> inputOffsets; // by ValueId of Input values
  uint64_t maxLive = 0;
  uint64_t height = 0; // bytes of the area, at least maxLive
  double milliseconds = 0;
  std::string solver, strategy;
};

/// Bytes of the area that a plan's steps touch: its height, less the rounding
/// of the last buffer, which is less than kAlignment.
uint64_t touchedHeight(const Graph &graph, const Plan &plan);

/// Places `executions` with at most `placementWork`, see placeBuffers, and at
/// most an effort's share of placementWorkOf their buffers.
Plan makePlan(const Graph &graph, const Executions &executions,
              uint64_t placementWork = kPlacementWork,
              Effort effort = Effort::Thorough);

/// The same in exactly `capacity` bytes, a multiple of kAlignment, with at most
/// a quarter of that work: successful searches end soon. If the buffers need
/// fewer bytes, the highest ones are moved up to the end.
std::optional<Plan> makePlanWithin(const Graph &graph,
                                   const Executions &executions,
                                   uint64_t capacity,
                                   Effort effort = Effort::Thorough);

/// Lets the calls of a plan run beside its other ops, see overlapCalls of
/// Schedule.h. Returns nothing if no such order of the plan's executions was
/// found that is placed within `capacity` bytes.
std::optional<Plan> overlapCalls(const Graph &graph, const Plan &plan,
                                 uint64_t capacity);

/// A point of a frontier with its bytes placed. The schedule may be another one
/// of at most the point's max-live.
struct PlacedPoint {
  Solution solution;
  Plan plan;
};

/// Places points[at]. While the wasted bytes are worth the effort, searches for
/// other schedules of the point's bytes and places them: some pack without
/// loss. They cost less than the previous point and more than the next one, and
/// end exactly at the point's bytes, so that costs fall strictly along a
/// frontier whose points are all placed, and no point ends below its bytes.
PlacedPoint placePoint(const Graph &graph,
                       const std::vector<FrontierPoint> &points, size_t at,
                       const SolverOptions &options);

/// Simulates the plan: dependences present, ops that run once not repeated,
/// bytes disjoint, nothing read after it was freed, peak, height and cost as
/// claimed. Returns the error, or "". Shares no code with the planner.
std::string validatePlan(const Graph &graph, const Plan &plan);

} // namespace reprise::plan

#endif // REPRISE_PLAN_RECOMPUTE_H
