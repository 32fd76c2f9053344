//===- BudgetFacts.cpp - What a budget does to a step ---------------------===//

#include "BudgetFacts.h"
#include "reprise/IR/Origin.h"
#include "text/Size.h"
#include "text/Table.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::tools;
using nlohmann::ordered_json;

/// Lines that a table of costly values has, and a refusal of pinned ones.
static constexpr size_t kCostly = 10, kPinned = 5;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static double excess(double value, double base) {
  return base > 0 ? value / base - 1 : 0;
}

double BudgetFacts::gap() const {
  return excess(plan->milliseconds, boundMilliseconds);
}

double BudgetFacts::smallestGap() const {
  return excess(double(smallest.bytes), double(provenBytes));
}

ValueFacts tools::valueFactsOf(const PlanProblem &problem, plan::ValueId id) {
  const plan::Value &value = problem.graph.values[id];
  ValueFacts facts;
  facts.name = value.name;
  facts.bytes = value.bytes;
  if (value.producer == plan::kNone)
    return facts;
  mlir::Operation *op = problem.ops[value.producer].op;
  facts.module = sg::pathOf(op).str();
  facts.location = sg::sourceOf(op->getLoc());
  facts.milliseconds = problem.graph.ops[value.producer].cost;
  return facts;
}

PointFacts tools::pointFactsOf(const PlanChoice &choice) {
  return {choice.bytes(), choice.milliseconds(), choice.kernels->mode};
}

/// Ops executed more than once, and what a mode chosen for its kernels computes
/// again, by the time that takes.
static std::vector<ValueFacts> findCostly(const PlanChoice &choice) {
  const BudgetCurve &curve = choice.curve();
  const plan::Graph &graph = curve.problem.graph;
  std::vector<uint32_t> executions(graph.ops.size(), 0);
  for (plan::OpId id : curve.points[choice.point].solution.executions)
    ++executions[id];
  std::vector<ValueFacts> costly;
  for (plan::OpId id = 0; id < graph.ops.size(); ++id) {
    const plan::Op &op = graph.ops[id];
    bool isClone = !choice.kernels->mode.empty() &&
                   curve.problem.ops[id].phase == rt_dialect::Phase::Recompute;
    uint32_t again = executions[id] - !isClone;
    if (!again || op.outputs.empty())
      continue;
    ValueFacts facts = valueFactsOf(curve.problem, op.outputs.front());
    for (size_t other = 1; other < op.outputs.size(); ++other)
      facts.bytes += graph.values[op.outputs[other]].bytes;
    facts.times = again;
    costly.push_back(std::move(facts));
  }
  std::stable_sort(costly.begin(), costly.end(),
                   [](const ValueFacts &a, const ValueFacts &b) {
                     return a.milliseconds * a.times > b.milliseconds * b.times;
                   });
  costly.resize(std::min(costly.size(), kCostly));
  return costly;
}

static void proveSmallest(BudgetPlans &plans, BudgetFacts &facts) {
  auto [curve, proof] = plans.provenBytes();
  facts.provenBytes = proof.bytes;
  if (proof.cut == plan::kNone)
    return;
  facts.provenAt = curve->problem.graph.ops[proof.cut].name;
  for (plan::ValueId id : proof.pinned) {
    if (facts.pinned.size() == kPinned)
      break;
    facts.pinned.push_back(valueFactsOf(curve->problem, id));
  }
}

