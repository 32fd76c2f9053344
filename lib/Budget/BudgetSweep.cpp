//===- BudgetSweep.cpp - Plans of a step for all budgets ------------------===//

#include "reprise/Budget/BudgetSweep.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/Report/CurveChart.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

static constexpr uint64_t kBudgets = 20, kSolverBudgets = 6;

/// Published methods, cheap enough to run for a picture.
static constexpr const char *kSolvers[] = {"sqrt",    "chen",  "threshold",
                                           "revolve", "rotor", "eviction"};

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Returns the budget at step `at` of `count` from the smallest to the one
/// without recomputation.
static uint64_t budgetAt(const BudgetFacts &facts, uint64_t at,
                         uint64_t count) {
  uint64_t range = facts.plain.bytes - facts.smallest.bytes;
  return at + 1 == count ? facts.plain.bytes
                         : facts.smallest.bytes + range / (count - 1) * at;
}

static void addSolver(BudgetPlans &plans, const std::string &name,
                      unsigned threads, SweepFacts &facts) {
  BudgetCurve &curve = plans.own();
  std::unique_ptr<plan::Solver> solver = plan::createSolver(name);
  const plan::Graph &graph = curve.problem.graph;
  std::vector<std::pair<uint64_t, double>> seen;
  for (uint64_t at = 0; at + 1 < kSolverBudgets; ++at) {
    plan::SolverOptions options;
    options.threads = threads;
    // "sqrt" ignores the budget.
    uint64_t budget =
        name == "sqrt" ? 0 : budgetAt(facts.budget, at, kSolverBudgets);
    options.budgetBytes = budget ? budget - curve.fixedBytes : UINT64_MAX;
    plan::Solution solution = solver->solve(graph, curve.order, options);
    std::pair<uint64_t, double> point = {solution.maxLive,
                                         solution.milliseconds};
    if (solution.executions.empty() ||
        std::find(seen.begin(), seen.end(), point) != seen.end())
      continue;
    seen.push_back(point);
    plan::Plan placed =
        plan::makePlan(graph, solution.executions, plan::kPlacementWork / 8);
    uint64_t bytes = curve.fixedBytes + plan::touchedHeight(graph, placed);
    PointFacts plan = {std::max(bytes, plans.otherBytes()),
                       solution.milliseconds, ""};
    facts.baselines.push_back({name, false, plan, budget});
  }
}

SweepFacts driver::sweepPlans(BudgetPlans &plans, BudgetFacts budget,
                              unsigned threads) {
  SweepFacts facts;
  facts.budget = std::move(budget);
  std::vector<uint64_t> budgets;
  for (uint64_t at = 0; at < kBudgets; ++at)
    budgets.push_back(budgetAt(facts.budget, at, kBudgets));
  // The user's own budget is a row too.
  if (facts.budget.plan && facts.budget.asked < facts.budget.plain.bytes)
    budgets.push_back(facts.budget.asked);
  std::sort(budgets.begin(), budgets.end());
  for (uint64_t bytes : budgets) {
    std::optional<PlanChoice> choice = plans.choose(bytes);
    if (!choice)
      continue;
    // The plan's own bytes are also a budget, and a tighter one.
    PointFacts plan = pointFactsOf(*choice);
    if (!facts.rows.empty() && facts.rows.back().budget == plan.bytes)
      continue;
    plan::LowerBound bound = plans.boundAt(plan.bytes);
    facts.rows.push_back({plan.bytes, plan, bound.milliseconds});
    if (facts.contradiction.empty())
      facts.contradiction = plan::checkBound(bound, plan.milliseconds);
  }
  for (const char *name : kSolvers)
    addSolver(plans, name, threads, facts);
  return facts;
}

