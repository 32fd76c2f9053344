//===- Problem.cpp - Graphs of files and their plans ----------------------===//

#include "reprise/PlanSearch/Problem.h"
#include "reprise/Console/Console.h"
#include "reprise/PlanSearch/InputFile.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostProcessors.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace reprise::plan::search {

using driver::misuse;
using rt::Status;

rt::Expected<Problem> loadProblem(const std::string &path) {
  REPRISE_EXPECT(file, loadGraph(path));
  Problem problem;
  problem.graph = std::move(file->graph);
  problem.hasOrder = file->hasOrder;
  if (file->hasOrder) {
    problem.order.resize(problem.graph.ops.size());
    std::iota(problem.order.begin(), problem.order.end(), 0);
  } else {
    problem.order = chooseOrder(problem.graph).order;
  }
  Solution everything;
  everything.executions = problem.order;
  everything.solver = "none";
  REPRISE_EXPECT(whole, placeSolution(problem, everything, kPlacementWork,
                                      Effort::Thorough));
  problem.whole = std::move(*whole);
  return problem;
}

rt::Expected<uint64_t> parseBudget(const std::string &text,
                                   const Problem &problem) {
  if (text.empty() || text.back() != '%') {
    rt::Expected<uint64_t> bytes = text::parseSize(text);
    if (!bytes.ok())
      return misuse(bytes.status().message());
    return bytes;
  }
  double percent = 0;
  const char *end = text.data() + text.size() - 1;
  auto parsed = std::from_chars(text.data(), end, percent);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(percent > 0) ||
      percent > 1000)
    return misuse("'" + text + "' is not a share of memory; write it as 80%");
  return uint64_t(double(problem.whole.height) * percent / 100);
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

static rt::Expected<double> parseSeconds(const std::string &text) {
  double value = 0;
  const char *end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, value);
  std::string unit(parsed.ptr, end);
  double scale = unit == "s" || unit.empty() ? 1
                 : unit == "ms"              ? 1e-3
                 : unit == "min"             ? 60
                                             : 0;
  if (parsed.ec != std::errc() || scale == 0 || !(value > 0) || value > 1e6)
    return misuse("'" + text +
                  "' is not a time; write it as 10s, 500ms or 2min");
  return value * scale;
}

rt::Expected<SolverOptions> SolverSettings::options() const {
  SolverOptions result;
  std::optional<Effort> given = effortOf(effort);
  if (!given)
    return misuse("--effort is '" + effort +
                  "'; it is quick, normal or thorough");
  result.effort = *given;
  result.work = work;
  result.threads = threads ? threads : rt::usableProcessors().processors;
  if (!timeLimit.empty()) {
    REPRISE_EXPECT(seconds, parseSeconds(timeLimit));
    result.timeLimitSeconds = *seconds;
  }
  if (driver::Activity *activity = driver::Activity::current())
    result.progress = [activity](double done) { activity->share(done); };
  return result;
}

std::vector<double> levelsOf(const SolverOptions &options) {
  if (options.timeLimitSeconds > 0)
    return {options.work};
  return workLevels(options.work);
}

