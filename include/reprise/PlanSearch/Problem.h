//===- Problem.h - Graphs of files and their plans --------------*- C++ -*-===//
//
// Solvers count live bytes; a budget here limits placed bytes. If a schedule's
// live bytes fit the budget but its placement does not, it is solved again with
// a budget reduced by the bytes lost between buffers.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PLANSEARCH_PROBLEM_H
#define REPRISE_PLANSEARCH_PROBLEM_H

#include "reprise/Plan/Recompute.h"
#include "reprise/PlanFormat/GraphJson.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace reprise::plan::search {

using OrderedJson = nlohmann::ordered_json;

struct Problem {
  Graph graph;
  std::vector<OpId> order; // the file's own, or the planner's
  bool hasOrder = false;   // the file's own, which first executions keep
  Plan whole;              // without recomputation
};

rt::Expected<Problem> loadProblem(const std::string &path);

/// Parses "2GiB", "4096", or "80%" of the bytes without recomputation.
rt::Expected<uint64_t> parseBudget(const std::string &text,
                                   const Problem &problem);

/// The settings of solvers, as a user gives them.
struct SolverSettings {
  std::string timeLimit; // "10s"; "": none
  double work = 1;
  std::string effort = "thorough";
  unsigned threads = 0; // 0: the machine's

  rt::Expected<SolverOptions> options() const;
};

/// Returns the solver of a name, or an error with the available names.
rt::Expected<std::unique_ptr<Solver>> findSolver(const std::string &name);

/// Returns workLevels; with a time limit, which is spent once, one level.
std::vector<double> levelsOf(const SolverOptions &options);

/// Places a solution and checks it by validatePlan. It may still exceed the
/// budget.
rt::Expected<Plan> placeSolution(const Problem &problem,
                                 const Solution &solution,
                                 uint64_t placementWork, Effort effort);

/// The part of kPlacementWork that is as large as the work of `options`.
uint64_t mostPlacementWork(const SolverOptions &options);

struct Attempt {
  std::optional<Plan> plan;
  bool isFinal = false; // more work comes to the same plan
};

/// A plan of at most `budget` placed bytes, if the solver finds one with just
/// this work.
rt::Expected<Attempt> solveWithin(const Problem &problem, const Solver &solver,
                                  SolverOptions options, uint64_t budget);

/// Returns the cheapest plan of at most `budget` placed bytes among all
/// schedules; nothing if there is none, or too many schedules to search.
rt::Expected<std::optional<Plan>> solveExhaustively(const Problem &problem,
                                                    uint64_t budget);

/// Returns the least max-live of all schedules in the file's order, if it has
/// one, or in any; nothing if there are too many.
std::optional<uint64_t> leastOfAll(const Problem &problem);

/// The plans of computeFrontier with each of `levels` as its work, placed, by
/// increasing height and strictly decreasing cost. `placementWork` is the
/// most for each of them, see mostPlacementWork.
rt::Expected<std::vector<Plan>> placeFrontier(const Problem &problem,
                                              const SolverOptions &options,
                                              const std::vector<double> &levels,
                                              uint64_t placementWork);

/// Formats bytes with all digits and in readable units.
std::string bothSizes(uint64_t bytes);

/// Returns "'a' 4.0 MiB, 'b' 1.0 MiB and 3 more of 2.0 MiB, with a workspace of
/// 64 B": the five largest by name. All add up to the bound. Empty if nothing
/// is pinned.
std::string describePinned(const Graph &graph, const ByteBound &bound);
OrderedJson pinnedJson(const Graph &graph, const ByteBound &bound);

/// Returns the name of an op; "" for kNone.
std::string opName(const Graph &graph, OpId id);

/// Returns the relative gap between a plan's cost and the bound of its budget;
/// 0 if there is nothing to compute. Fails if they contradict each other.
rt::Expected<double> gapOf(const Plan &plan, const LowerBound &bound);

/// Formats "12.35 ms", "0.0021 ms": four significant digits.
std::string formatMilliseconds(double milliseconds);

/// Returns RP_INTERNAL with the error of a check of the library; success for
/// "".
rt::Status internalError(const std::string &error);

} // namespace reprise::plan::search

#endif // REPRISE_PLANSEARCH_PROBLEM_H
