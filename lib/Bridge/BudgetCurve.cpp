//===- BudgetCurve.cpp - A step's cost under each budget ------------------===//
//
// Input:   a planning problem.
// Output:  its frontier of schedules, their bytes placed, bounds.
// Method:  plan::computeFrontier on the order that plan::chooseOrder finds.
//          Points are placed on demand, from the cheapest down.
// Cost:    the frontier takes some seconds for a thousand ops; a placement less
//          than a second.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/BudgetCurve.h"
#include "reprise/Bridge/Knee.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Pattern.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;

bool reprise::isNamed(Operation *op, const llvm::GlobPattern &glob) {
  StringRef path = sg::pathOf(op);
  if (glob.match(path) || glob.match(sg::sourceOf(op->getLoc())))
    return true;
  for (size_t at = path.find('.'); at != StringRef::npos;
       at = path.find('.', at + 1))
    if (glob.match(path.take_front(at)))
      return true;
  return false;
}

/// Marks the ops that a pattern or a mark of the model names as executed once.
/// Every pattern must match.
static LogicalResult keepMatching(const PlanProblem &problem,
                                  const std::vector<std::string> &patterns,
                                  plan::Graph &graph) {
  func::FuncOp function = problem.function;
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    graph.ops[id].runsOnce |= problem.ops[id].isAsked;
  }
  for (const std::string &pattern : patterns) {
    auto glob = parsePattern(pattern, [&] { return function.emitError(); });
    if (failed(glob))
      return failure();
    bool matched = false;
    for (OpId id = 0; id < graph.ops.size(); ++id) {
      if (!isNamed(problem.ops[id].op, *glob))
        continue;
      matched = true;
      graph.ops[id].runsOnce = true;
    }
    if (!matched)
      return function.emitError()
             << "'" << pattern
             << "' matches no module and no source location of the model";
  }
  return success();
}

InFlightDiagnostic reprise::emitContradiction(func::FuncOp function,
                                              const std::string &error) {
  return emitError(function.getLoc())
         << "the planner contradicts itself, please report it: " << error;
}

uint64_t reprise::touchedAtLeast(uint64_t bytes) {
  return bytes < plan::kAlignment ? 0 : bytes - (plan::kAlignment - 1);
}

/// Bytes of the placed area in a program of `budget` bytes: the budget without
/// the fixed bytes, rounded up, since a plan need not touch the last unit to
/// its end.
static uint64_t placedWithin(uint64_t budget, uint64_t fixedBytes) {
  return budget < fixedBytes
             ? 0
             : llvm::alignTo(std::min(budget - fixedBytes, plan::kMostBytes),
                             plan::kAlignment);
}

uint64_t BudgetCurve::placedBytes(uint64_t budget) const {
  return placedWithin(budget, fixedBytes);
}

/// The schedule of a step without a search.
static plan::FrontierPoint pointOf(const plan::Graph &graph,
                                   const std::vector<OpId> &order) {
  plan::FrontierPoint point;
  point.solution.executions = order;
  point.solution.milliseconds = plan::costOf(graph, order);
  point.solution.maxLive = plan::maxLiveOf(graph, order);
  point.solution.solver = "none";
  point.boundMilliseconds = point.solution.milliseconds;
  return point;
}

/// See BudgetOptions::withinBytes. Skips the search if the step without
/// recomputation fits.
static std::vector<plan::FrontierPoint>
findWithin(const plan::Graph &graph, const std::vector<OpId> &order,
           uint64_t budget, plan::SolverOptions solver) {
  if (plan::maxLiveOf(graph, order) <= budget)
    return {};
  // Placements waste some thousandths.
  solver.budgetBytes = budget - budget / 256;
  return plan::searchWithin(graph, order, solver);
}

FailureOr<BudgetCurve> BudgetCurve::compute(PlanProblem problem,
                                            uint64_t fixedBytes,
                                            const BudgetOptions &options) {
  BudgetCurve curve;
  curve.fixedBytes = fixedBytes;
  if (options.observer && options.work > 0)
    options.observer({options.phase, 0});
  curve.order = plan::chooseOrder(problem.graph).order;
  curve.searched = problem.graph;
  if (failed(keepMatching(problem, options.keep, curve.searched)))
    return failure();
  curve.solver.work = options.work;
  curve.solver.effort = options.effort;
  curve.solver.threads = options.threads;
  if (options.observer)
    curve.solver.progress = [observer = options.observer,
                             phase = options.phase](double share) {
      observer({phase, share});
    };
  if (options.work > 0 && options.withinBytes)
    curve.points =
        findWithin(curve.searched, curve.order,
                   placedWithin(options.withinBytes, fixedBytes), curve.solver);
  else if (options.work > 0)
    curve.points =
        plan::computeFrontier(curve.searched, curve.order, curve.solver);
  curve.contradiction = plan::checkBounds(curve.points);
  // A step without ops has one schedule, the empty one.
  if (curve.points.empty())
    curve.points.push_back(pointOf(curve.searched, curve.order));
  curve.frontier = curve.points;
  for (uint32_t point = 0; point < curve.points.size(); ++point)
    curve.plans.push_back({{}, false, point, 0});
  curve.problem = std::move(problem);
  return curve;
}

