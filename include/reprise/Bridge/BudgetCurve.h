//===- BudgetCurve.h - What a step costs under each budget ------*- C++ -*-===//
//
// A budget counts every byte the program holds on the device: variables,
// optimizer state, constants, inputs, activations, gradients, workspaces.
// What a search finds does not depend on the budget that is asked for, so that
// less memory never costs less and a smaller budget never has a larger peak.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_BRIDGE_BUDGETCURVE_H
#define REPRISE_BRIDGE_BUDGETCURVE_H

#include "reprise/Bridge/PlanProblem.h"
#include "reprise/Plan/Recompute.h"
#include "llvm/Support/GlobPattern.h"
#include <limits>

namespace reprise {

/// The progress of a search for plans, for people to read.
struct SearchProgress {
  std::string phase; // "searching schedules"; empty: the search is over
  double share = -1; // of the phase that is done, from 0 to 1; below: unknown
  /// A step's time by the cheapest plan so far for the budget in question, and
  /// the time below which no schedule of its kernels in its bytes lies; 0: no
  /// plan is known.
  double bestMilliseconds = 0, boundMilliseconds = 0;
};
/// Called by any thread.
using SearchObserver = std::function<void(const SearchProgress &)>;

struct BudgetOptions {
  /// See plan::SolverOptions; 0: no search, the only schedule is the one that
  /// a step without a budget gets.
  double work = 1;
  plan::Effort effort = plan::Effort::Thorough;
  unsigned threads = 2;
  /// Bytes of the whole program: the curve then only says whether a schedule
  /// lives in them, and has no others than were found on the way; 0: it is of
  /// all budgets.
  uint64_t withinBytes = 0;
  /// True if the step fits without recomputation. Other kernels are then
  /// useful only if they are faster.
  bool fitsAsIs = false;
  /// The device that kernels and calls are planned for; see createTarget.
  std::string target = "cpu:native";
  /// Ops whose module path or source location ("file:line") matches one of
  /// these globs are not executed again.
  std::vector<std::string> keep;
  /// Of executing an op.
  CostModel costs;
  /// May be empty; and what it is told that is searched.
  SearchObserver observer;
  std::string phase = "searching schedules";
};

/// An error of the planner, as checkProofs says it.
mlir::InFlightDiagnostic emitContradiction(mlir::func::FuncOp function,
                                           const std::string &error);

/// Whether a pattern of BudgetOptions::keep names `op`, by the path of its leaf
/// or of a block around it, or by its source line.
bool isNamed(mlir::Operation *op, const llvm::GlobPattern &glob);

/// Bytes that are touched at least of an area of `bytes`, all rounded up: steps
/// touch the first byte of its last unit.
uint64_t touchedAtLeast(uint64_t bytes);

class BudgetCurve {
public:
  /// Fails with an error at the function when a pattern matches nothing.
  static mlir::FailureOr<BudgetCurve> compute(PlanProblem problem,
                                              uint64_t fixedBytes,
                                              const BudgetOptions &options);

  PlanProblem problem;
  uint64_t fixedBytes = 0; // variables and constants
  /// How a proof and a schedule of the frontier contradict each other; checked
  /// by checkProofs, since a curve among several must not just be dropped.
  std::string contradiction;
  std::vector<plan::OpId> order;
  /// By increasing max-live and decreasing cost, but see chooseClosely; the
  /// last one computes nothing again.
  std::vector<plan::FrontierPoint> points;

  /// Bytes of the whole program with a point's plan, its peak to the byte. The
  /// plan is placed when first asked for; the point then may get another
  /// schedule, of at most its max-live, that packs better, see
  /// plan::placePoint.
  uint64_t totalBytes(uint32_t point);
  const plan::Plan &planOf(uint32_t point);
  /// At most totalBytes, by what the placement wastes and less than
  /// kAlignment, and known without it; the same before and after a point is
  /// placed.
  uint64_t leastBytes(uint32_t point) const;

  /// The cheapest point within `budget` bytes, or none. None as well where a
  /// point would cost more than `mostMilliseconds`: such points are not placed.
  std::optional<uint32_t>
  choose(uint64_t budget,
         double mostMilliseconds = std::numeric_limits<double>::infinity());
  /// A lower bound on the cost of any point within `budget` bytes, known
  /// without a placement; infinity where no point is.
  double leastMilliseconds(uint64_t budget) const;
  /// The same, after a search between that point and the next one, whose
  /// schedules become points behind it, where they cost more than `costAbove`:
  /// indices above change. Takes a second or two for a thousand ops.
  std::optional<uint32_t> chooseClosely(uint64_t budget, double costAbove = 0);
  /// The point with the fewest bytes, to a thousandth: less is refused.
  uint32_t smallest();
  /// Where less memory begins to cost more than it is worth: the point
  /// farthest below the line from the first to the last one.
  uint32_t knee() const;
  /// Bytes without any recomputation.
  uint64_t plainBytes() { return totalBytes(points.size() - 1); }
  double plainMilliseconds() const {
    return points.back().solution.milliseconds;
  }

  /// Whether BudgetOptions::keep or a mark of the model names an op.
  bool isAsked(plan::OpId op) const {
    return searched.ops[op].effect && !problem.graph.ops[op].effect;
  }

  /// A lower bound on any schedule within `budget` bytes. More work never
  /// lowers it.
  plan::LowerBound boundAt(uint64_t budget, double work = 1) const;
  /// Under which no schedule exists, and what pins it.
  plan::ByteBound provenBytes() const;

  /// Says how proofs and schedules contradict each other: the one at `budget`
  /// and `point`, if there is one, the one of the bytes and the first point.
  /// "" where they don't; anything else is an error of the planner.
  std::string checkProofs(uint64_t budget, std::optional<uint32_t> point) const;

private:
  struct Placed {
    plan::Plan plan;
    bool isReady;
    uint32_t frontierPoint; // kNone: found between two of them
    uint64_t least;         // totalBytes of the lower one of these two
  };

  /// What is found between two points and packs into fewer bytes than the lower
  /// one is not: smaller budgets don't look between these two.
  bool isUsable(uint32_t point) {
    return totalBytes(point) >= plans[point].least;
  }

  double placedAtLeast(uint32_t point) const;

  plan::SolverOptions solver;
  std::optional<uint32_t> smallestPoint;
  /// The bound for the budget and the work asked for last: several callers ask
  /// for the same one.
  mutable std::optional<
      std::pair<std::pair<uint64_t, double>, plan::LowerBound>>
      lastBound;
  mutable std::optional<plan::ByteBound> leastProven;
  plan::Graph searched; // problem.graph with what is kept marked
  std::vector<plan::FrontierPoint> frontier; // as found
  std::vector<Placed> plans;                 // by point
};

} // namespace reprise

#endif // REPRISE_BRIDGE_BUDGETCURVE_H
