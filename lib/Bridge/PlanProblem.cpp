//===- PlanProblem.cpp - A flat function as a planning problem ------------===//
//
// Input:   a flat function, the fixed ranges, the target's facts about kernels
//          and calls.
// Output:  a checked plan::Graph and the meaning of its ops and values.
// Method:  one walk in program order; then variables' updates (see
//          VariableUpdates.cpp) and results; then a stable topological sort,
//          because an update may have to wait for later readers.
// Cost:    linear in the uses, plus a reachability search per update.
// Fails:   on an op that no step can run, and if the target refuses an op.
//
//===----------------------------------------------------------------------===//
#include "ProblemBuilder.h"
#include "reprise/Plan/BufferNames.h"

#include "reprise/Bridge/ElementTypes.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Remat.h"

#include <algorithm>
#include <functional>
#include <queue>

using namespace mlir;
using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::StorageClass;
using plan::ValueId;

ValueId PlanProblem::rootOf(ValueId value) const {
  while (graph.values[value].viewOf != kNone)
    value = graph.values[value].viewOf;
  return value;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The planner rounds to its own unit. For a target with a coarser one this
/// returns the bytes rounded to the target's unit, so that adjacent buffers
/// begin at the target's alignment.
uint64_t ProblemBuilder::storedBytes(uint64_t bytes) const {
  return problem.alignment == plan::kAlignment
             ? bytes
             : llvm::alignTo(bytes, problem.alignment);
}

ValueId ProblemBuilder::addValue(Type type, std::string name) {
  plan::Value value;
  value.name = std::move(name);
  value.bytes = storedBytes(sg::byteSize(type));
  problem.graph.values.push_back(std::move(value));
  problem.types.push_back(type);
  problem.fixedRange.push_back(kNone);
  return problem.graph.values.size() - 1;
}

ValueId ProblemBuilder::addFixed(Type type, std::string name, uint32_t range) {
  ValueId id = addValue(type, std::move(name));
  problem.graph.values[id].storage = StorageClass::Fixed;
  problem.fixedRange[id] = range;
  return id;
}

ValueId ProblemBuilder::addView(Value value, ValueId base) {
  ValueId id = addValue(value.getType(), problem.graph.values[base].name);
  problem.graph.values[id].viewOf = base;
  values[value] = id;
  return id;
}

/// Returns true if values of `type` have bytes: a function's argument or the
/// result of a foreign op can be of any type.
static bool hasBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isElementType(tensor.getElementType()) &&
         sg::hasSupportedShape(tensor);
}

static constexpr llvm::StringLiteral kPlaceable =
    "; only tensors of f32, bf16, f16, f64, i1, i8, i32 or i64 with no "
    "encoding, extents of 1 to 2147483647 and below 2^48 bytes can";

LogicalResult ProblemBuilder::addArguments() {
  func::FuncOp function = problem.function;
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      sg::SgDialect::kNameAttr);
    if (!hasBytes(argument.getType()))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber() << " of @"
             << function.getSymName() << " cannot be placed: it is a "
             << argument.getType() << kPlaceable;
    ValueId id = addValue(
        argument.getType(),
        name ? name.str() : "arg" + std::to_string(argument.getArgNumber()));
    problem.graph.values[id].storage = StorageClass::Input;
    values[argument] = id;
    problem.inputs.push_back(id);
  }
  return success();
}

SmallVector<OpId> ProblemBuilder::readyAfter(ValueId value) const {
  SmallVector<OpId> ready;
  for (; value != kNone; value = problem.graph.values[value].viewOf) {
    if (auto found = waits.find(value); found != waits.end())
      ready.append(found->second);
    if (problem.graph.values[value].producer != kNone)
      ready.push_back(problem.graph.values[value].producer);
  }
  llvm::sort(ready);
  ready.erase(std::unique(ready.begin(), ready.end()), ready.end());
  return ready;
}

