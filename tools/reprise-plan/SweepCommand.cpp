//===- SweepCommand.cpp - reprise-plan sweep ------------------------------===//
//
// The frontier from the smallest bytes found to those without recomputation,
// and for comparison the plans of each baseline for eight budgets in between.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Input.h"
#include "Solving.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::tool;

namespace {
struct SweepOptions {
  std::string graph;
  std::vector<std::string> solvers;
  bool json = false;
  SolverFlags flags;
};

struct SweepRow {
  Plan plan;
  LowerBound bound;
  double gap; // of the plan's cost above the bound
  bool onFrontier;
};
} // namespace

/// Fixed rules and chain solvers, which the searches must not lose against.
static const std::vector<std::string> kBaselines = {
    "none", "sqrt", "chen", "threshold", "revolve", "rotor", "eviction", "cut"};

static rt::Status addBaseline(const Problem &problem, const std::string &name,
                              uint64_t smallest, const SolverOptions &options,
                              std::vector<SweepRow> &rows) {
  constexpr uint64_t budgets = 8;
  rt::Expected<std::unique_ptr<Solver>> solver = findSolver(name);
  if (!solver.ok())
    return solver.status();
  uint64_t largest = problem.whole.height;
  std::vector<std::pair<uint64_t, double>> seen;
  for (uint64_t i = 0; i < budgets; ++i) {
    uint64_t budget = smallest + (largest - smallest) / (budgets - 1) * i;
    if (i + 1 == budgets)
      budget = largest;
    rt::Expected<Attempt> attempt =
        solveWithin(problem, **solver, options, budget);
    if (!attempt.ok())
      return attempt.status();
    std::optional<Plan> &plan = attempt->plan;
    if (!plan)
      continue;
    std::pair<uint64_t, double> point = {plan->height, plan->milliseconds};
    if (std::find(seen.begin(), seen.end(), point) != seen.end())
      continue;
    seen.push_back(point);
    rows.push_back({std::move(*plan), {}, 0, false});
    rows.back().plan.solver = name;
  }
  return {};
}

static std::string sweepTable(const Problem &problem,
                              const std::vector<SweepRow> &rows) {
  text::Table table({{"budget"},
                     {"of whole"},
                     {"live"},
                     {"cost"},
                     {"recomputed"},
                     {"bound"},
                     {"gap"},
                     {"solver", text::Align::Left},
                     {"frontier", text::Align::Left}});
  double base = problem.whole.milliseconds;
  for (const SweepRow &row : rows) {
    double whole = double(std::max<uint64_t>(problem.whole.height, 1));
    double share = base > 0 ? row.plan.milliseconds / base - 1 : 0;
    table.add({text::formatSize(row.plan.height),
               text::formatPercent(double(row.plan.height) / whole),
               text::formatSize(row.plan.maxLive),
               formatMilliseconds(row.plan.milliseconds),
               text::formatFixed(share * 100, 2) + "%",
               formatMilliseconds(row.bound.milliseconds),
               text::formatFixed(row.gap * 100, 2) + "%", row.plan.solver,
               row.onFrontier ? "*" : ""});
  }
  return table.str();
}

static OrderedJson sweepJson(const Problem &problem,
                             const std::vector<SweepRow> &rows) {
  auto json = OrderedJson::array();
  for (const SweepRow &row : rows)
    json.push_back(
        {{"budget_bytes", row.plan.height},
         {"max_live_bytes", row.plan.maxLive},
         {"whole_bytes", problem.whole.height},
         {"cost_ms", row.plan.milliseconds},
         {"recomputed_ms", row.plan.milliseconds - problem.whole.milliseconds},
         {"bound_ms", row.bound.milliseconds},
         {"gap", row.gap},
         {"solver", row.plan.solver},
         {"frontier", row.onFrontier}});
  return json;
}

static rt::Status sweep(const SweepOptions &options) {
  for (const std::string &name : options.solvers)
    if (rt::Expected<std::unique_ptr<Solver>> solver = findSolver(name);
        !solver.ok())
      return solver.status();
  driver::Activity activity("sweeping " + inputName(options.graph));
  rt::Expected<SolverOptions> flags = options.flags.options();
  if (!flags.ok())
    return flags.status();
  rt::Expected<Problem> problem = loadProblem(options.graph);
  if (!problem.ok())
    return problem.status();
  rt::Expected<std::vector<Plan>> frontier =
      placeFrontier(*problem, *flags, levelsOf(*flags), kPlacementWork / 8);
  if (!frontier.ok())
    return frontier.status();
  uint64_t smallest = frontier->front().height;
  std::vector<SweepRow> rows;
  for (Plan &plan : *frontier)
    rows.push_back({std::move(plan), {}, 0, true});
  for (const std::string &name :
       options.solvers.empty() ? kBaselines : options.solvers)
    REPRISE_RETURN_IF_ERROR(
        addBaseline(*problem, name, smallest, *flags, rows));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SweepRow &a, const SweepRow &b) {
                     return a.plan.height < b.plan.height;
                   });
  for (SweepRow &row : rows) {
    row.bound = lowerBound(problem->graph, row.plan.height,
                           flags->work * paceOf(flags->effort).proof);
    rt::Expected<double> gap = gapOf(row.plan, row.bound);
    if (!gap.ok())
      return gap.status();
    row.gap = *gap;
  }
  return driver::print(options.json ? sweepJson(*problem, rows).dump(2) + "\n"
                                    : sweepTable(*problem, rows));
}

void plan::tool::addSweepCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "sweep", "Plans for every budget, from the smallest to none needed");
  auto options = std::make_shared<SweepOptions>();
  addGraph(*command, options->graph);
  command
      ->add_option("--solvers", options->solvers,
                   "Solvers to show in addition to the frontier, separated by "
                   "commas; all baselines by default")
      ->delimiter(',');
  options->flags.addTo(*command);
  command->add_flag("--json", options->json, "Print JSON");
  driver::addExamples(*command,
                      "  reprise-plan sweep graph.json\n"
                      "  reprise-plan sweep graph.json --solvers sqrt,rotor "
                      "--json");
  command->callback([options, &invocation] {
    invocation = [options] { return sweep(*options); };
  });
}
