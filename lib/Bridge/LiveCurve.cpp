//===- LiveCurve.cpp - A function's cost under each budget ----------------===//
//
// Input:   a function's graph.
// Output:  its frontier of schedules by live bytes, proofs.
// Cost:    that of plan::computeFrontier: some seconds for a thousand ops.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/LiveCurve.h"
#include "reprise/Bridge/Knee.h"

using namespace reprise;

/// The only schedule of a function without ops, the empty one.
static plan::FrontierPoint pointWithoutOps() {
  plan::FrontierPoint point;
  point.solution.solver = "none";
  return point;
}

LiveCurve::LiveCurve(FunctionGraph given, const plan::SolverOptions &options)
    : problem(std::move(given)), options(options) {
  points = plan::computeFrontier(
      problem.graph, plan::chooseOrder(problem.graph).order, options);
  if (points.empty())
    points.push_back(pointWithoutOps());
}

std::optional<plan::Solution> LiveCurve::choose(uint64_t budget) const {
  std::optional<plan::Solution> best;
  size_t next = 0;
  for (; next < points.size() && points[next].solution.maxLive <= budget;
       ++next)
    best = points[next].solution;
  if (!best || next == points.size())
    return best;
  // The points found have increasing bytes and decreasing cost.
  for (plan::FrontierPoint &found : plan::searchBetween(
           problem.graph, points[next - 1], points[next], options))
    if (found.solution.maxLive <= budget)
      best = std::move(found.solution);
  return best;
}

uint64_t LiveCurve::kneeBytes() const {
  std::vector<std::pair<uint64_t, double>> curve;
  for (const plan::FrontierPoint &point : points)
    curve.push_back({point.solution.maxLive, point.solution.milliseconds});
  return curve[kneeOf(curve)].first;
}

std::string
LiveCurve::checkProofs(uint64_t budget,
                       const std::optional<plan::Solution> &chosen) const {
  std::string error = plan::checkBounds(points);
  if (error.empty())
    error =
        plan::checkByteBound(plan::lowestBytes(problem.graph), smallestBytes());
  if (error.empty() && chosen)
    error = plan::checkBound(plan::lowerBound(problem.graph, budget),
                             chosen->milliseconds);
  return error;
}
