//===- PriceOps.cpp - Costs of a problem's ops ----------------------------===//
#include "reprise/Bridge/ElementTypes.h"
#include "reprise/Bridge/PlanProblem.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;
using plan::ValueId;

static std::vector<rt::TensorDesc>
tensorsOf(const PlanProblem &problem, const std::vector<ValueId> &values) {
  std::vector<rt::TensorDesc> tensors;
  for (ValueId value : values) {
    auto type = cast<RankedTensorType>(problem.types[value]);
    tensors.push_back(
        {elementTypeOf(type.getElementType()), type.getShape().vec(), {}});
  }
  return tensors;
}

// The step's name is BuildProgram's.
std::string reprise::profileKey(const PlanProblem &problem, OpId id) {
  const PlannedOp &op = problem.ops[id];
  std::string name = op.op->getName().stripDialect().str();
  if (op.isCopy)
    name = "copy";
  else if (auto kernel = dyn_cast<sg::KernelOp>(op.op))
    name = kernel.getPath().str();
  const plan::Op &node = problem.graph.ops[id];
  return profileKey({name, tensorsOf(problem, node.inputs),
                     tensorsOf(problem, node.outputs), op.flops, op.call.ints,
                     op.call.floats, op.call.epilogues});
}

LogicalResult reprise::priceOps(PlanProblem &problem, const CostModel &costs,
                                const Target &target, unsigned threads) {
  std::vector<CostedOp> ops;
  for (OpId id = 0; id < problem.ops.size(); ++id)
    ops.push_back({costs.profile ? profileKey(problem, id) : "",
                   problem.ops[id].flops, problem.ops[id].bytes});
  rt::Expected<Prices> prices = costs.priceMostly(ops);
  if (!prices.ok())
    return problem.function.emitError() << prices.status().message();
  if (costs.profile)
    if (std::string other =
            costs.profile->difference(target.machine(), threads);
        !other.empty())
      problem.function.emitWarning()
          << "the profile was taken elsewhere: " << other;
  for (OpId id = 0; id < problem.ops.size(); ++id)
    problem.graph.ops[id].cost = prices->milliseconds[id];
  return success();
}
