//===- ApplySchedule.cpp - A schedule with recomputation on IR ------------===//
//
// Input:   a flat function and the plan of its step: the executions of its ops
//          and the offsets of their results.
// Output:  the same function with its ops in that order, an op for each
//          execution, copies among them, each with its offsets.
// Method:  a new body is built from the executions. A map knows the newest
//          instance of every value; views (reshapes, barriers) are emitted
//          again for each instance of the viewed value. A clone's operands go
//          through a barrier that waits for the preceding op, so that nothing
//          merges the clone with its original or hoists it.
// Cost:    linear in the executions.
// Fails:   never on executions that passed plan::checkExecutions.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"

#include "reprise/IR/Origin.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace reprise;
using plan::OpId;

namespace {

class ScheduleWriter {
public:
  ScheduleWriter(const BudgetCurve &curve)
      : curve(curve), problem(curve.problem), function(problem.function),
        old(function.getBody().front()), wasExecuted(problem.ops.size(), false),
        builder(function.getContext()) {}

  /// `host` has the plan's copies to and from host memory; null: none.
  void write(const plan::Plan &plan, const plan::HostPlan *host = nullptr) {
    fresh = new Block();
    function.getBody().push_back(fresh);
    builder.setInsertionPointToEnd(fresh);
    for (BlockArgument argument : old.getArguments())
      newest[argument] =
          fresh->addArgument(argument.getType(), argument.getLoc());
    for (auto [k, input] : llvm::enumerate(problem.inputs))
      if (uint64_t offset = plan.inputOffsets[input]; offset != plan::kNoOffset)
        function.setArgAttr(k, sg::SgDialect::kOffsetAttr,
                            builder.getI64IntegerAttr(offset));
    for (auto [at, step] : llvm::enumerate(plan.steps))
      if (host && host->steps[at].kind != plan::HostStep::Kind::Execute)
        copyToHost(host->steps[at], step, host->times.waitingFor[at]);
      else
        execute(step);
    finish();
  }

private:
  /// Returns the instance of `value` that a reader now uses.
  Value resolve(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return newest.lookup(value);
    if (isa<sg::ReadOp, sg::ConstantOp>(op)) {
      if (Value known = newest.lookup(value))
        return known;
      return newest[value] = builder.clone(*op)->getResult(0);
    }
    if (auto reshape = dyn_cast<sg::ReshapeOp>(op))
      return resolveView(value, reshape.getOperand());
    if (auto barrier = dyn_cast<sg::BarrierOp>(op))
      return resolveView(
          value, barrier.getInputs()[cast<OpResult>(value).getResultNumber()]);
    return newest.lookup(value);
  }

  Value resolveView(Value value, Value viewed) {
    Value base = resolve(viewed);
    auto &[seen, view] = views[value];
    if (seen == base)
      return view;
    IRMapping mapping;
    Operation *op = value.getDefiningOp();
    Value made;
    if (auto barrier = dyn_cast<sg::BarrierOp>(op)) {
      SmallVector<Value> after;
      for (Value waited : barrier.getAfter())
        after.push_back(resolve(waited));
      sg::OriginScope scope(builder, op);
      made = sg::BarrierOp::create(builder, op->getLoc(), base.getType(), base,
                                   after)
                 ->getResult(0);
    } else {
      mapping.map(viewed, base);
      made = builder.clone(*op, mapping)->getResult(0);
    }
    // A copy rather than the reference: resolve may have added to the map.
    views[value] = {base, made};
    return made;
  }

  /// Returns the instance of a value, possibly a copy's, that is now used.
  Value resolve(plan::ValueId id) {
    Value value = problem.irValues[id];
    return value ? resolve(value) : copies.lookup(id);
  }

  void executeCopy(const plan::PlanStep &step) {
    const PlannedOp &planned = problem.ops[step.op];
    plan::ValueId target = problem.graph.ops[step.op].outputs.front();
    sg::OriginScope scope(builder, planned.op);
    auto copy =
        sg::CopyOp::create(builder, planned.op->getLoc(),
                           resolve(problem.graph.ops[step.op].inputs.front()));
    if (wasExecuted[step.op])
      markRecomputed(copy);
    wasExecuted[step.op] = true;
    describe(copy, step);
    if (Value value = problem.irValues[target])
      newest[value] = copy;
    else
      copies[target] = copy;
  }

  /// Copies a value to the host or from there; the step waits for the copy for
  /// so many milliseconds.
  void copyToHost(const plan::HostStep &copy, const plan::PlanStep &step,
                  double waits) {
    Operation *cause = problem.ops[problem.graph.values[copy.id].producer].op;
    sg::OriginScope scope(builder, cause);
    Operation *op;
    if (copy.kind == plan::HostStep::Kind::Offload) {
      op = sg::OffloadOp::create(builder, cause->getLoc(), resolve(copy.id));
      onHost[copy.id] = op->getResult(0);
    } else {
      op =
          sg::FetchOp::create(builder, cause->getLoc(), onHost.lookup(copy.id));
      if (Value value = problem.irValues[copy.id])
        newest[value] = op->getResult(0);
      else
        copies[copy.id] = op->getResult(0);
      markRecomputed(op);
      last = op->getResult(0);
    }
    describeOffsets(op, step);
    op->setAttr(sg::SgDialect::kPicosecondsAttr,
                builder.getI64IntegerAttr(plan::picosecondsOf(waits)));
  }

  void describeOffsets(Operation *op, const plan::PlanStep &step) {
    auto offsetOf = [](uint64_t offset) -> int64_t {
      return offset == plan::kNoOffset ? -1 : int64_t(offset);
    };
    SmallVector<int64_t> offsets;
    for (uint64_t offset : step.outputOffsets)
      offsets.push_back(offsetOf(offset));
    offsets.push_back(offsetOf(step.workspaceOffset));
    op->setAttr(sg::SgDialect::kOffsetsAttr,
                builder.getDenseI64ArrayAttr(offsets));
  }

