//===- SweepCommand.cpp - reprise-plan sweep ------------------------------===//

#include "Command.h"
#include "reprise/PlanSearch/InputFile.h"
#include "reprise/PlanSearch/Solve.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::search;
using namespace reprise::plan::tool;

namespace {
struct SweepOptions {
  std::string graph;
  std::vector<std::string> solvers;
  bool json = false;
  SolverSettings solving;
};
} // namespace

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
  REPRISE_EXPECT(solving, options.solving.options());
  REPRISE_EXPECT(problem, loadProblem(options.graph));
  REPRISE_EXPECT(rows, search::sweep(*problem, *solving, options.solvers));
  return driver::print(options.json ? sweepJson(*problem, *rows).dump(2) + "\n"
                                    : sweepTable(*problem, *rows));
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
  addSolverOptions(*command, options->solving);
  command->add_flag("--json", options->json, "Print JSON");
  driver::addExamples(*command,
                      "  reprise-plan sweep graph.json\n"
                      "  reprise-plan sweep graph.json --solvers sqrt,rotor "
                      "--json");
  command->callback([options, &invocation] {
    invocation = [options] { return sweep(*options); };
  });
}
