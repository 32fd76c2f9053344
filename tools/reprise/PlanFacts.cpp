//===- PlanFacts.cpp - What plans say of a budget -------------------------===//

#include "PlanFacts.h"
#include "reprise/IR/Origin.h"

using namespace reprise;
using namespace reprise::tools;

/// Values that a refusal names.
static constexpr size_t kPinned = 5;

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

PointFacts tools::pointFactsOf(const PlanChoice &choice) {
  return {choice.bytes(), choice.milliseconds(), choice.kernels->mode};
}

BudgetFacts tools::budgetFactsOf(const std::string &model, BudgetPlans &plans,
                                 uint64_t budget) {
  BudgetFacts facts;
  facts.model = model;
  facts.fixed = plans.own().fixedBytes;
  facts.plain = pointFactsOf(plans.plain());
  facts.smallest = pointFactsOf(plans.smallest());
  facts.rounded =
      pointFactsOf(*plans.choose(budgetTextBytes(facts.smallest.bytes)));
  auto [curve, proof] = plans.provenBytes();
  facts.provenBytes = proof.bytes;
  facts.asked = budget;
  if (proof.cut == plan::kNone)
    return facts;
  facts.provenAt = curve->problem.graph.ops[proof.cut].name;
  for (size_t at = 0; at < std::min(kPinned, proof.pinned.size()); ++at)
    facts.pinned.push_back(valueFactsOf(curve->problem, proof.pinned[at]));
  return facts;
}
