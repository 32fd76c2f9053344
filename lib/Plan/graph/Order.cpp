//===- Order.cpp - The order with the least max-live ----------------------===//
//
// Input:   a well-formed graph.
// Output:  a valid order whose max-live is at most program order's.
// Method:  simulates candidates and keeps the best; then refines the best by
//          list scheduling around it, forward (free early) and backward (define
//          late), as long as that helps; then by moves at the peak.
// Cost:    about twenty simulations, each linear, sorts by heap, and the limit
//          of the moves.
//
// A variable's update frees its gradient and defines nothing: in every
// candidate it runs as soon as the gradient exists.
//
//===----------------------------------------------------------------------===//
#include "OrderStrategies.h"

#include <numeric>

namespace reprise::plan {

namespace {

/// Keeps the best order seen; the first of equals stays.
class BestOrder {
public:
  explicit BestOrder(const OrderProblem &problem) : problem(problem) {}

  bool offer(const std::vector<OpId> &order) {
    Schedule candidate{moveFreeOpsEarly(problem, order)};
    uint64_t maxLive = computeLiveness(problem.graph, candidate).maxLive;
    if (!best.order.empty() && maxLive >= bestMaxLive)
      return false;
    best = std::move(candidate);
    bestMaxLive = maxLive;
    return true;
  }

  const OrderProblem &problem;
  Schedule best;
  uint64_t bestMaxLive = 0;
};

} // namespace

/// Runs one round of every list rule around the best order so far.
static bool refine(const OrderProblem &problem, BestOrder &best) {
  std::vector<OpId> base = best.best.order;
  bool better = false;
  for (ListDirection direction :
       {ListDirection::Forward, ListDirection::Backward})
    for (ListRule rule :
         {ListRule::GainFirst, ListRule::NoLossFirst, ListRule::LargestGain})
      better |= best.offer(listSchedule(problem, base, direction, rule));
  return better;
}

Schedule chooseOrder(const Graph &graph) {
  OrderProblem problem{graph, analyzeStorages(graph), findDependences(graph)};
  std::vector<OpId> program(graph.ops.size());
  std::iota(program.begin(), program.end(), 0);
  BestOrder best(problem);
  best.offer(program);
  best.offer(depthFirst(problem, OperandOrder::AsListed));
  best.offer(depthFirst(problem, OperandOrder::LargestNeed));
  if (best.best.order != moveFreeOpsEarly(problem, program)) {
    BestOrder other(problem);
    other.offer(program);
    refine(problem, other);
    best.offer(other.best.order);
  }
  constexpr int maxRounds = 4;
  for (int round = 0; round < maxRounds && refine(problem, best); ++round)
    continue;
  best.offer(movePeakBuffers(problem, best.best.order));
  return best.best;
}

} // namespace reprise::plan
