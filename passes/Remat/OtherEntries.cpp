//===- OtherEntries.cpp - The entries other than the step -----------------===//
//
// Input:   a module of variables and flat functions of kernels and library ops.
// Output:  the plans of all functions but one, and a lower bound on the bytes
//          of any schedule of their kernels.
// Cost:    a placement for each.
// Fails:   where a function cannot be planned.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/OtherEntries.h"

#include "reprise/Bridge/BuildProgram.h"
#include "reprise/Plan/BufferNames.h"
#include "reprise/Target/Target.h"

using namespace mlir;
using namespace reprise;

static uint64_t heightOf(const PlanProblem &problem,
                         const PlanSolution &solution) {
  uint64_t height = 0;
  for (auto [buffer, offset] :
       llvm::zip_equal(solution.liveness.buffers, solution.placement.offsets))
    height = std::max(height, offset + touchedBytes(problem.graph, buffer));
  return height;
}

FailureOr<std::vector<OtherEntry>>
reprise::planOtherEntries(func::FuncOp step, const BudgetOptions &options) {
  std::vector<OtherEntry> entries;
  auto module = step->getParentOfType<mlir::ModuleOp>();
  if (llvm::hasSingleElement(module.getOps<func::FuncOp>()))
    return entries;
  FailureOr<std::unique_ptr<Target>> target =
      createTargetFor(step, options.target, options.threads);
  if (failed(target))
    return failure();
  FailureOr<FixedStorage> fixed = layOutFixed(module, **target);
  if (failed(fixed))
    return failure();
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function == step)
      continue;
    FailureOr<PlanProblem> problem =
        buildPlanProblem(function, *fixed, **target);
    if (failed(problem))
      return failure();
    FailureOr<PlanSolution> solution = solvePlan(*problem);
    if (failed(solution))
      return failure();
    uint64_t height = heightOf(*problem, *solution);
    plan::ByteBound bound = plan::lowestBytes(problem->graph);
    bound.bytes = touchedAtLeast(bound.bytes);
    entries.push_back({std::move(*problem), height, std::move(bound)});
  }
  return entries;
}
