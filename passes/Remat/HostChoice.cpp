//===- HostChoice.cpp - Plans that use host memory ------------------------===//
//
// Input:   plans, a budget of the device, one of the host.
// Output:  the plan with copies to the host that takes the least time, placed.
// Method:  each set of kernels that was searched is a graph with a frontier,
// see
//          plan::planWithHost. A plan that does not pack into the budget is
//          searched again within fewer live bytes.
// Cost:    the planner's.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"

#include <numeric>

using namespace mlir;
using namespace reprise;

/// Returns the plan of a schedule with copies, of which each step is an op of
/// the unrolled graph; nothing if it takes more than `capacity` bytes.
static std::optional<plan::Plan>
placeWithin(const plan::UnrolledGraph &unrolled, uint64_t capacity,
            plan::Effort effort) {
  plan::Executions inOrder(unrolled.graph.ops.size());
  std::iota(inOrder.begin(), inOrder.end(), 0);
  plan::Plan plan =
      plan::makePlan(unrolled.graph, inOrder, plan::kPlacementWork, effort);
  if (plan.height <= capacity)
    return plan;
  return plan::makePlanWithin(unrolled.graph, inOrder, capacity, effort);
}

static std::optional<HostChoice> chooseWithHost(KernelSet &set, uint64_t budget,
                                                plan::HostOptions options) {
  BudgetCurve &curve = set.curve;
  uint64_t capacity = curve.placedBytes(budget);
  capacity -= capacity % plan::kAlignment;
  // Placements waste some thousandths.
  for (uint64_t spared : {uint64_t(0), capacity / 256, capacity / 64}) {
    options.solver.budgetBytes = capacity - spared;
    HostChoice choice;
    choice.kernels = &set;
    choice.host =
        plan::planWithHost(curve.searchedGraph(), curve.points, options);
    if (choice.host.steps.empty())
      return std::nullopt;
    choice.unrolled = plan::unroll(curve.searchedGraph(), choice.host.steps);
    for (size_t at = 0; at < choice.host.steps.size(); ++at)
      if (choice.host.steps[at].kind != plan::HostStep::Kind::Execute)
        choice.unrolled.graph.ops[at].cost = choice.host.times.waitingFor[at];
    std::optional<plan::Plan> placed =
        placeWithin(choice.unrolled, capacity, curve.effort());
    if (!placed)
      continue;
    choice.plan = std::move(*placed);
    choice.bytes = curve.fixedBytes +
                   plan::touchedHeight(choice.unrolled.graph, choice.plan);
    return choice;
  }
  return std::nullopt;
}

/// The schedule of all sets that takes the least time, without its bound.
static std::optional<HostChoice> findBest(BudgetPlans &plans, uint64_t budget,
                                          plan::HostOptions options) {
  std::optional<HostChoice> best;
  for (KernelSet *set : plans.searched()) {
    if (set->otherBytes > budget || set->curve.fixedBytes > budget)
      continue;
    options.solver.effort = set->curve.effort();
    std::optional<HostChoice> found = chooseWithHost(*set, budget, options);
    if (found && (!best || found->milliseconds() < best->milliseconds()))
      best = std::move(found);
  }
  return best;
}

std::optional<HostChoice>
reprise::chooseWithHost(BudgetPlans &plans, uint64_t budget,
                        const plan::HostBudget &host) {
  plan::HostOptions options;
  options.host = host;
  std::optional<HostChoice> best = findBest(plans, budget, options);
  if (!best)
    return std::nullopt;
  best->bound = best->milliseconds();
  for (KernelSet *set : plans.searched()) {
    if (set->curve.fixedBytes > budget)
      continue;
    options.solver.effort = set->curve.effort();
    options.solver.budgetBytes = set->curve.placedBytes(budget);
    best->bound = std::min(best->bound,
                           plan::boundWithHost(set->curve.searchedGraph(),
                                               options, best->milliseconds()));
  }
  return best;
}

std::optional<HostChoice> reprise::leastWithHost(BudgetPlans &plans,
                                                 const plan::HostBudget &host) {
  plan::HostOptions options;
  options.host = host;
  uint64_t least = provenWithHost(plans).bound.bytes;
  uint64_t most = plans.smallest().bytes();
  std::optional<HostChoice> best = findBest(plans, most, options);
  while (best && most > least + most / 100) {
    uint64_t middle = least + (most - least) / 2;
    std::optional<HostChoice> found = findBest(plans, middle, options);
    if (!found) {
      least = middle;
      continue;
    }
    best = std::move(found);
    most = std::min(middle, std::max(best->bytes, best->kernels->otherBytes));
  }
  return best;
}

BudgetPlans::Proof reprise::provenWithHost(BudgetPlans &plans) {
  std::optional<BudgetPlans::Proof> least;
  for (KernelSet *set : plans.searched()) {
    BudgetCurve &curve = set->curve;
    BudgetPlans::Proof proof{&curve.problem, curve.fixedBytes,
                             plan::lowestBytesWithHost(curve.problem.graph)};
    proof.bound.bytes = curve.fixedBytes + touchedAtLeast(proof.bound.bytes);
    if (!least || proof.bound.bytes < least->bound.bytes)
      least = std::move(proof);
  }
  return *least; // there is an own set
}
