//===- Recompute.cpp - Executions as a graph of their own -----------------===//
//
// Input:   a well-formed graph and a sequence of executions.
// Output:  whether it is a schedule; the unrolled graph, in which each
//          execution is an op and each value has one instance an execution.
// Method:  one walk that tracks the newest instance of every value. A view
//          without an op of its own has an instance for each one of its base.
// Cost:    linear in the uses of the executions.
//
//===----------------------------------------------------------------------===//
#include "../graph/CompactGraph.h"
#include "../graph/Storage.h"
#include "reprise/Plan/HostMemory.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

namespace {

class ExecutionChecker {
public:
  ExecutionChecker(const Graph &graph, const Executions &executions)
      : graph(graph), executions(executions), first(graph.ops.size(), kNone),
        times(graph.ops.size(), 0) {}

  std::string check() {
    for (uint32_t step = 0; step < executions.size(); ++step)
      if (std::string error = visit(step); !error.empty())
        return error;
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if (times[id] == 0)
        return name(id) + " never runs";
    return checkOverwrites();
  }

private:
  std::string name(OpId id) const {
    return "op " + std::to_string(id) + " '" + graph.ops[id].name + "'";
  }

  std::string visit(uint32_t step) {
    OpId id = executions[step];
    if (id >= graph.ops.size())
      return "step " + std::to_string(step) + " runs op " + std::to_string(id) +
             " of " + std::to_string(graph.ops.size());
    const Op &op = graph.ops[id];
    bool isRepeated = op.runsOnce && times[id];
    if (isRepeated)
      return name(id) + " must run once and runs again at step " +
             std::to_string(step);
    for (const std::vector<ValueId> *list : {&op.inputs, &op.outputs})
      for (ValueId value : *list)
        for (ValueId at = value; at != kNone; at = graph.values[at].viewOf) {
          OpId producer = graph.values[at].producer;
          if (producer != kNone && producer != id && !times[producer])
            return name(id) + " runs at step " + std::to_string(step) +
                   " before " + name(producer) + ", whose value it needs";
        }
    if (!times[id]) {
      first[id] = step;
      for (OpId other : op.after)
        if (!times[other])
          return name(id) + " runs before " + name(other) +
                 ", which it must come after";
    }
    ++times[id];
    return "";
  }

  std::string checkOverwrites() const {
    std::vector<uint32_t> gone(graph.values.size(), kNone);
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId value : graph.ops[id].overwrites)
        gone[value] = first[id];
    for (uint32_t step = 0; step < executions.size(); ++step)
      for (ValueId input : graph.ops[executions[step]].inputs)
        for (ValueId at = input; at != kNone; at = graph.values[at].viewOf)
          if (step > gone[at])
            return name(executions[step]) + " reads value '" +
                   graph.values[at].name + "' at step " + std::to_string(step) +
                   ", after it was overwritten";
    return "";
  }

  const Graph &graph;
  const Executions &executions;
  std::vector<uint32_t> first, times; // by op
};

