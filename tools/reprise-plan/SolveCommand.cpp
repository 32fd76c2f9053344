//===- SolveCommand.cpp - reprise-plan solve ------------------------------===//

#include "Command.h"
#include "Input.h"
#include "Solving.h"
#include "reprise/PlanFormat/PlanJson.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::plan;
using namespace reprise::plan::tool;

namespace {
struct SolveOptions {
  std::string graph, budget, solver = "auto", output;
  bool json = false;
  SolverFlags flags;
};

/// The facts for the error of a budget that is not met.
struct Refusal {
  uint64_t smallest = UINT64_MAX; // of the plans found
  ByteBound bound;
  bool isOfOrder = false; // the bound holds for the file's order
};

/// The result of one level of work, or of several.
struct Outcome {
  std::optional<Plan> plan;
  Refusal refusal;      // without a plan
  bool isFinal = false; // more work comes to the same
  bool isRefused = false;

  /// Keeps the better of the two; more levels are never worse than fewer.
  void merge(Outcome other) {
    refusal.smallest = std::min(refusal.smallest, other.refusal.smallest);
    bool isBetter =
        other.plan && (!plan || costOf(*other.plan) < costOf(*plan));
    if (isBetter)
      plan = std::move(other.plan);
  }

private:
  static std::pair<double, uint64_t> costOf(const Plan &plan) {
    return {plan.milliseconds, plan.height};
  }
};
} // namespace

/// Searches below the frontier's smallest plan, where other schedules may lose
/// fewer bytes between buffers. A refusal names a number for which one unit
/// less fails too. The sequence of budgets doesn't depend on the given one, so
/// that a budget named by a refusal is met.
static rt::Status descend(const Problem &problem, const SolverOptions &options,
                          uint64_t budget, Refusal &refusal,
                          std::optional<Plan> &best) {
  const int most = std::clamp(int(64 * options.work), 1, 64);
  rt::Expected<std::unique_ptr<Solver>> solver = findSolver("auto");
  if (!solver.ok())
    return solver.status();
  // With a clock the search would differ each time.
  bool isRepeatable = options.timeLimitSeconds == 0;
  for (int step = 0; isRepeatable && step < most && !best; ++step) {
    if (refusal.smallest <= refusal.bound.bytes)
      break;
    rt::Expected<Attempt> attempt =
        solveWithin(problem, **solver, options, refusal.smallest - kAlignment);
    if (!attempt.ok())
      return attempt.status();
    if (!attempt->plan)
      break;
    refusal.smallest = attempt->plan->height;
    if (refusal.smallest <= budget)
      best = std::move(attempt->plan);
  }
  return {};
}

/// The lowest plan of a search for the least bytes, in which a budget plays no
/// part.
static rt::Expected<std::optional<Plan>> searchLow(const Problem &problem,
                                                   SolverOptions options,
                                                   const ByteBound &bound) {
  options.budgetBytes = bound.bytes;
  options.progress = nullptr;
  std::optional<Plan> best;
  std::vector<FrontierPoint> points =
      searchWithin(problem.graph, problem.order, options);
  if (points.empty())
    return best;
  rt::Expected<Plan> plan =
      placeSolution(problem, points.front().solution,
                    mostPlacementWork(options), options.effort);
  if (!plan.ok())
    return plan.status();
  best = plan->height < problem.whole.height ? *plan : problem.whole;
  return best;
}

/// The same in little time.
static rt::Expected<std::optional<Plan>> lowPlan(const Problem &problem,
                                                 const SolverOptions &options,
                                                 const ByteBound &bound) {
  SolverOptions quick = options;
  quick.work = workLevels(0).front();
  quick.effort = Effort::Quick;
  return searchLow(problem, quick, bound);
}

namespace {
/// How low plans are known to get. With many ops, a budget below is refused
/// when more work gets no lower, without searches for that budget.
class Floor {
public:
  Floor(const Problem &problem, const ByteBound &bound)
      : problem(problem), bound(bound) {
    constexpr size_t manyOps = 1500;
    decides = problem.graph.ops.size() >= manyOps;
  }

  /// Looks with the work of `options`; says whether plans get lower.
  rt::Expected<bool> deepen(SolverOptions options) {
    options = leastIfTimed(options);
    bool isLower = false, isFirst = !lowest;
    if (isFirst)
      REPRISE_RETURN_IF_ERROR(take(lowPlan(problem, options, bound), isLower));
    if (!decides)
      return isLower;
    REPRISE_RETURN_IF_ERROR(take(searchLow(problem, options, bound), isLower));
    if (isFirst && lowest)
      REPRISE_RETURN_IF_ERROR(halve(options));
    return isLower;
  }

