//===- BoundCommand.cpp - reprise-plan bound ------------------------------===//

#include "Command.h"
#include "reprise/PlanSearch/Problem.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::search;
using namespace reprise::plan::tool;

namespace {
struct BoundOptions {
  std::string graph, budget;
  double work = 1;
  bool json = false;
};
} // namespace

static OrderedJson boundJson(const Problem &problem, const ByteBound &bytes,
                             const std::optional<uint64_t> &budget,
                             const LowerBound &bound) {
  const Graph &graph = problem.graph;
  OrderedJson json = {{"whole_bytes", problem.whole.height},
                      {"whole_ms", problem.whole.milliseconds},
                      {"bound_bytes", bytes.bytes},
                      {"bound_at", opName(graph, bytes.cut)},
                      {"pinned", pinnedJson(graph, bytes)},
                      {"workspace_bytes", bytes.workspaceBytes}};
  if (!budget)
    return json;
  json["budget_bytes"] = *budget;
  json["feasible"] = bound.feasible;
  if (bound.feasible) {
    json["bound_ms"] = bound.milliseconds;
    json["ms_per_mib"] = bound.millisecondsPerMiB;
  }
  json["proof_at"] = opName(graph, bound.cut);
  return json;
}

static std::string boundText(const Problem &problem, const ByteBound &bytes,
                             const std::optional<uint64_t> &budget,
                             const LowerBound &bound) {
  const Graph &graph = problem.graph;
  text::Facts facts;
  facts.add("without recomputation:",
            bothSizes(problem.whole.height) + ", " +
                formatMilliseconds(problem.whole.milliseconds));
  std::string pinned = describePinned(graph, bytes);
  facts.add("every schedule needs at least:",
            bothSizes(bytes.bytes) +
                (bytes.cut == kNone
                     ? ""
                     : ", at '" + opName(graph, bytes.cut) + "'"));
  if (!pinned.empty())
    facts.add("live there:", pinned);
  if (!budget)
    return facts.str();
  facts.add("budget:", bothSizes(*budget));
  if (!bound.feasible) {
    facts.add("cost:", "no schedule lives in the budget");
    return facts.str();
  }
  facts.add("every schedule costs at least:",
            formatMilliseconds(bound.milliseconds) +
                (bound.cut == kNone ? ""
                                    : ", by what happens at '" +
                                          opName(graph, bound.cut) + "'"));
  facts.add("one more MiB saves at most:",
            formatMilliseconds(bound.millisecondsPerMiB));
  return facts.str();
}

static rt::Status bound(const BoundOptions &options) {
  REPRISE_EXPECT(problem, loadProblem(options.graph));
  std::optional<uint64_t> budget;
  LowerBound lower;
  if (!options.budget.empty()) {
    REPRISE_EXPECT(parsed, parseBudget(options.budget, *problem));
    budget = *parsed;
    lower = lowerBound(problem->graph, *budget, options.work);
  }
  ByteBound bytes = lowestBytes(problem->graph);
  REPRISE_RETURN_IF_ERROR(
      internalError(checkByteBound(bytes, problem->whole.maxLive)));
  if (budget && problem->whole.height <= *budget)
    REPRISE_RETURN_IF_ERROR(
        internalError(checkBound(lower, problem->whole.milliseconds)));
  return driver::print(
      options.json ? boundJson(*problem, bytes, budget, lower).dump(2) + "\n"
                   : boundText(*problem, bytes, budget, lower));
}

void plan::tool::addBoundCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "bound", "Proves lower bounds for all schedules of a graph");
  auto options = std::make_shared<BoundOptions>();
  addGraph(*command, options->graph);
  command->add_option("--budget", options->budget,
                      "Bound the cost within these bytes too: 2GiB or 80%");
  command
      ->add_option("--work", options->work, "Effort of the proof; 1 by default")
      ->check(CLI::Range(0.0, 1e6));
  command->add_flag("--json", options->json, "Print JSON");
  driver::addExamples(*command, "  reprise-plan bound graph.json\n"
                                "  reprise-plan bound graph.json --budget 60%");
  command->callback([options, &invocation] {
    invocation = [options] { return bound(*options); };
  });
}
