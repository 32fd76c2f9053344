//===- SolveCommand.cpp - reprise-plan solve ------------------------------===//

#include "Command.h"
#include "reprise/PlanFormat/PlanJson.h"
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
struct SolveOptions {
  std::string graph, budget, solver = "auto", output;
  bool json = false;
  SolverSettings solving;
};
} // namespace

static rt::Status refuse(const SolveOptions &options, const Problem &problem,
                         uint64_t budget, const BudgetRefusal &refusal) {
  const ByteBound &bound = refusal.bound;
  REPRISE_RETURN_IF_ERROR(
      internalError(checkByteBound(bound, refusal.smallest)));
  std::string atOp = opName(problem.graph, bound.cut);
  if (options.json) {
    OrderedJson json = {{"met", false},
                        {"budget_bytes", budget},
                        {"smallest_bytes", refusal.smallest},
                        {"bound_bytes", bound.bytes},
                        {"bound_at", atOp},
                        {"pinned", pinnedJson(problem.graph, bound)},
                        {"workspace_bytes", bound.workspaceBytes}};
    REPRISE_RETURN_IF_ERROR(driver::print(json.dump(2) + "\n"));
  }
  bool proven = budget < bound.bytes;
  bool isOther = !proven && options.solver != "auto";
  std::string by = isOther ? " by solver '" + options.solver + "'"
                           : ", which is not proven to be impossible";
  std::string message =
      "budget of " + bothSizes(budget) +
      (proven ? " cannot be met by any schedule" : " is not met" + by) +
      (proven && refusal.isOfOrder ? " in the file's order" : "") +
      (refusal.smallest > bound.bytes ? "; the smallest found"
                                      : "; the smallest that is met") +
      (isOther ? " by 'auto' is " : " is ") + bothSizes(refusal.smallest) +
      "\nnote: every schedule needs at least " + bothSizes(bound.bytes);
  if (!atOp.empty() && bound.pinned.empty())
    message += "; '" + atOp + "' has a workspace of " +
               text::formatSize(bound.workspaceBytes);
  if (!bound.pinned.empty())
    message += "; at '" + atOp +
               "' these are live: " + describePinned(problem.graph, bound);
  message += "\nnote: try 'reprise-plan solve " + options.graph + " --budget " +
             std::to_string(refusal.smallest) + "'";
  return driver::invalid(message);
}

static rt::Status report(const SolveOptions &options, const Problem &problem,
                         uint64_t budget, const Plan &plan,
                         const LowerBound &bound) {
  double base = problem.whole.milliseconds;
  double extra = plan.milliseconds - base;
  double share = base > 0 ? extra / base : 0;
  REPRISE_EXPECT(gap, gapOf(plan, bound));
  if (options.json) {
    OrderedJson json = {{"met", true},
                        {"budget_bytes", budget},
                        {"max_live_bytes", plan.maxLive},
                        {"height_bytes", plan.height},
                        {"whole_bytes", problem.whole.height},
                        {"cost_ms", plan.milliseconds},
                        {"recomputed_ms", extra},
                        {"recomputed_share", share},
                        {"bound_ms", bound.milliseconds},
                        {"gap", *gap},
                        {"ms_per_mib", bound.millisecondsPerMiB},
                        {"solver", plan.solver},
                        {"placement", plan.strategy}};
    return driver::print(json.dump(2) + "\n");
  }
  text::Table table({{"budget"},
                     {"live"},
                     {"placed"},
                     {"cost"},
                     {"recomputed"},
                     {"share"},
                     {"bound"},
                     {"gap"},
                     {"solver", text::Align::Left}});
  table.add({text::formatSize(budget), text::formatSize(plan.maxLive),
             text::formatSize(plan.height),
             formatMilliseconds(plan.milliseconds), formatMilliseconds(extra),
             text::formatFixed(share * 100, 2) + "%",
             formatMilliseconds(bound.milliseconds),
             text::formatFixed(*gap * 100, 2) + "%", plan.solver});
  return driver::print(table.str());
}

static rt::Status solve(const SolveOptions &options) {
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(driver::checkOutput(options.output));
  REPRISE_EXPECT(solver, findSolver(options.solver));
  driver::Activity activity("solving " + inputName(options.graph));
  REPRISE_EXPECT(flags, options.solving.options());
  REPRISE_EXPECT(problem, loadProblem(options.graph));
  REPRISE_EXPECT(budget, parseBudget(options.budget, *problem));
  REPRISE_EXPECT(outcome,
                 search::solve(*problem, **solver, *flags, *budget, activity));
  SolveResult &found = *outcome;
  if (!found.plan)
    return refuse(options, *problem, *budget, found.refusal);
  LowerBound bound = lowerBound(problem->graph, *budget,
                                flags->work * paceOf(flags->effort).proof);
  if (!options.output.empty()) {
    REPRISE_RETURN_IF_ERROR(driver::writeText(
        options.output, format::writePlan(problem->graph, *found.plan)));
    if (options.output == "-")
      return {};
  }
  return report(options, *problem, *budget, *found.plan, bound);
}

void plan::tool::addSolveCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "solve", "Chooses what to recompute so that a graph fits a budget");
  auto options = std::make_shared<SolveOptions>();
  addGraph(*command, options->graph);
  command
      ->add_option("--budget", options->budget,
                   "Bytes of the placed area: 4096, 512MiB, 2GB, or 80% of "
                   "those without recomputation")
      ->required();
  command->add_option("--solver", options->solver,
                      "auto (default), none, segments=N, sqrt, chen, "
                      "threshold, revolve, rotor, eviction, cut or search");
  addSolverOptions(*command, options->solving);
  command->add_option("-o,--output", options->output,
                      "File for the plan; - for standard output, without the "
                      "table");
  command->add_flag("--json", options->json, "Print JSON");
  driver::addExamples(
      *command, "  reprise-plan solve graph.json --budget 2GiB -o plan.json\n"
                "  reprise-plan solve graph.json --budget 60% --solver sqrt\n"
                "  reprise-plan solve - --budget 60% --time-limit 10s --json "
                "< graph.json");
  command->callback([options, &invocation] {
    invocation = [options] { return solve(*options); };
  });
}