  /// With the least work where time is limited: what is left is counted.
  SolverOptions leastIfTimed(SolverOptions options) const {
    if (!decides || options.timeLimitSeconds == 0)
      return options;
    options.work = workLevels(0).front();
    options.timeLimitSeconds = 0;
    return options;
  }

  bool isAbove(uint64_t budget) const {
    return decides && lowest && lowest->maxLive > budget;
  }

  std::optional<Plan> lowest;

private:
  /// Halves the distance to the bound as long as plans are found there with the
  /// least work: of long chains, the search for the least bytes ends early.
  rt::Status halve(SolverOptions options) {
    options.work = workLevels(0).front();
    std::unique_ptr<Solver> solver = createSolver("auto");
    for (;;) {
      uint64_t above = lowest->height - std::min(lowest->height, bound.bytes);
      uint64_t budget = bound.bytes + above / 2 / kAlignment * kAlignment;
      if (above < lowest->height / 8)
        return {};
      rt::Expected<Attempt> attempt =
          solveWithin(problem, *solver, options, budget);
      if (!attempt.ok())
        return attempt.status();
      if (!attempt->plan)
        return {};
      lowest = std::move(attempt->plan);
    }
  }

  rt::Status take(rt::Expected<std::optional<Plan>> found, bool &isLower) {
    if (!found.ok())
      return found.status();
    if (*found && (!lowest || (*found)->maxLive < lowest->maxLive)) {
      lowest = std::move(*found);
      isLower = true;
    }
    return {};
  }

  const Problem &problem;
  const ByteBound bound;
  bool decides;
};
} // namespace

/// Looks where the search for all budgets at once comes by, before giving up.
static rt::Expected<std::optional<Plan>>
lastResort(const Problem &problem, const SolverOptions &options,
           uint64_t budget, const std::optional<Plan> &low, Refusal &refusal) {
  rt::Expected<std::vector<Plan>> plans =
      placeFrontier(problem, options, {options.work}, kPlacementWork);
  if (!plans.ok())
    return plans.status();
  if (low)
    plans->insert(plans->begin(), *low);
  std::optional<Plan> best;
  for (Plan &plan : *plans) {
    refusal.smallest = std::min(refusal.smallest, plan.height);
    if (plan.height <= budget &&
        (!best || plan.milliseconds < best->milliseconds))
      best = std::move(plan);
  }
  if (!best)
    REPRISE_RETURN_IF_ERROR(descend(problem, options, budget, refusal, best));
  return best;
}