  void describe(Operation *op, const plan::PlanStep &step) {
    describeOffsets(op, step);
    op->setAttr(sg::SgDialect::kPicosecondsAttr,
                builder.getI64IntegerAttr(
                    plan::picosecondsOf(problem.graph.ops[step.op].cost)));
    if (curve.isAsked(step.op))
      op->setAttr(sg::SgDialect::kKeepAttr, builder.getUnitAttr());
  }

  void execute(const plan::PlanStep &step) {
    OpId id = step.op;
    const PlannedOp &planned = problem.ops[id];
    if (planned.isCopy)
      return executeCopy(step);
    bool isClone = wasExecuted[id];
    wasExecuted[id] = true;
    IRMapping mapping;
    SmallVector<Value> operands;
    for (Value operand : planned.op->getOperands())
      operands.push_back(resolve(operand));
    if (isClone)
      guard(planned.op, operands);
    for (auto [before, after] :
         llvm::zip_equal(planned.op->getOperands(), operands))
      mapping.map(before, after);
    Operation *copy = builder.clone(*planned.op, mapping);
    describe(copy, step);
    if (isClone)
      markRecomputed(copy);
    for (auto [before, after] :
         llvm::zip_equal(planned.op->getResults(), copy->getResults())) {
      newest[before] = after;
    }
    last = copy->getResult(0);
  }

  /// Passes the operands through a barrier that waits for the op executed last.
  void guard(Operation *op, SmallVector<Value> &operands) {
    llvm::SetVector<Value> inputs;
    for (Value operand : operands)
      inputs.insert(operand);
    if (inputs.empty() || !last)
      return;
    ValueRange guarded(inputs.getArrayRef());
    sg::OriginScope scope(builder, op);
    ValueRange after(last);
    auto barrier = sg::BarrierOp::create(builder, op->getLoc(),
                                         guarded.getTypes(), guarded, after);
    for (Value &operand : operands)
      for (auto [input, result] :
           llvm::zip_equal(inputs, barrier->getResults()))
        if (operand == input) {
          operand = result;
          break;
        }
  }

  void markRecomputed(Operation *op) {
    sg::setOrigin(op,
                  sg::OriginAttr::get(op->getContext(), sg::pathOf(op),
                                      Phase::Recompute, sg::instanceOf(op)));
  }

  void emitWrite(sg::WriteOp write) {
    auto found = problem.written.find(write);
    Value value = found == problem.written.end() ? resolve(write.getValue())
                                                 : resolve(found->second);
    builder.clone(*write)->setOperand(0, value);
  }

  /// Adds the missing origins: clones have one even in a function without
  /// origins.
  void completeOrigins() {
    bool saysOrigins = llvm::any_of(*fresh, [](Operation &op) {
      return static_cast<bool>(sg::originOf(&op));
    });
    for (Operation &op : *fresh)
      if (saysOrigins && sg::hasOrigin(&op) && !sg::originOf(&op))
        sg::setOrigin(&op, sg::OriginAttr::get(op.getContext(), sg::pathOf(&op),
                                               sg::phaseOf(&op), std::nullopt));
  }

  void finish() {
    for (auto write : old.getOps<sg::WriteOp>())
      emitWrite(write);
    // Returned views and reads are emitted here.
    Operation *terminator = old.getTerminator();
    SmallVector<Value> returned;
    for (auto [k, operand] : llvm::enumerate(terminator->getOperands())) {
      Value copy = copies.lookup(problem.results[k]);
      returned.push_back(copy ? copy : resolve(operand));
    }
    builder.clone(*terminator)->setOperands(returned);
    completeOrigins();
    old.dropAllReferences();
    old.erase();
  }

  const BudgetCurve &curve;
  const PlanProblem &problem;
  func::FuncOp function;
  Block &old;
  Block *fresh = nullptr;
  std::vector<bool> wasExecuted; // by op
  OpBuilder builder;
  llvm::DenseMap<Value, Value> newest;
  llvm::DenseMap<plan::ValueId, Value> copies; // not in the old body
  llvm::DenseMap<plan::ValueId, Value> onHost; // the results of offloads
  /// Views: the instance that the newest one views, and the view itself.
  llvm::DenseMap<Value, std::pair<Value, Value>> views;
  Value last; // a result of the op executed last
};

} // namespace

void reprise::applySchedule(const BudgetCurve &curve, const plan::Plan &plan) {
  func::FuncOp function = curve.problem.function;
  ScheduleWriter(curve).write(plan);
  function->setAttr(sg::SgDialect::kScheduledAttr,
                    UnitAttr::get(function.getContext()));
}

void reprise::applySchedule(const HostChoice &choice) {
  const BudgetCurve &curve = choice.kernels->curve;
  // The plan in numbers of the step's own ops and values.
  plan::Plan plan = choice.plan;
  for (plan::PlanStep &step : plan.steps)
    step.op = choice.unrolled.opOf[step.op];
  plan.inputOffsets.assign(curve.problem.graph.values.size(), plan::kNoOffset);
  for (auto [id, offset] : llvm::enumerate(choice.plan.inputOffsets))
    if (offset != plan::kNoOffset)
      plan.inputOffsets[choice.unrolled.valueOf[id]] = offset;
  func::FuncOp function = curve.problem.function;
  ScheduleWriter(curve).write(plan, &choice.host);
  function->setAttr(sg::SgDialect::kScheduledAttr,
                    UnitAttr::get(function.getContext()));
}
