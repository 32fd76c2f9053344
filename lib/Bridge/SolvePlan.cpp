//===- SolvePlan.cpp - Order and addresses for a problem ------------------===//
//
// Input:   a problem with a well-formed graph.
// Output:  schedule, liveness and placement that passed plan::validate.
// Fails:   when the validator refuses what the planner made.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/BuildProgram.h"

using namespace mlir;
using namespace reprise;

FailureOr<PlanSolution> reprise::solvePlan(const PlanProblem &problem) {
  PlanSolution solution;
  func::FuncOp function = problem.function;
  if (function->hasAttr(sg::SgDialect::kScheduledAttr))
    for (plan::OpId id = 0; id < problem.graph.ops.size(); ++id)
      solution.schedule.order.push_back(id);
  else
    solution.schedule = plan::chooseOrder(problem.graph);
  solution.liveness = plan::computeLiveness(problem.graph, solution.schedule);
  solution.placement =
      plan::placeBuffers(solution.liveness.buffers, solution.liveness.maxLive);
  std::string error = plan::validate(problem.graph, solution.schedule,
                                     solution.liveness, solution.placement);
  if (error.empty())
    return solution;
  return function.emitError() << "the plan is wrong: " << error;
}