rt::Expected<std::unique_ptr<Solver>> findSolver(const std::string &name) {
  if (std::unique_ptr<Solver> solver = createSolver(name))
    return solver;
  std::string names;
  for (const std::string &known : solverNames())
    names += (names.empty() ? "" : ", ") + known;
  std::string meant = text::nearest(name, solverNames());
  return misuse("no solver is called '" + name + "'" +
                (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                "; there are " + names);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

rt::Expected<Plan> placeSolution(const Problem &problem,
                                 const Solution &solution,
                                 uint64_t placementWork, Effort effort) {
  std::string error = checkExecutions(problem.graph, solution.executions);
  if (error.empty()) {
    Plan plan =
        makePlan(problem.graph, solution.executions, placementWork, effort);
    plan.solver = solution.solver;
    error = validatePlan(problem.graph, plan);
    if (error.empty())
      return plan;
  }
  return Status::error(RP_INTERNAL,
                       "the plan of solver '" + solution.solver +
                           "' is wrong, please report it: " + error);
}

uint64_t mostPlacementWork(const SolverOptions &options) {
  return uint64_t(std::min(1.0, options.work) * double(kPlacementWork));
}

rt::Expected<Attempt> solveWithin(const Problem &problem, const Solver &solver,
                                  SolverOptions options, uint64_t budget) {
  constexpr int rounds = 5;
  options.budgetBytes = budget;
  for (int round = 0; round < rounds; ++round) {
    Solution solution = solver.solve(problem.graph, problem.order, options);
    if (solution.executions.empty())
      break;
    REPRISE_EXPECT(plan,
                   placeSolution(problem, solution, mostPlacementWork(options),
                                 options.effort));
    if (plan->height <= budget)
      return Attempt{std::move(*plan), solution.isFinal && round == 0};
    uint64_t excess = plan->height - budget;
    uint64_t below = std::min(options.budgetBytes, plan->maxLive);
    if (excess >= below)
      break;
    options.budgetBytes = below - std::max(excess, kAlignment);
  }
  return Attempt();
}

/// Empty: any order.
static std::vector<OpId> orderToKeep(const Problem &problem) {
  return problem.hasOrder ? problem.order : std::vector<OpId>();
}

rt::Expected<std::optional<Plan>> solveExhaustively(const Problem &problem,
                                                    uint64_t budget) {
  std::optional<Plan> best;
  Status failure;
  auto place = [&](const Executions &executions) {
    Solution solution;
    solution.executions = executions;
    solution.solver = "exhaustive";
    rt::Expected<Plan> plan =
        placeSolution(problem, solution, kPlacementWork, Effort::Thorough);
    if (!plan.ok())
      failure = plan.status();
    else if (plan->height <= budget)
      best = std::move(*plan);
    return !plan.ok() || best;
  };
  searchExhaustively(problem.graph, orderToKeep(problem), budget, place);
  REPRISE_RETURN_IF_ERROR(failure);
  return best;
}

std::optional<uint64_t> leastOfAll(const Problem &problem) {
  return plan::leastOfAll(problem.graph, orderToKeep(problem));
}

/// Adds the cheapest plan of each smaller budget of a small graph to `placed`,
/// which ends with the plan of the largest budget.
static Status addOptima(const Problem &problem, std::vector<Plan> &placed) {
  while (placed.back().height >= kAlignment) {
    REPRISE_EXPECT(
        plan, solveExhaustively(problem, placed.back().height - kAlignment));
    if (!*plan)
      break;
    placed.push_back(std::move(**plan));
  }
  return {};
}

rt::Expected<std::vector<Plan>> placeFrontier(const Problem &problem,
                                              const SolverOptions &options,
                                              const std::vector<double> &levels,
                                              uint64_t placementWork) {
  std::vector<Plan> placed = {problem.whole};
  REPRISE_RETURN_IF_ERROR(addOptima(problem, placed));
  for (double level : levels) {
    SolverOptions only = options;
    only.work = level;
    uint64_t most = std::min(placementWork, mostPlacementWork(only));
    std::vector<FrontierPoint> points =
        computeFrontier(problem.graph, problem.order, only);
    REPRISE_RETURN_IF_ERROR(internalError(checkBounds(points)));
    for (const FrontierPoint &point : points) {
      REPRISE_EXPECT(
          plan, placeSolution(problem, point.solution, most, options.effort));
      placed.push_back(std::move(*plan));
    }
  }
  std::stable_sort(
      placed.begin(), placed.end(), [](const Plan &a, const Plan &b) {
        return a.height != b.height ? a.height < b.height
                                    : a.milliseconds < b.milliseconds;
      });
  std::vector<Plan> result;
  for (Plan &plan : placed)
    if (result.empty() || plan.milliseconds < result.back().milliseconds)
      result.push_back(std::move(plan));
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string bothSizes(uint64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  return text::formatSize(bytes) + " (" + std::to_string(bytes) + " B)";
}

static uint64_t placedBytes(const Graph &graph, ValueId id) {
  return (graph.values[id].bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::string describePinned(const Graph &graph, const ByteBound &bound) {
  constexpr size_t most = 5;
  const std::vector<ValueId> &pinned = bound.pinned;
  std::string text;
  uint64_t more = 0;
  for (size_t i = 0; i < pinned.size(); ++i) {
    uint64_t bytes = placedBytes(graph, pinned[i]);
    if (i < most)
      text += (i ? ", '" : "'") + graph.values[pinned[i]].name + "' " +
              text::formatSize(bytes);
    else
      more += bytes;
  }
  if (pinned.size() > most)
    text += " and " + std::to_string(pinned.size() - most) + " more of " +
            text::formatSize(more);
  if (!pinned.empty() && bound.workspaceBytes)
    text += ", with a workspace of " + text::formatSize(bound.workspaceBytes);
  return text;
}

std::string opName(const Graph &graph, OpId id) {
  return id == kNone ? "" : graph.ops[id].name;
}

OrderedJson pinnedJson(const Graph &graph, const ByteBound &bound) {
  auto json = OrderedJson::array();
  for (ValueId id : bound.pinned)
    json.push_back(
        {{"value", graph.values[id].name}, {"bytes", placedBytes(graph, id)}});
  return json;
}

rt::Status internalError(const std::string &error) {
  if (error.empty())
    return {};
  return Status::error(RP_INTERNAL,
                       "the planner contradicts itself, please report it: " +
                           error);
}

rt::Expected<double> gapOf(const Plan &plan, const LowerBound &bound) {
  REPRISE_RETURN_IF_ERROR(internalError(checkBound(bound, plan.milliseconds)));
  return bound.milliseconds > 0 ? plan.milliseconds / bound.milliseconds - 1
                                : 0;
}

std::string formatMilliseconds(double milliseconds) {
  int digits = milliseconds >= 100 ? 1 : milliseconds >= 1 ? 2 : 4;
  return text::formatFixed(milliseconds, digits) + " ms";
}

} // namespace reprise::plan::search
