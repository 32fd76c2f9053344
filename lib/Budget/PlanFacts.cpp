//===- PlanFacts.cpp - Facts of plans about a budget ----------------------===//

#include "reprise/Budget/PlanFacts.h"
#include "reprise/IR/Origin.h"

using namespace reprise;
using namespace reprise::driver;

static ValueFacts valueFactsOf(const PlanProblem &problem, plan::ValueId id) {
  const plan::Value &value = problem.graph.values[id];
  ValueFacts facts;
  facts.name = value.name;
  facts.bytes = value.bytes;
  if (value.producer == plan::kNone)
    return facts;
  const PlannedOp &op = problem.ops[value.producer];
  facts.module = op.module;
  facts.location = sg::sourceOf(op.op->getLoc());
  facts.milliseconds = problem.graph.ops[value.producer].cost;
  return facts;
}

/// Inserts the op's workspace among the pinned values, by size.
static void addWorkspace(const PlanProblem &problem,
                         const plan::ByteBound &proof,
                         std::vector<ValueFacts> &pinned) {
  ValueFacts facts;
  facts.name = "workspace of '" + problem.graph.ops[proof.cut].name + "'";
  facts.module = problem.ops[proof.cut].module;
  facts.location = sg::sourceOf(problem.ops[proof.cut].op->getLoc());
  facts.bytes = proof.workspaceBytes;
  auto behind =
      std::find_if(pinned.begin(), pinned.end(), [&](const ValueFacts &value) {
        return value.bytes < facts.bytes;
      });
  pinned.insert(behind, std::move(facts));
}

PointFacts driver::pointFactsOf(const PlanChoice &choice) {
  return {choice.bytes(), choice.milliseconds(), choice.kernels->mode};
}

BudgetFacts driver::budgetFactsOf(const std::string &model, BudgetPlans &plans,
                                  uint64_t budget,
                                  const plan::HostBudget &host) {
  BudgetFacts facts;
  facts.model = model;
  facts.fixed = plans.own().fixedBytes;
  facts.plain = pointFactsOf(plans.plain());
  facts.smallest = pointFactsOf(plans.smallest());
  facts.rounded =
      pointFactsOf(*plans.choose(budgetTextBytes(facts.smallest.bytes)));
  BudgetPlans::Proof proof =
      host.bytes ? provenWithHost(plans) : plans.provenBytes();
  if (host.bytes)
    if (std::optional<HostChoice> least = leastWithHost(plans, host)) {
      facts.smallestWithHost = {least->bytes, least->milliseconds(),
                                least->kernels->mode};
      facts.hostBytesOfSmallest = least->host.hostBytes;
    }
  facts.provenBytes = proof.bound.bytes;
  facts.asked = budget;
  if (proof.bound.cut == plan::kNone)
    return facts;
  facts.provenAt = proof.place(plans);
  facts.provenFixed = proof.fixedBytes;
  for (plan::ValueId id : proof.bound.pinned)
    facts.pinned.push_back(valueFactsOf(*proof.problem, id));
  if (proof.bound.workspaceBytes)
    addWorkspace(*proof.problem, proof.bound, facts.pinned);
  return facts;
}
