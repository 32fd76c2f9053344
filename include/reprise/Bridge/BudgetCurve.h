//===- BudgetCurve.h - A step's cost under each budget ----------*- C++ -*-===//
//
// A budget counts every byte the program holds on the device: variables,
// optimizer state, constants, inputs, activations, gradients, workspaces. The
// schedules that a search finds do not depend on the requested budget, so that
// less memory never costs less and a smaller budget never has a larger peak.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_BUDGETCURVE_H
#define REPRISE_BRIDGE_BUDGETCURVE_H

#include "reprise/Bridge/PlanProblem.h"
#include "reprise/Plan/Recompute.h"
#include "reprise/Target/Target.h"
#include "llvm/Support/GlobPattern.h"
#include <limits>

namespace reprise {

/// The progress of a search for plans, for people to read.
struct SearchProgress {
  std::string phase; // "searching schedules"; empty: the search is over
  double share = -1; // of the current phase, from 0 to 1; negative: unknown
  /// A step's time by the cheapest plan so far for the requested budget, and a
  /// lower bound on the time of any schedule of its kernels within that budget;
  /// 0: no plan is known.
  double bestMilliseconds = 0, boundMilliseconds = 0;
};
/// May be called by any thread.
using SearchObserver = std::function<void(const SearchProgress &)>;

struct BudgetOptions {
  /// See plan::SolverOptions; 0: no search, the only schedule is that of a step
  /// without a budget.
  double work = 1;
  plan::Effort effort = plan::Effort::Thorough;
  unsigned threads = 2;
  /// Bytes of the whole program. The curve then only decides whether a schedule
  /// fits them, and its only schedules are those found on the way; 0: the curve
  /// covers all budgets.
  uint64_t withinBytes = 0;
  /// True if the step fits without recomputation. Other kernels are then
  /// useful only if they are faster.
  bool fitsAsIs = false;
  /// The target device of kernels and calls.
  TargetName target;
  /// Ops whose module path or source location ("file:line") matches one of
  /// these globs are not recomputed.
  std::vector<std::string> keep;
  /// The costs of executing an op.
  CostModel costs;
  /// May be empty. `phase` is the name that it receives for this search.
  SearchObserver observer;
  std::string phase = "searching schedules";
};

/// Emits a planner error, a contradiction that checkProofs returned.
mlir::InFlightDiagnostic emitContradiction(mlir::func::FuncOp function,
                                           const std::string &error);

/// Returns true if a pattern of BudgetOptions::keep matches `op`, by the path
/// of its leaf or of a block around it, or by its source line.
bool isNamed(mlir::Operation *op, const llvm::GlobPattern &glob);

/// The fewest bytes that the steps touch of an area of `bytes`, all rounded up:
/// steps touch the first byte of its last unit.
uint64_t touchedAtLeast(uint64_t bytes);

class BudgetCurve {
public:
  /// Fails with an error at the function if a pattern matches nothing.
  static mlir::FailureOr<BudgetCurve> compute(PlanProblem problem,
                                              uint64_t fixedBytes,
                                              const BudgetOptions &options);

  PlanProblem problem;
  uint64_t fixedBytes = 0; // variables and constants
  /// A contradiction between a proof and a schedule of the frontier;
  /// checkProofs returns it, since a curve among several must not be dropped
  /// silently.
  std::string contradiction;
  std::vector<plan::OpId> order;
  /// Sorted by increasing max-live and decreasing cost, but see chooseClosely;
  /// the last one recomputes nothing.
  std::vector<plan::FrontierPoint> points;

  /// Bytes of the whole program with a point's plan, its peak to the byte. The
  /// plan is placed at the first request; the point then may get another
  /// schedule, of at most its max-live, that packs better, see
  /// plan::placePoint.
  uint64_t totalBytes(uint32_t point);
  const plan::Plan &planOf(uint32_t point);
  /// A lower bound on totalBytes, known without a placement. The difference is
  /// the waste of the placement and less than kAlignment. Placing a point does
  /// not change the bound.
  uint64_t leastBytes(uint32_t point) const;

  /// The cheapest point within `budget` bytes, or none. Also none if a point
  /// would cost more than `mostMilliseconds`: such points are not placed.
  std::optional<uint32_t>
  choose(uint64_t budget,
         double mostMilliseconds = std::numeric_limits<double>::infinity());
  /// A lower bound on the cost of any point within `budget` bytes, known
  /// without a placement; infinity if there is no such point.
  double leastMilliseconds(uint64_t budget) const;
  /// The same, after a search between that point and the next one. Schedules
  /// found there that cost more than `costAbove` are inserted after the point,
  /// so that larger indices change. Takes a second or two for a thousand ops.
  std::optional<uint32_t> chooseClosely(uint64_t budget, double costAbove = 0);
  /// The point with the fewest bytes, to a thousandth: smaller budgets are
  /// refused.
  uint32_t smallest();
  /// The knee of the curve, below which saving memory costs more time than it
  /// is worth: the point farthest below the line from the first to the last
  /// one.
  uint32_t knee() const;
  /// Bytes without any recomputation.
  uint64_t plainBytes() { return totalBytes(points.size() - 1); }
  double plainMilliseconds() const {
    return points.back().solution.milliseconds;
  }

  /// Returns true if BudgetOptions::keep or a mark of the model names an op.
  bool isAsked(plan::OpId op) const {
    return searched.ops[op].runsOnce && !problem.graph.ops[op].runsOnce;
  }

  /// The step's graph, in which ops that BudgetOptions::keep names run once.
  const plan::Graph &searchedGraph() const { return searched; }
  plan::Effort effort() const { return solver.effort; }

  /// A lower bound on any schedule within `budget` bytes. More work never
  /// lowers it.
  plan::LowerBound boundAt(uint64_t budget, double work = 1) const;
  /// The bytes below which no schedule exists, and the op that pins them.
  plan::ByteBound provenBytes() const;

  /// Describes how proofs and schedules contradict each other: the bound at
  /// `budget` with `point`, if there is one, and the proven bytes with the
  /// first point. "" if they agree; any other result is a planner error.
  std::string checkProofs(uint64_t budget, std::optional<uint32_t> point) const;

  /// The bytes of the placed memory if the whole program may take `budget`.
  uint64_t placedBytes(uint64_t budget) const;

private:
  struct Placed {
    plan::Plan plan;
    bool isReady;
    uint32_t frontierPoint; // kNone: found between two of them
    uint64_t least;         // totalBytes of the lower one of these two
  };

  /// A schedule found between two points that packs into fewer bytes than the
  /// lower one is unusable: smaller budgets don't search between these two.
  bool isUsable(uint32_t point) {
    return totalBytes(point) >= plans[point].least;
  }

  double placedAtLeast(uint32_t point) const;

  plan::SolverOptions solver;
  std::optional<uint32_t> smallestPoint;
  /// The bound for the last requested budget and work: several callers request
  /// the same one.
  mutable std::optional<
      std::pair<std::pair<uint64_t, double>, plan::LowerBound>>
      lastBound;
  mutable std::optional<plan::ByteBound> leastProven;
  plan::Graph searched; // problem.graph with the kept values marked
  std::vector<plan::FrontierPoint> frontier; // as found
  std::vector<Placed> plans;                 // by point
};

} // namespace reprise

#endif // REPRISE_BRIDGE_BUDGETCURVE_H