class Unroller {
public:
  explicit Unroller(const Graph &graph)
      : graph(graph), onHost(graph.values.size(), kNone),
        newest(graph.values.size(), kNone), viewed(graph.values.size(), kNone),
        first(graph.ops.size(), kNone) {
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].producer == kNone &&
          graph.values[id].viewOf == kNone)
        newest[id] = addValue(id);
  }

  void execute(OpId id) {
    Op op = graph.ops[id];
    OpId unrolled = result.graph.ops.size();
    for (ValueId &input : op.inputs)
      input = instanceOf(input);
    // A view may be listed before the output that it views.
    for (bool views : {false, true})
      for (uint32_t at = 0; at < op.outputs.size(); ++at) {
        ValueId of = graph.ops[id].outputs[at];
        ValueId base = graph.values[of].viewOf;
        if ((base != kNone) != views)
          continue;
        if (views)
          base = instanceOf(base);
        ValueId made = op.outputs[at] = addValue(of);
        result.graph.values[made].producer = unrolled;
        result.graph.values[made].viewOf = base;
        newest[of] = made;
      }
    bool isClone = first[id] != kNone;
    if (isClone)
      op.name += " (again)";
    else
      first[id] = unrolled;
    for (OpId &other : op.after)
      other = first[other];
    op.overwrites.clear();
    result.graph.ops.push_back(std::move(op));
    result.opOf.push_back(id);
    result.isClone.push_back(isClone);
  }

  /// Adds a copy to the host, or one from there, which makes an instance.
  void copy(const HostStep &step) {
    bool isFetch = step.kind == HostStep::Kind::Fetch;
    OpId unrolled = result.graph.ops.size();
    Op op;
    op.name = graph.values[step.id].name;
    op.inputs = {isFetch ? onHost[step.id] : instanceOf(step.id)};
    op.runsOnce = true;
    ValueId made = addValue(step.id);
    result.graph.values[made].producer = unrolled;
    result.graph.values[made].storage = StorageClass::Temporary;
    if (!isFetch)
      result.graph.values[made].bytes = 0;
    (isFetch ? newest : onHost)[step.id] = made;
    op.outputs = {made};
    op.backward = isFetch;
    result.graph.ops.push_back(std::move(op));
    result.opOf.push_back(kNone);
    result.isClone.push_back(false);
  }

  UnrolledGraph finish() {
    addUnreadViews();
    addOrder();
    return std::move(result);
  }

private:
  ValueId addValue(ValueId id) {
    result.graph.values.push_back(graph.values[id]);
    result.graph.values.back().producer = kNone;
    result.valueOf.push_back(id);
    return result.valueOf.size() - 1;
  }

  /// Returns the instance of a value that a reader reads now.
  ValueId instanceOf(ValueId id) {
    const Value &value = graph.values[id];
    if (value.viewOf == kNone || value.producer != kNone)
      return newest[id];
    ValueId base = instanceOf(value.viewOf);
    bool isStale = viewed[id] != base;
    if (newest[id] == kNone || isStale) {
      newest[id] = addValue(id);
      viewed[id] = base;
      result.graph.values.back().viewOf = base;
    }
    return newest[id];
  }

  /// Adds Outputs that are views without readers; they view the newest
  /// instance.
  void addUnreadViews() {
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].viewOf != kNone &&
          graph.values[id].producer == kNone)
        instanceOf(id);
    // Only the instance that is left at the end outlives the step.
    for (ValueId id = 0; id < result.valueOf.size(); ++id) {
      Value &value = result.graph.values[id];
      if (value.storage == StorageClass::Output &&
          newest[result.valueOf[id]] != id)
        value.storage = StorageClass::Temporary;
    }
  }

  /// Orders all executions that read a fixed value before those that change it.
  void addOrder() {
    std::vector<OpId> changer(graph.values.size(), kNone);
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId value : graph.ops[id].overwrites)
        changer[value] = first[id];
    for (OpId id = 0; id < result.opOf.size(); ++id) {
      if (result.opOf[id] == kNone)
        continue;
      for (ValueId input : graph.ops[result.opOf[id]].inputs)
        for (ValueId at = input; at != kNone; at = graph.values[at].viewOf)
          if (changer[at] != kNone && changer[at] != id)
            result.graph.ops[changer[at]].after.push_back(id);
    }
  }

  const Graph &graph;
  std::vector<ValueId> onHost; // by value: the result of its offload
  std::vector<ValueId> newest; // by value: its newest instance
  std::vector<ValueId> viewed; // by view without an op: of which instance
  std::vector<OpId> first;     // by op: its first execution
  UnrolledGraph result;
};

} // namespace

std::string checkExecutions(const Graph &graph, const Executions &executions) {
  return ExecutionChecker(graph, executions).check();
}

UnrolledGraph unroll(const Graph &graph, const Executions &executions) {
  Unroller unroller(graph);
  for (OpId id : executions)
    unroller.execute(id);
  return unroller.finish();
}

UnrolledGraph unroll(const Graph &graph, const HostSteps &steps) {
  Unroller unroller(graph);
  for (const HostStep &step : steps)
    if (step.kind == HostStep::Kind::Execute)
      unroller.execute(step.id);
    else
      unroller.copy(step);
  return unroller.finish();
}