const plan::Plan &BudgetCurve::planOf(uint32_t point) {
  Placed &placed = plans[point];
  if (!placed.isReady) {
    if (placed.frontierPoint == plan::kNone) {
      placed.plan =
          plan::makePlan(problem.graph, points[point].solution.executions,
                         plan::kPlacementWork, solver.effort);
    } else {
      plan::PlacedPoint found =
          plan::placePoint(searched, frontier, placed.frontierPoint, solver);
      points[point].solution = std::move(found.solution);
      placed.plan = std::move(found.plan);
    }
    placed.isReady = true;
  }
  return placed.plan;
}

uint64_t BudgetCurve::totalBytes(uint32_t point) {
  uint64_t placed = plan::touchedHeight(problem.graph, planOf(point));
  return fixedBytes + placed;
}

uint64_t BudgetCurve::leastBytes(uint32_t point) const {
  uint32_t found = plans[point].frontierPoint;
  const plan::FrontierPoint &from =
      found == plan::kNone ? points[point] : frontier[found];
  return fixedBytes + touchedAtLeast(from.solution.maxLive);
}

/// A lower bound on the cost of a placed point: plan::placePoint goes at most
/// half way to the next one.
double BudgetCurve::placedAtLeast(uint32_t point) const {
  uint32_t found = plans[point].frontierPoint;
  if (plans[point].isReady || found == plan::kNone ||
      found + 1 == frontier.size())
    return points[point].solution.milliseconds;
  double own = frontier[found].solution.milliseconds;
  return own - (own - frontier[found + 1].solution.milliseconds) / 2;
}

double BudgetCurve::leastMilliseconds(uint64_t budget) const {
  for (uint32_t point = points.size(); point-- > 0;)
    if (leastBytes(point) <= budget)
      return placedAtLeast(point);
  return std::numeric_limits<double>::infinity();
}

std::optional<uint32_t> BudgetCurve::choose(uint64_t budget,
                                            double mostMilliseconds) {
  if (leastMilliseconds(budget) > mostMilliseconds)
    return std::nullopt;
  // If the budget is well above the least bytes, avoid finding the smallest
  // point, whose placement takes longest.
  uint64_t least = leastBytes(0);
  if (budget < least ||
      (budget < least + least / 20 && budget < totalBytes(smallest())))
    return std::nullopt;
  for (uint32_t point = points.size(); point-- > 0;) {
    if (leastBytes(point) > budget)
      continue;
    // Points before this one cost more.
    if (placedAtLeast(point) > mostMilliseconds)
      return std::nullopt;
    uint64_t total = totalBytes(point);
    if (total <= budget && isUsable(point) &&
        points[point].solution.milliseconds <= mostMilliseconds)
      return point;
  }
  return std::nullopt;
}

std::optional<uint32_t> BudgetCurve::chooseClosely(uint64_t budget,
                                                   double costAbove) {
  std::optional<uint32_t> point = choose(budget);
  if (!point || *point + 1 == points.size())
    return point;
  // Place it before the search, whatever the budget, since the search may
  // change it.
  planOf(*point + 1);
  std::vector<plan::FrontierPoint> between =
      plan::searchBetween(searched, points[*point], points[*point + 1], solver);
  llvm::erase_if(between, [&](const plan::FrontierPoint &found) {
    return found.solution.milliseconds <= costAbove;
  });
  uint64_t least = totalBytes(*point);
  points.insert(points.begin() + *point + 1, between.begin(), between.end());
  plans.insert(plans.begin() + *point + 1, between.size(),
               Placed{{}, false, plan::kNone, least});
  return choose(budget);
}

uint32_t BudgetCurve::smallest() {
  if (smallestPoint)
    return *smallestPoint;
  uint32_t best = 0;
  for (uint32_t point = 1; point < points.size(); ++point) {
    // A later point can be lower only by what the best one's placement wastes;
    // a gain of a thousandth is not worth placing them all.
    if (leastBytes(point) + totalBytes(best) / 1000 >= totalBytes(best))
      break;
    if (totalBytes(point) < totalBytes(best) && isUsable(point))
      best = point;
  }
  // A budget that fits without recomputation must not be refused.
  uint32_t last = points.size() - 1;
  if (totalBytes(last) < totalBytes(best) && isUsable(last))
    best = last;
  smallestPoint = best;
  return best;
}

uint32_t BudgetCurve::knee() const {
  // Live bytes instead of placed ones: placing every point takes long and
  // changes little.
  std::vector<std::pair<uint64_t, double>> curve;
  for (uint32_t point = 0; point < points.size(); ++point)
    curve.push_back({leastBytes(point), points[point].solution.milliseconds});
  return kneeOf(curve);
}

plan::LowerBound BudgetCurve::boundAt(uint64_t budget, double work) const {
  std::pair<uint64_t, double> asked = {placedWithin(budget, fixedBytes), work};
  if (!lastBound || lastBound->first != asked)
    lastBound = {asked, plan::lowerBound(searched, asked.first, work)};
  return lastBound->second;
}

plan::ByteBound BudgetCurve::provenBytes() const {
  if (!leastProven)
    leastProven = plan::lowestBytes(searched);
  plan::ByteBound bound = *leastProven;
  bound.bytes = touchedAtLeast(bound.bytes);
  bound.bytes += fixedBytes;
  return bound;
}

std::string BudgetCurve::checkProofs(uint64_t budget,
                                     std::optional<uint32_t> point) const {
  if (!contradiction.empty())
    return contradiction;
  std::string error = plan::checkByteBound(provenBytes(), leastBytes(0));
  if (!error.empty() || !point)
    return error;
  double work = plan::paceOf(solver.effort).check;
  return plan::checkBound(boundAt(budget, work),
                          points[*point].solution.milliseconds);
}
