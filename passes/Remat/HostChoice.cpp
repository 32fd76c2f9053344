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
/// the unrolled graph; nothing if it touches more than `bytes`.
static std::optional<plan::Plan>
placeWithin(const plan::UnrolledGraph &unrolled, uint64_t bytes,
            plan::Effort effort) {
  plan::Executions inOrder(unrolled.graph.ops.size());
  std::iota(inOrder.begin(), inOrder.end(), 0);
  plan::Plan plan =
      plan::makePlan(unrolled.graph, inOrder, plan::kPlacementWork, effort);
  if (plan::touchedHeight(unrolled.graph, plan) <= bytes)
    return plan;
  // The last unit that is placed need not be touched to its end.
  uint64_t below = bytes - bytes % plan::kAlignment;
  for (uint64_t capacity : {llvm::alignTo(bytes, plan::kAlignment), below}) {
    std::optional<plan::Plan> found =
        plan::makePlanWithin(unrolled.graph, inOrder, capacity, effort);
    if (found && plan::touchedHeight(unrolled.graph, *found) <= bytes)
      return found;
  }
  return std::nullopt;
}

static std::optional<HostChoice> chooseWithHost(KernelSet &set, uint64_t budget,
                                                plan::HostOptions options) {
  BudgetCurve &curve = set.curve;
  uint64_t capacity = curve.placedBytes(budget);
  // A plan need not touch its last unit to its end, and placements waste some
  // thousandths.
  for (uint64_t spared :
       {uint64_t(0), plan::kAlignment, capacity / 256, capacity / 64}) {
    options.solver.budgetBytes = capacity - std::min(spared, capacity);
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
        placeWithin(choice.unrolled, budget - curve.fixedBytes, curve.effort());
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