static rt::Status refuse(const SolveOptions &options, const Problem &problem,
                         uint64_t budget, const Refusal &refusal) {
  const ByteBound &bound = refusal.bound;
  REPRISE_RETURN_IF_ERROR(
      internalError(checkByteBound(bound, refusal.smallest)));
  std::string atOp =
      bound.cut == kNone ? "" : problem.graph.ops[bound.cut].name;
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
  rt::Expected<double> gap = gapOf(plan, bound);
  if (!gap.ok())
    return gap.status();
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

/// Refuses a budget that plans for the least bytes do not come down to.
static rt::Status lookBelow(Floor &floor, const SolverOptions &options,
                            uint64_t budget, Outcome &outcome) {
  bool wasAbove = floor.isAbove(budget);
  rt::Expected<bool> isLower = floor.deepen(options);
  if (!isLower.ok())
    return isLower.status();
  outcome.isRefused = floor.isAbove(budget);
  if (!outcome.isRefused)
    return {};
  outcome.refusal.smallest = floor.lowest->height;
  outcome.isFinal = wasAbove && !*isLower;
  return {};
}

/// Looks only for the budget that a refusal names.
static rt::Status findSmallest(const Problem &problem,
                               const SolverOptions &options, Refusal &refusal) {
  rt::Expected<std::optional<Plan>> low =
      solveExhaustively(problem, refusal.bound.bytes);
  if (low.ok() && !*low)
    low = lowPlan(problem, options, refusal.bound);
  if (!low.ok())
    return low.status();
  refusal.smallest = *low ? (*low)->height : problem.whole.height;
  return {};
}

/// A plan found with just the work of `options`, or why there is none.
static rt::Expected<Outcome> solveLevel(const Problem &problem,
                                        const Solver &solver,
                                        const SolverOptions &options,
                                        uint64_t budget, const Refusal &proven,
                                        Floor &floor) {
  Outcome outcome;
  outcome.refusal = proven;
  bool wasAbove = floor.isAbove(budget);
  if (wasAbove)
    REPRISE_RETURN_IF_ERROR(lookBelow(floor, options, budget, outcome));
  if (outcome.isRefused)
    return outcome;
  rt::Expected<Attempt> attempt = solveWithin(problem, solver, options, budget);
  if (!attempt.ok())
    return attempt.status();
  outcome.plan = std::move(attempt->plan);
  outcome.isFinal = attempt->isFinal;
  if (outcome.plan)
    return outcome;
  // A plan of another solver does not answer for this one.
  if (solver.name() != "auto") {
    REPRISE_RETURN_IF_ERROR(findSmallest(problem, options, outcome.refusal));
    return outcome;
  }
  if (!wasAbove)
    REPRISE_RETURN_IF_ERROR(lookBelow(floor, options, budget, outcome));
  if (outcome.isRefused)
    return outcome;
  rt::Expected<std::optional<Plan>> plan =
      lastResort(problem, floor.leastIfTimed(options), budget, floor.lowest,
                 outcome.refusal);
  if (!plan.ok())
    return plan.status();
  outcome.plan = std::move(*plan);
  return outcome;
}

/// Returns the proof before any search: the bound, and whether it excludes the
/// budget.
static Refusal prove(const Problem &problem) {
  Refusal refusal;
  refusal.bound = lowestBytes(problem.graph);
  if (problem.graph.ops.empty()) // nothing to choose
    refusal.bound.bytes = problem.whole.maxLive;
  std::optional<uint64_t> least = leastOfAll(problem);
  if (least && *least > refusal.bound.bytes) {
    refusal.bound = {*least, kNone, {}, 0};
    refusal.isOfOrder = problem.hasOrder;
  }
  return refusal;
}

/// By what proves most first: the whole graph fits, no schedule does, all
/// schedules of a small graph, then levels of work.
static rt::Expected<Outcome> search(const Problem &problem,
                                    const Solver &solver,
                                    const SolverOptions &flags, uint64_t budget,
                                    driver::Activity &activity) {
  Outcome found;
  if (problem.whole.height <= budget) {
    found.plan = problem.whole;
    return found;
  }
  found.refusal = prove(problem);
  if (budget < found.refusal.bound.bytes) {
    REPRISE_RETURN_IF_ERROR(findSmallest(problem, flags, found.refusal));
    return found;
  }
  if (solver.name() == "auto") {
    rt::Expected<std::optional<Plan>> plan = solveExhaustively(problem, budget);
    if (!plan.ok())
      return plan.status();
    found.plan = std::move(*plan);
  }
  if (found.plan)
    return found;
  Floor floor(problem, found.refusal.bound);
  for (double level : levelsOf(flags)) {
    SolverOptions only = flags;
    only.work = level;
    activity.phase("work " + text::formatFixed(level, 3));
    rt::Expected<Outcome> one =
        solveLevel(problem, solver, only, budget, found.refusal, floor);
    if (!one.ok())
      return one.status();
    bool isFinal = one->isFinal;
    found.merge(std::move(*one));
    if (found.plan)
      activity.best("best plan " +
                    formatMilliseconds(found.plan->milliseconds) + " a step");
    if (isFinal)
      break;
  }
  return found;
}

static rt::Status solve(const SolveOptions &options) {
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(driver::checkOutput(options.output));
  rt::Expected<std::unique_ptr<Solver>> solver = findSolver(options.solver);
  if (!solver.ok())
    return solver.status();
  driver::Activity activity("solving " + inputName(options.graph));
  rt::Expected<SolverOptions> flags = options.flags.options();
  if (!flags.ok())
    return flags.status();
  rt::Expected<Problem> problem = loadProblem(options.graph);
  if (!problem.ok())
    return problem.status();
  rt::Expected<uint64_t> budget = parseBudget(options.budget, *problem);
  if (!budget.ok())
    return budget.status();
  rt::Expected<Outcome> outcome =
      search(*problem, **solver, *flags, *budget, activity);
  if (!outcome.ok())
    return outcome.status();
  Outcome &found = *outcome;
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
  options->flags.addTo(*command);
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