double costOf(const Graph &graph, const Executions &executions) {
  Wide sum = 0;
  for (size_t at = 0; at < executions.size(); ++at) {
    sum += picosecondsOf(graph.ops[executions[at]].cost);
  }
  return double(sum) / CompactGraph::kPerMillisecond;
}

static Schedule inOrder(const Graph &graph) {
  Schedule schedule;
  schedule.order.resize(graph.ops.size());
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  return schedule;
}

uint64_t maxLiveOf(const Graph &graph, const Executions &executions) {
  UnrolledGraph unrolled = unroll(graph, executions);
  return computeLiveness(unrolled.graph, inOrder(unrolled.graph)).maxLive;
}

//===----------------------------------------------------------------------===//
// Placed plans
//===----------------------------------------------------------------------===//

/// Adds the storages that end with each step, by value of the original graph.
static void addFrees(const UnrolledGraph &unrolled,
                     const std::vector<OpId> &order, const Liveness &liveness,
                     Plan &plan) {
  const Graph &graph = unrolled.graph;
  std::vector<uint32_t> stepOf(graph.ops.size());
  for (uint32_t step = 0; step < order.size(); ++step)
    stepOf[order[step]] = step;
  for (const Buffer &buffer : liveness.buffers) {
    if (buffer.values.empty() || plan.steps.empty())
      continue;
    // Members in the order they took the buffer over; views have no storage.
    ValueId last = kNone;
    bool stays = false;
    for (ValueId value : buffer.values) {
      if (graph.values[value].viewOf == kNone) {
        if (last != kNone) {
          OpId taker = graph.values[value].producer;
          plan.steps[stepOf[taker]].frees.push_back(unrolled.valueOf[last]);
        }
        last = value;
      }
      stays |= graph.values[value].storage == StorageClass::Output;
    }
    uint32_t step = buffer.lastStep;
    if (!stays && last != kNone)
      plan.steps[step].frees.push_back(unrolled.valueOf[last]);
  }
}

static Plan assemble(const Graph &graph, const UnrolledGraph &unrolled,
                     const PlacedSchedule &placed) {
  const Liveness &liveness = placed.liveness;
  const Placement &placement = placed.placement;
  Plan plan;
  plan.maxLive = liveness.maxLive;
  plan.height = placement.height;
  plan.milliseconds = costOf(graph, unrolled.opOf);
  plan.strategy = placement.strategy;
  auto offsetOf = [&](uint32_t buffer) {
    return buffer == kNone ? kNoOffset : placement.offsets[buffer];
  };
  for (OpId id : placed.schedule.order) {
    PlanStep step;
    step.op = unrolled.opOf[id];
    uint32_t workspace = liveness.workspaceOfOp[id];
    step.workspaceOffset = offsetOf(workspace);
    for (ValueId output : unrolled.graph.ops[id].outputs)
      step.outputOffsets.push_back(
          unrolled.graph.values[output].viewOf != kNone
              ? kNoOffset
              : offsetOf(liveness.bufferOfValue[output]));
    plan.steps.push_back(std::move(step));
  }
  plan.inputOffsets.assign(graph.values.size(), kNoOffset);
  for (ValueId id = 0; id < unrolled.valueOf.size(); ++id)
    if (unrolled.graph.values[id].storage == StorageClass::Input &&
        unrolled.graph.values[id].viewOf == kNone)
      plan.inputOffsets[unrolled.valueOf[id]] =
          offsetOf(liveness.bufferOfValue[id]);
  addFrees(unrolled, placed.schedule.order, liveness, plan);
  return plan;
}