rt::Status driver::sweepModel(Compiler &compiler, const ModelRequest &request,
                              SweepFacts &sweep) {
  REPRISE_EXPECT(planned, compiler.planWithin(request.compile));
  const BudgetAnswer &answer = planned->answer;
  BudgetFacts facts =
      budgetFactsOf(request.source, planned->plans, answer.bytes);
  if (answer.choice)
    facts.plan = pointFactsOf(*answer.choice);
  sweep = sweepPlans(planned->plans, facts, request.compile.threads);
  if (!sweep.contradiction.empty())
    return contradiction(sweep.contradiction);
  return answer.isMet() ? compiler.lowerPlanned(*planned, request.compile)
                        : rt::Status();
}

rt::Status driver::addModes(const ModelRequest &request,
                            const std::vector<Checkpointing> &modes,
                            SweepFacts &facts) {
  for (Checkpointing mode : modes) {
    Activity activity("planning " + request.source + " (" + mode.text() + ")");
    ModelRequest one = request;
    one.compile.checkpointing = mode;
    one.compile.keep.clear();
    one.compile.recompute.clear();
    REPRISE_EXPECT(planned, planRequest(one, kNoSearch));
    facts.baselines.push_back(
        {mode.text(), true, pointFactsOf(planned->plans->plain())});
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Returns the share of `value` above `base`. A mode's kernels may take less
/// time than `base`; recomputation is then 0, not negative.
static std::string moreThan(double value, double base) {
  double more = base > 0 ? std::max(0.0, value / base - 1) : 0;
  return text::formatFixed(more * 100, 2) + "%";
}

/// Returns "in 5.1 MiB" for each solver that was given a budget; "" for others.
static std::vector<std::string> budgetsOf(const SweepFacts &facts) {
  std::vector<uint64_t> given;
  for (const BaselineFacts &baseline : facts.baselines)
    if (baseline.budget)
      given.push_back(baseline.budget);
  std::vector<std::string> sizes = text::formatSizesApart(given), texts;
  auto size = sizes.begin();
  for (const BaselineFacts &baseline : facts.baselines)
    texts.push_back(baseline.budget ? "in " + *size++ : "");
  return texts;
}

/// Returns the row whose plan another method found as well.
static std::optional<size_t> repeatedRow(const SweepFacts &facts,
                                         const PointFacts &plan) {
  for (size_t at = 0; at < facts.rows.size(); ++at)
    if (facts.rows[at].plan.bytes == plan.bytes &&
        facts.rows[at].plan.milliseconds == plan.milliseconds)
      return at;
  return std::nullopt;
}

static std::vector<std::string> sizesOf(const std::vector<SweepRow> &rows) {
  std::vector<uint64_t> bytes;
  for (const SweepRow &row : rows)
    bytes.push_back(row.budget);
  return text::formatSizesApart(bytes);
}

static std::string kindOf(const SweepFacts &facts,
                          const BaselineFacts &baseline) {
  std::string kind = baseline.isMode ? "checkpointing mode" : "solver";
  if (std::optional<size_t> same = repeatedRow(facts, baseline.plan))
    return kind + ", as the plan above for " + sizesOf(facts.rows)[*same];
  if (baseline.plan.milliseconds == facts.budget.plain.milliseconds)
    return kind + ", recomputes nothing";
  return kind;
}

static std::string baselineTable(const SweepFacts &facts) {
  text::Table table({{"method", text::Align::Left},
                     {"peak"},
                     {"share"},
                     {"step"},
                     {"recomputed"},
                     {"kind", text::Align::Left}});
  const PointFacts &plain = facts.budget.plain;
  std::vector<uint64_t> bytes;
  for (const BaselineFacts &baseline : facts.baselines)
    bytes.push_back(baseline.plan.bytes);
  std::vector<std::string> sizes = text::formatSizesApart(bytes);
  std::vector<std::string> within = budgetsOf(facts);
  for (size_t at = 0; at < facts.baselines.size(); ++at) {
    const BaselineFacts &baseline = facts.baselines[at];
    table.add(
        {baseline.method + (within[at].empty() ? "" : " " + within[at]),
         sizes[at],
         text::formatPercent(double(baseline.plan.bytes) / double(plain.bytes)),
         formatMilliseconds(baseline.plan.milliseconds),
         moreThan(baseline.plan.milliseconds, plain.milliseconds),
         kindOf(facts, baseline)});
  }
  return table.str();
}

std::string driver::toText(const SweepFacts &facts) {
  text::Table table(
      {{"budget"}, {"share"}, {"step"}, {"recomputed"}, {"bound"}, {"gap"}});
  const PointFacts &plain = facts.budget.plain;
  std::vector<std::string> sizes = sizesOf(facts.rows);
  auto size = sizes.begin();
  for (const SweepRow &row : facts.rows)
    table.add({*size++,
               text::formatPercent(double(row.budget) / double(plain.bytes)),
               formatMilliseconds(row.plan.milliseconds),
               moreThan(row.plan.milliseconds, plain.milliseconds),
               formatMilliseconds(row.boundMilliseconds),
               moreThan(row.plan.milliseconds, row.boundMilliseconds)});
  return table.str() +
         "\nshare: of the peak without recomputation; no schedule of the "
         "kernels as formed exists below " +
         text::formatSize(facts.budget.provenBytes) + "\n\n" +
         baselineTable(facts);
}

//===----------------------------------------------------------------------===//
// JSON and picture
//===----------------------------------------------------------------------===//

nlohmann::ordered_json driver::toJson(const SweepFacts &facts) {
  nlohmann::ordered_json json = toJson(facts.budget);
  json["curve"] = nlohmann::ordered_json::array();
  for (const SweepRow &row : facts.rows) {
    double gap = row.boundMilliseconds > 0
                     ? row.plan.milliseconds / row.boundMilliseconds - 1
                     : 0;
    nlohmann::ordered_json line = {{"budget_bytes", row.budget},
                                   {"peak_bytes", row.plan.bytes},
                                   {"step_ms", row.plan.milliseconds},
                                   {"bound_ms", row.boundMilliseconds},
                                   {"gap", gap}};
    json["curve"].push_back(std::move(line));
  }
  json["baselines"] = nlohmann::ordered_json::array();
  for (const BaselineFacts &baseline : facts.baselines) {
    nlohmann::ordered_json line = {
        {"method", baseline.method},
        {"kind", baseline.isMode ? "mode" : "solver"}};
    if (baseline.budget)
      line["budget_bytes"] = baseline.budget;
    line["peak_bytes"] = baseline.plan.bytes;
    line["step_ms"] = baseline.plan.milliseconds;
    if (auto same = repeatedRow(facts, baseline.plan))
      line["same_as_budget_bytes"] = facts.rows[*same].budget;
    json["baselines"].push_back(std::move(line));
  }
  return json;
}

std::string driver::toSvg(const SweepFacts &facts, const std::string &title,
                          int64_t batch) {
  CurveChart chart;
  chart.title = title;
  chart.fixedBytes = facts.budget.fixed;
  chart.batch = batch;
  chart.subtitle =
      "without recomputation: " + text::formatSize(facts.budget.plain.bytes) +
      ", " + formatMilliseconds(facts.budget.plain.milliseconds) + " a step";
  chart.plain = {"", facts.budget.plain.bytes, facts.budget.plain.milliseconds};
  for (const SweepRow &row : facts.rows) {
    chart.curve.push_back({"", row.plan.bytes, row.plan.milliseconds});
    chart.bound.push_back({"", row.budget, row.boundMilliseconds});
  }
  std::vector<std::string> within = budgetsOf(facts);
  for (size_t at = 0; at < facts.baselines.size(); ++at) {
    const BaselineFacts &baseline = facts.baselines[at];
    (baseline.isMode ? chart.modes : chart.solvers)
        .push_back({baseline.method, baseline.plan.bytes,
                    baseline.plan.milliseconds, within[at]});
  }
  chart.provenBytes = facts.budget.provenBytes;
  if (facts.budget.plan)
    chart.asked =
        CurvePoint{(facts.isAsked ? "budget " : "knee (--budget auto), ") +
                       text::formatSize(facts.budget.asked),
                   facts.budget.plan->bytes, facts.budget.plan->milliseconds};
  return writeCurve(chart);
}
