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

static KeyedOp keyOf(const PlanProblem &problem, OpId id) {
  const PlannedOp &op = problem.ops[id];
  const plan::Op &node = problem.graph.ops[id];
  KeyedOp keyed{op.name,
                tensorsOf(problem, node.inputs),
                tensorsOf(problem, node.outputs),
                op.flops,
                op.call.ints.empty() ? op.call.ints
                                     : rt::codeInts(op.call.op, op.call.ints),
                op.call.floats,
                op.call.epilogues};
  if (!op.call.outputs.empty())
    keyed.function = rt::functionOf(op.call).name;
  return keyed;
}

std::string reprise::profileKey(const PlanProblem &problem, OpId id) {
  return profileKey(keyOf(problem, id));
}

static std::vector<CostedOp> costedOps(const PlanProblem &problem,
                                       const CostModel &costs) {
  std::vector<CostedOp> ops;
  for (OpId id = 0; id < problem.ops.size(); ++id) {
    KeyedOp keyed = keyOf(problem, id);
    ops.push_back(
        {costs.profile ? profileKey(keyed) : "",
         uint64_t(problem.ops[id].flops * problem.ops[id].callInfo.arithmetic /
                  problem.ops[id].kernel.narrowRate),
         problem.ops[id].bytes,
         isNarrow(problem.ops[id].call.inputs) ||
             problem.ops[id].kernel.multipliesNarrow,
         problem.ops[id].callInfo.seconds * 1e3,
         costs.profile ? productKeyOf(keyed) : "",
         keyed.epilogues.empty() || !problem.ops[id].callInfo.addsInPlace
             ? 0
             : waitedBytes(keyed),
         keyed.function != nullptr});
  }
  return ops;
}

FailureOr<CostModel> reprise::loadCosts(Operation *op, rt::Roofline roofline,
                                        const std::string &profile) {
  rt::Expected<CostModel> costs = CostModel::load(roofline, profile);
  if (!costs.ok())
    return op->emitError() << costs.status().message();
  return std::move(*costs);
}

LogicalResult reprise::priceOps(PlanProblem &problem, const CostModel &costs,
                                const Target &target, unsigned threads) {
  rt::Expected<Prices> prices = costs.priceMostly(costedOps(problem, costs));
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

void reprise::priceWhatIsSilent(PlanProblem &problem, const CostModel &costs) {
  Prices prices = costs.price(costedOps(problem, costs));
  for (OpId id = 0; id < problem.ops.size(); ++id) {
    PlannedOp &op = problem.ops[id];
    // A copy without an op of its own has another op's attributes.
    bool isSaid = !op.isCopy || isa<sg::CopyOp>(op.op);
    auto said =
        isSaid
            ? op.op->getAttrOfType<IntegerAttr>(sg::SgDialect::kPicosecondsAttr)
            : IntegerAttr();
    op.picoseconds = said ? static_cast<uint64_t>(said.getInt())
                          : plan::picosecondsOf(prices.milliseconds[id]);
  }
}
