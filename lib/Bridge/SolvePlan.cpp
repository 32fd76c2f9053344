//===- SolvePlan.cpp - Order and addresses for a problem ------------------===//
//
// Input:   a problem with a well-formed graph.
// Output:  schedule, liveness and placement that passed plan::validate.
// Method:  a scheduled function provides the order by that of its ops, and the
//          addresses by sg.offsets; for others they are chosen, and calls
//          between ranks run beside other ops where memory allows.
// Fails:   if the validator refuses the planner's result, or if the schedule of
//          the function is no valid plan.
//
//===----------------------------------------------------------------------===//
#include "reprise/Bridge/BuildProgram.h"

using namespace mlir;
using namespace reprise;
using plan::kNone;

/// The offsets of an op's results and of its workspace in its attributes; null
/// if it has none.
static DenseI64ArrayAttr offsetsOf(Operation *op) {
  return op->getAttrOfType<DenseI64ArrayAttr>(sg::SgDialect::kOffsetsAttr);
}

static bool saysOffsets(func::FuncOp function) {
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    if (function.getArgAttr(k, sg::SgDialect::kOffsetAttr))
      return true;
  return llvm::any_of(function.getOps(), [](Operation &op) {
    return static_cast<bool>(offsetsOf(&op));
  });
}

/// The offset that the function's attributes give a value, -1 for none.
static int64_t offsetOf(const PlanProblem &problem, plan::ValueId id) {
  func::FuncOp function = problem.function;
  plan::OpId producer = problem.graph.values[id].producer;
  if (producer == kNone) {
    size_t argument = llvm::find(problem.inputs, id) - problem.inputs.begin();
    auto offset = argument < problem.inputs.size()
                      ? function.getArgAttrOfType<IntegerAttr>(
                            argument, sg::SgDialect::kOffsetAttr)
                      : IntegerAttr();
    return offset ? offset.getInt() : -1;
  }
  const std::vector<plan::ValueId> &outputs =
      problem.graph.ops[producer].outputs;
  DenseI64ArrayAttr offsets = offsetsOf(problem.ops[producer].op);
  size_t output = llvm::find(outputs, id) - outputs.begin();
  return offsets ? offsets[output] : -1;
}

/// The offset of a buffer: that of all values in it. -1 if they differ or one
/// has none.
static int64_t offsetOf(const PlanProblem &problem,
                        const plan::Buffer &buffer) {
  if (buffer.workspaceOf != kNone) {
    DenseI64ArrayAttr offsets = offsetsOf(problem.ops[buffer.workspaceOf].op);
    return offsets ? offsets.asArrayRef().back() : -1;
  }
  std::optional<int64_t> common;
  for (plan::ValueId id : buffer.values) {
    if (problem.graph.values[id].viewOf != kNone)
      continue;
    int64_t offset = offsetOf(problem, id);
    if (common.value_or(offset) != offset)
      return -1;
    common = offset;
  }
  return common.value_or(-1);
}

static std::string nameOf(const PlanProblem &problem,
                          const plan::Buffer &buffer) {
  return buffer.workspaceOf != kNone
             ? "workspace of " + problem.graph.ops[buffer.workspaceOf].name
             : problem.graph.values[buffer.values.front()].name;
}

/// The placement in the function's attributes.
static FailureOr<plan::Placement>
readPlacement(const PlanProblem &problem, const plan::Liveness &liveness) {
  plan::Placement placement;
  placement.strategy = "as scheduled";
  for (const plan::Buffer &buffer : liveness.buffers) {
    int64_t offset = offsetOf(problem, buffer);
    if (offset < 0 || uint64_t(offset) > plan::kMostBytes ||
        offset % problem.alignment != 0) {
      func::FuncOp function = problem.function;
      return function.emitError()
             << "does not say where '" << nameOf(problem, buffer)
             << "' lies, in bytes that are a multiple of " << problem.alignment
             << "; was it changed after sg-rematerialize?";
    }
    placement.offsets.push_back(offset);
    placement.height =
        std::max(placement.height, uint64_t(offset) + buffer.bytes);
  }
  return placement;
}

FailureOr<PlanSolution> reprise::solvePlan(const PlanProblem &problem,
                                           double overlapPercent,
                                           uint64_t fixedBytes) {
  PlanSolution solution;
  func::FuncOp function = problem.function;
  bool isScheduled = function->hasAttr(sg::SgDialect::kScheduledAttr);
  if (isScheduled)
    for (plan::OpId id = 0; id < problem.graph.ops.size(); ++id)
      solution.schedule.order.push_back(id);
  else
    solution.schedule = plan::chooseOrder(problem.graph);
  solution.liveness = plan::computeLiveness(problem.graph, solution.schedule);
  bool isPlaced = isScheduled && saysOffsets(function);
  if (isPlaced) {
    FailureOr<plan::Placement> placement =
        readPlacement(problem, solution.liveness);
    if (failed(placement))
      return failure();
    solution.placement = std::move(*placement);
    plan::extendCalls(problem.graph, solution);
  } else {
    solution.placement = plan::placeBuffers(solution.liveness.buffers,
                                            solution.liveness.maxLive);
  }
  if (!isScheduled) {
    uint64_t height = solution.placement.height;
    // The gaps of another order take up to a thousandth.
    uint64_t more =
        std::max(uint64_t(overlapPercent / 100 * double(fixedBytes + height)),
                 height / 1000);
    if (std::optional<plan::PlacedSchedule> beside =
            plan::overlapCalls(problem.graph, solution.schedule, height + more))
      solution = std::move(*beside);
  }
  std::string error = plan::validate(problem.graph, solution.schedule,
                                     solution.liveness, solution.placement);
  for (uint64_t offset : solution.placement.offsets)
    if (error.empty() && offset % problem.alignment != 0)
      error = "a buffer lies at " + std::to_string(offset) +
              ", but the target wants multiples of " +
              std::to_string(problem.alignment);
  if (error.empty())
    return solution;
  return function.emitError() << "the plan is wrong: " << error;
}