uint64_t touchedHeight(const Graph &graph, const Plan &plan) {
  uint64_t height = 0;
  auto add = [&](uint64_t offset, uint64_t bytes) {
    if (offset != kNoOffset)
      height = std::max(height, offset + bytes);
  };
  for (ValueId id = 0; id < plan.inputOffsets.size(); ++id)
    add(plan.inputOffsets[id], graph.values[id].bytes);
  for (const PlanStep &step : plan.steps) {
    const Op &op = graph.ops[step.op];
    for (size_t k = 0; k < op.outputs.size(); ++k)
      add(step.outputOffsets[k], graph.values[op.outputs[k]].bytes);
    // A workspace is taken whole.
    add(step.workspaceOffset, alignUp(op.workspaceBytes));
  }
  return height;
}

static uint64_t workOf(const Liveness &liveness, Effort effort) {
  return static_cast<uint64_t>(
      paceOf(effort).placement *
      static_cast<double>(placementWorkOf(liveness.buffers.size())));
}

Plan makePlan(const Graph &graph, const Executions &executions,
              uint64_t placementWork, Effort effort) {
  UnrolledGraph unrolled = unroll(graph, executions);
  PlacedSchedule placed;
  placed.schedule = inOrder(unrolled.graph);
  Liveness &liveness = placed.liveness =
      computeLiveness(unrolled.graph, placed.schedule);
  placed.placement =
      placeBuffers(liveness.buffers, liveness.maxLive,
                   std::min(placementWork, workOf(liveness, effort)));
  return assemble(graph, unrolled, placed);
}

std::optional<Plan> makePlanWithin(const Graph &graph,
                                   const Executions &executions,
                                   uint64_t capacity, Effort effort) {
  UnrolledGraph unrolled = unroll(graph, executions);
  PlacedSchedule placed;
  placed.schedule = inOrder(unrolled.graph);
  Liveness &liveness = placed.liveness =
      computeLiveness(unrolled.graph, placed.schedule);
  FitResult fit =
      placeWithin(liveness.buffers, capacity, workOf(liveness, effort) / 4);
  if (fit.outcome != FitOutcome::Found)
    return std::nullopt;
  Placement &placement = placed.placement = std::move(fit.placement);
  // Buffers with nothing above them may move further up.
  for (uint32_t id = 0; id < liveness.buffers.size(); ++id)
    if (placement.offsets[id] + liveness.buffers[id].bytes == placement.height)
      placement.offsets[id] += capacity - placement.height;
  placement.height = capacity;
  return assemble(graph, unrolled, placed);
}

/// True if the executions in `order` read the same instances of values as in
/// the order in which they were unrolled.
static bool readsTheSame(const Graph &graph, const UnrolledGraph &unrolled,
                         const std::vector<OpId> &order) {
  Executions executions;
  for (OpId id : order)
    executions.push_back(unrolled.opOf[id]);
  UnrolledGraph again = unroll(graph, executions);
  auto storageOf = [](const Graph &of, ValueId id) {
    while (of.values[id].viewOf != kNone)
      id = of.values[id].viewOf;
    return of.values[id].producer;
  };
  for (uint32_t step = 0; step < order.size(); ++step) {
    const Op &before = unrolled.graph.ops[order[step]];
    const Op &after = again.graph.ops[step];
    for (size_t k = 0; k < before.inputs.size(); ++k) {
      OpId maker = storageOf(again.graph, after.inputs[k]);
      if (storageOf(unrolled.graph, before.inputs[k]) !=
          (maker == kNone ? kNone : order[maker]))
        return false;
    }
  }
  return true;
}

std::optional<Plan> overlapCalls(const Graph &graph, const Plan &plan,
                                 uint64_t capacity) {
  Executions executions;
  for (const PlanStep &step : plan.steps)
    executions.push_back(step.op);
  UnrolledGraph unrolled = unroll(graph, executions);
  std::optional<PlacedSchedule> placed =
      overlapCalls(unrolled.graph, inOrder(unrolled.graph), capacity,
                   [&](const Schedule &schedule) {
                     return readsTheSame(graph, unrolled, schedule.order);
                   });
  if (!placed)
    return std::nullopt;
  // Calls keep their bytes for longer, but steps free values as before.
  placed->liveness = computeLiveness(unrolled.graph, placed->schedule);
  Plan found = assemble(graph, unrolled, *placed);
  found.solver = plan.solver;
  return found;
}

} // namespace reprise::plan