BudgetFacts tools::budgetFactsOf(const std::string &model, BudgetPlans &plans,
                                 uint64_t budget,
                                 std::optional<PlanChoice> choice) {
  BudgetFacts facts;
  facts.model = model;
  facts.fixed = plans.own().fixedBytes;
  facts.plain = pointFactsOf(plans.plain());
  facts.smallest = pointFactsOf(plans.smallest());
  uint64_t rounded = budgetTextBytes(facts.smallest.bytes);
  facts.rounded = pointFactsOf(*plans.choose(rounded));
  proveSmallest(plans, facts);
  facts.asked = budget;
  if (!choice)
    return facts;
  facts.plan = pointFactsOf(*choice);
  plan::LowerBound bound = plans.boundAt(budget);
  facts.boundMilliseconds = bound.milliseconds;
  facts.millisecondsPerMiB = bound.millisecondsPerMiB;
  facts.costly = findCostly(*choice);
  return facts;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The unit whose rounding costs less than a hundredth.
static uint64_t budgetUnit(uint64_t bytes) {
  return bytes >= uint64_t(100) << 20 ? 1 << 20
         : bytes >= 100 << 10         ? 1 << 10
                                      : 1;
}

uint64_t tools::budgetTextBytes(uint64_t bytes) {
  uint64_t unit = budgetUnit(bytes);
  return (bytes + unit - 1) / unit * unit;
}

std::string tools::budgetText(uint64_t bytes) {
  uint64_t unit = budgetUnit(bytes);
  return std::to_string((bytes + unit - 1) / unit) + (unit == 1 ? "B"
                                                      : unit == 1 << 10
                                                          ? "KiB"
                                                          : "MiB");
}

std::string tools::formatMilliseconds(double milliseconds) {
  if (milliseconds >= 1000)
    return text::formatFixed(milliseconds / 1000, 2) + " s";
  int digits = milliseconds >= 100  ? 0
               : milliseconds >= 10 ? 1
               : milliseconds >= 1  ? 2
                                    : 3;
  return text::formatFixed(milliseconds, digits) + " ms";
}

std::string tools::formatMore(double share) {
  int digits = share < 0.1 ? 2 : 1;
  return (share < 0 ? "" : "+") + text::formatFixed(share * 100, digits) + "%";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string sizeAndBytes(uint64_t bytes) {
  return text::formatSize(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

static std::string costlyTable(const std::vector<ValueFacts> &values) {
  text::Table table({{"computed again", text::Align::Left},
                     {"module", text::Align::Left},
                     {"bytes"},
                     {"ms"},
                     {"times"}});
  for (const ValueFacts &value : values)
    table.add({value.name, value.module.empty() ? "(none)" : value.module,
               text::formatSize(value.bytes),
               text::formatFixed(value.milliseconds, 3),
               std::to_string(value.times)});
  return table.str();
}

/// ", with the kernels of 'per-block'".
static std::string kernelsText(const PointFacts &point) {
  return point.kernels.empty()
             ? ""
             : ", with the kernels of '" + point.kernels + "'";
}

std::string tools::toText(const BudgetFacts &facts) {
  text::Facts lines;
  double plainMs = facts.plain.milliseconds;
  lines.add("smallest budget",
            sizeAndBytes(facts.smallest.bytes) + kernelsText(facts.smallest) +
                ", the step then takes " +
                formatMilliseconds(facts.smallest.milliseconds) + ", " +
                formatMore(excess(facts.smallest.milliseconds, plainMs)));
  lines.add("proven", "no schedule of the kernels as formed exists below " +
                          sizeAndBytes(facts.provenBytes) + ", " +
                          text::formatFixed(facts.smallestGap() * 100, 2) +
                          "% less");
  lines.add("not needed", "from " + sizeAndBytes(facts.plain.bytes) +
                              " up nothing is computed again: " +
                              formatMilliseconds(plainMs) + " a step");
  lines.add("asked", sizeAndBytes(facts.asked) + ", " +
                         text::formatPercent(double(facts.asked) /
                                             double(facts.plain.bytes)) +
                         " of that");
  lines.add("predicted peak", sizeAndBytes(facts.plan->bytes) + ", of which " +
                                  text::formatSize(facts.fixed) +
                                  " variables and constants" +
                                  kernelsText(*facts.plan));
  lines.add("computed again",
            formatMilliseconds(facts.recomputeMilliseconds()) + " a step, " +
                formatMore(excess(facts.plan->milliseconds, plainMs)));
  lines.add("lower bound",
            formatMilliseconds(facts.boundMilliseconds) +
                " a step for any schedule within this budget; this one takes " +
                formatMilliseconds(facts.plan->milliseconds) + ", gap " +
                text::formatFixed(facts.gap() * 100, 2) + "%");
  lines.add("shadow price", formatMilliseconds(facts.millisecondsPerMiB) +
                                " a step saved at most by one more MiB");
  std::string text = lines.str();
  if (!facts.costly.empty())
    text += "\n" + costlyTable(facts.costly);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

ordered_json tools::toJson(const ValueFacts &value) {
  ordered_json json = {{"name", value.name},
                       {"module", value.module},
                       {"location", value.location},
                       {"bytes", value.bytes},
                       {"milliseconds", value.milliseconds}};
  if (value.times)
    json["times"] = value.times;
  return json;
}

static ordered_json toJson(const PointFacts &point) {
  return {{"bytes", point.bytes},
          {"milliseconds", point.milliseconds},
          {"kernels", point.kernels}};
}

static ordered_json toJson(const std::vector<ValueFacts> &values) {
  auto json = ordered_json::array();
  for (const ValueFacts &value : values)
    json.push_back(tools::toJson(value));
  return json;
}

ordered_json tools::toJson(const BudgetFacts &facts) {
  ordered_json json = {{"source", facts.model},
                       {"fixed_bytes", facts.fixed},
                       {"without_recomputation", ::toJson(facts.plain)},
                       {"smallest", ::toJson(facts.smallest)},
                       {"proven_bytes", facts.provenBytes},
                       {"proven_at", facts.provenAt},
                       {"smallest_gap", facts.smallestGap()},
                       {"pinned", ::toJson(facts.pinned)},
                       {"budget_bytes", facts.asked},
                       {"feasible", facts.plan.has_value()}};
  if (!facts.plan)
    return json;
  json["peak_bytes"] = facts.plan->bytes;
  json["step_ms"] = facts.plan->milliseconds;
  json["kernels"] = facts.plan->kernels;
  json["recomputed_ms"] = facts.recomputeMilliseconds();
  json["recomputed_share"] =
      excess(facts.plan->milliseconds, facts.plain.milliseconds);
  json["bound_ms"] = facts.boundMilliseconds;
  json["gap"] = facts.gap();
  json["ms_per_mib"] = facts.millisecondsPerMiB;
  json["costly"] = ::toJson(facts.costly);
  return json;
}