void ProblemBuilder::addBarrier(sg::BarrierOp barrier) {
  SmallVector<OpId> after;
  for (Value value : barrier.getAfter())
    after.append(readyAfter(values.lookup(value)));
  llvm::sort(after);
  after.erase(std::unique(after.begin(), after.end()), after.end());
  for (auto [input, result] :
       llvm::zip_equal(barrier.getInputs(), barrier.getResults()))
    waits[addView(result, values.lookup(input))] = after;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static uint64_t flopsOf(Operation *op) {
  auto answers = dyn_cast<remat::RematOpInterface>(op);
  return answers ? answers.getRematFlops() : 0;
}

static uint64_t bytesOf(Operation *op) {
  if (auto cost = dyn_cast<CostOpInterface>(op))
    return cost.getBytes();
  uint64_t sum = 0;
  for (Type type : op->getOperandTypes())
    sum += sg::byteSize(type);
  for (Type type : op->getResultTypes())
    sum += sg::byteSize(type);
  return sum;
}

static std::string nameOf(Operation *op) {
  if (auto kernel = dyn_cast<sg::KernelOp>(op))
    return kernel.getPath().str();
  return op->getName().stripDialect().str();
}

LogicalResult ProblemBuilder::addRunnable(Operation *op) {
  for (Type type : op->getResultTypes())
    if (!hasBytes(type))
      return op->emitOpError() << "has a result that cannot be placed: it is a "
                               << type << kPlaceable;
  PlannedOp planned;
  planned.op = op;
  planned.name = nameOf(op);
  planned.module = sg::pathOf(op).str();
  planned.isAsked = op->hasAttr(sg::SgDialect::kKeepAttr);
  planned.flops = flopsOf(op);
  planned.bytes = bytesOf(op);
  plan::Op node;
  if (auto kernel = dyn_cast<sg::KernelOp>(op)) {
    FailureOr<KernelTraits> traits =
        target.kernelTraits(kernel.getBody().front());
    if (failed(traits))
      return failure();
    planned.kernel = *traits;
    node.workspaceBytes = storedBytes(traits->workspaceBytes);
    for (auto [output, input] : traits->inPlace)
      node.inPlace.push_back({output, input});
  } else if (auto call = describeLibraryCall(op)) {
    FailureOr<rt::LibraryCallInfo> info = target.libraryCall(op, *call);
    if (failed(info))
      return failure();
    planned.call = *call;
    planned.callInfo = *info;
    node.workspaceBytes = storedBytes(info->workspaceBytes);
    if (info->addsInPlace) {
      uint32_t first = *addendOf(rt::functionOf(*call), call->epilogues);
      for (uint32_t k = 0; k < op->getNumResults(); ++k)
        node.inPlace.push_back({k, first + k});
    }
    node.runsOnce = node.runsBeside = rt::functionOf(*call).isCollective;
    node.gathersUpdates = call->op == LibraryOp::GatherShards;
  } else {
    return op->emitOpError() << "cannot be run by any step; only kernels and "
                                "library ops can (run sg-decompose and "
                                "sg-form-kernels first)";
  }
  node.name = nameOfOp(planned.module, planned.name);
  node.cost = rt::Roofline().milliseconds(planned.flops, planned.bytes);
  OpId id = problem.graph.ops.size();
  for (Value operand : op->getOperands()) {
    ValueId input = values.lookup(operand);
    node.inputs.push_back(input);
    for (OpId other : readyAfter(input))
      node.after.push_back(other);
  }
  for (Value result : op->getResults()) {
    values[result] = addValue(result.getType(), node.name);
    problem.graph.values[values[result]].producer = id;
    node.outputs.push_back(values[result]);
  }
  problem.graph.ops.push_back(std::move(node));
  problem.ops.push_back(std::move(planned));
  return success();
}

LogicalResult ProblemBuilder::addOp(Operation *op) {
  if (auto read = dyn_cast<sg::ReadOp>(op)) {
    StringAttr name = read.getVariableAttr().getAttr();
    values[read.getResult()] =
        addFixed(read.getType(), name.str(), fixed.variables.lookup(name));
  } else if (auto constant = dyn_cast<sg::ConstantOp>(op)) {
    uint32_t range =
        fixed.constants.lookup(cast<ElementsAttr>(constant.getValue()));
    values[constant.getResult()] =
        addFixed(constant.getType(), fixed.ranges[range].name, range);
  } else if (auto reshape = dyn_cast<sg::ReshapeOp>(op)) {
    addView(reshape.getResult(), values.lookup(reshape.getOperand()));
  } else if (auto barrier = dyn_cast<sg::BarrierOp>(op)) {
    addBarrier(barrier);
  } else if (auto write = dyn_cast<sg::WriteOp>(op)) {
    uint32_t range = fixed.variables.lookup(write.getVariableAttr().getAttr());
    if (isUpdated(range))
      return write.emitOpError() << "writes " << write.getVariableAttr()
                                 << " a second time in one step";
    updates.push_back({write, range, values.lookup(write.getValue())});
  } else if (auto copy = dyn_cast<sg::CopyOp>(op)) {
    values[copy.getResult()] = addCopy(copy, values.lookup(copy.getOperand()));
  } else if (isa<sg::OffloadOp, sg::FetchOp>(op)) {
    addHostCopy(op);
  } else if (!isa<func::ReturnOp>(op)) {
    return addRunnable(op);
  }
  return success();
}

ValueId ProblemBuilder::addCopy(Operation *cause, ValueId source) {
  OpId id = problem.graph.ops.size();
  ValueId target =
      addValue(problem.types[source], problem.graph.values[source].name);
  problem.graph.values[target].producer = id;
  plan::Op node;
  node.name = nameOfCopy(problem.graph.values[source].name);
  node.inputs = {source};
  node.outputs = {target};
  for (OpId other : readyAfter(source))
    node.after.push_back(other);
  PlannedOp planned;
  planned.op = cause;
  planned.name = kCopyName;
  planned.module = sg::pathOf(cause).str();
  planned.isAsked = cause->hasAttr(sg::SgDialect::kKeepAttr);
  planned.isCopy = true;
  planned.bytes = 2 * sg::byteSize(problem.types[source]);
  node.cost = rt::Roofline().milliseconds(0, planned.bytes);
  problem.graph.ops.push_back(std::move(node));
  problem.ops.push_back(std::move(planned));
  return target;
}

void ProblemBuilder::addHostCopy(Operation *op) {
  bool isOffload = isa<sg::OffloadOp>(op);
  Value operand = op->getOperand(0), result = op->getResult(0);
  OpId id = problem.graph.ops.size();
  ValueId source = values.lookup(operand);
  ValueId target =
      addValue(result.getType(), problem.graph.values[source].name);
  if (isOffload)
    problem.graph.values[target].bytes = 0;
  problem.graph.values[target].producer = id;
  values[result] = target;
  plan::Op node;
  node.name = problem.graph.values[source].name;
  node.inputs = {source};
  node.outputs = {target};
  for (OpId other : readyAfter(source))
    node.after.push_back(other);
  node.runsOnce = true;
  PlannedOp planned;
  planned.op = op;
  planned.name = op->getName().stripDialect().str();
  planned.module = sg::pathOf(op).str();
  planned.hostCopy =
      isOffload ? PlannedOp::HostCopy::Offload : PlannedOp::HostCopy::Fetch;
  planned.bytes = sg::byteSize(result.getType());
  node.cost = rt::Roofline().milliseconds(0, planned.bytes);
  problem.graph.ops.push_back(std::move(node));
  problem.ops.push_back(std::move(planned));
}

/// Keeps the function's results until the end of the step.
void ProblemBuilder::addResults() {
  for (ValueId &result : problem.results) {
    ValueId root = problem.rootOf(result);
    if (problem.graph.values[root].storage == StorageClass::Fixed)
      continue;
    if (problem.graph.values[root].producer != kNone) {
      problem.graph.values[root].storage = StorageClass::Output;
      continue;
    }
    // An argument: a view of it that is an output keeps its storage alive.
    ValueId view =
        addValue(problem.types[result], problem.graph.values[result].name);
    problem.graph.values[view].viewOf = result;
    problem.graph.values[view].storage = StorageClass::Output;
    result = view;
  }
}

//===----------------------------------------------------------------------===//
// The graph as a whole
//===----------------------------------------------------------------------===//

/// Renumbers ops so that each follows its dependences; the lowest number goes
/// first, so an order that is already valid is unchanged.
void ProblemBuilder::sortOps() {
  size_t count = problem.graph.ops.size();
  std::vector<std::vector<OpId>> behind(count);
  std::vector<uint32_t> missing(count, 0);
  for (OpId id = 0; id < count; ++id) {
    plan::Op &op = problem.graph.ops[id];
    llvm::sort(op.after);
    op.after.erase(std::unique(op.after.begin(), op.after.end()),
                   op.after.end());
    // Producers of inputs are already in `after` (see readyAfter).
    missing[id] = op.after.size();
    for (OpId other : op.after)
      behind[other].push_back(id);
  }
  std::priority_queue<OpId, std::vector<OpId>, std::greater<OpId>> ready;
  for (OpId id = 0; id < count; ++id)
    if (missing[id] == 0)
      ready.push(id);
  std::vector<OpId> order, numberOf(count, kNone);
  while (!ready.empty()) {
    OpId id = ready.top();
    ready.pop();
    numberOf[id] = order.size();
    order.push_back(id);
    for (OpId next : behind[id])
      if (--missing[next] == 0)
        ready.push(next);
  }
  assert(order.size() == count && "updates were placed into a cycle");
  std::vector<plan::Op> ops(count);
  std::vector<PlannedOp> planned(count);
  for (OpId id = 0; id < count; ++id) {
    ops[numberOf[id]] = std::move(problem.graph.ops[id]);
    planned[numberOf[id]] = std::move(problem.ops[id]);
  }
  for (plan::Op &op : ops)
    for (OpId &other : op.after)
      other = numberOf[other];
  for (plan::Value &value : problem.graph.values)
    if (value.producer != kNone)
      value.producer = numberOf[value.producer];
  problem.graph.ops = std::move(ops);
  problem.ops = std::move(planned);
}

/// Sets phases from origins; forward work on gradients is an update.
void ProblemBuilder::setPhases() {
  for (OpId id = 0; id < problem.ops.size(); ++id) {
    PlannedOp &op = problem.ops[id];
    Phase phase = sg::phaseOf(op.op);
    if (phase == Phase::Backward)
      op.phase = Phase::Backward;
    else if (phase == Phase::Recompute)
      op.phase = Phase::Recompute;
    if (op.phase != Phase::Forward)
      continue;
    for (ValueId input : problem.graph.ops[id].inputs) {
      OpId producer = problem.graph.values[problem.rootOf(input)].producer;
      Phase before =
          producer == kNone ? Phase::Forward : problem.ops[producer].phase;
      if (before != Phase::Forward)
        op.phase = Phase::Update;
    }
  }
  for (OpId id = 0; id < problem.ops.size(); ++id)
    problem.graph.ops[id].backward = problem.ops[id].phase != Phase::Forward;
}

FailureOr<PlanProblem> ProblemBuilder::build() {
  if (!llvm::hasSingleElement(problem.function.getBody()))
    return problem.function.emitError()
           << "has " << problem.function.getBody().getBlocks().size()
           << " blocks; a flat function has one";
  if (failed(addArguments()) || failed(checkElements(problem.function, target)))
    return failure();
  Block &body = problem.function.getBody().front();
  for (Operation &op : body)
    if (failed(addOp(&op)))
      return failure();
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    if (sg::isHostTensor(value.getType()))
      return problem.function.emitError()
             << "returns result " << number
             << " in host memory; fetch it to return it";
  for (Value value : body.getTerminator()->getOperands())
    problem.results.push_back(values.lookup(value));
  placeUpdates();
  addResults();
  sortOps();
  problem.irValues.resize(problem.graph.values.size());
  for (auto [value, id] : values)
    problem.irValues[id] = value;
  setPhases();
  if (std::string error = plan::checkGraph(problem.graph); !error.empty())
    return problem.function.emitError()
           << "the plan's graph is wrong: " << error;
  return std::move(problem);
}

FailureOr<PlanProblem> reprise::buildPlanProblem(func::FuncOp function,
                                                 const FixedStorage &fixed,
                                                 Target &target) {
  return ProblemBuilder(function, fixed, target).build();
}
