//===- StepGraph.cpp - A program's step as a planner's graph --------------===//
//
// Input:   an entry of a checked program.
// Output:  see StepGraph.h.
// Method:  one walk over the steps that tracks the newest value in each buffer.
// Cost:    linear in the views.
// Fails:   where steps contradict each other. A buffer that is read before any
//          step wrote it is assumed to be an input.
//
//===----------------------------------------------------------------------===//
#include "reprise/Program/StepGraph.h"
#include "reprise/Plan/BufferNames.h"

using namespace reprise;
using namespace reprise::driver;
using plan::kNone;
using plan::OpId;
using plan::StorageClass;
using plan::ValueId;

namespace {
class Builder {
public:
  Builder(const EntryFacts &entry, size_t fixedBuffers)
      : entry(entry), fixedBuffers(fixedBuffers),
        newest(fixedBuffers + entry.buffers.size(), kNone) {}

  StepGraph build() {
    for (const TensorFacts &input : entry.inputs)
      addValue(input.buffer, bytesOf(input.buffer), input.name,
               StorageClass::Input);
    for (uint32_t number = 0; number < entry.steps.size(); ++number)
      addStep(number);
    for (const TensorFacts &output : entry.outputs)
      keepToEnd(output.buffer);
    return std::move(steps);
  }

private:
  bool isFixed(uint32_t buffer) const { return buffer < fixedBuffers; }

  uint64_t bytesOf(uint32_t buffer) const {
    return isFixed(buffer) ? 0 : entry.buffers[buffer - fixedBuffers].size;
  }

  ValueId addValue(uint32_t buffer, uint64_t bytes, std::string name,
                   StorageClass storage) {
    ValueId id = ValueId(steps.graph.values.size());
    plan::Value value;
    value.name = std::move(name);
    value.bytes = bytes;
    value.storage = storage;
    steps.graph.values.push_back(std::move(value));
    steps.inputBuffers.push_back(storage == StorageClass::Input
                                     ? uint32_t(buffer - fixedBuffers)
                                     : kNone);
    return newest[buffer] = id;
  }

  ValueId read(const ViewFacts &view) {
    if (newest[view.buffer] != kNone)
      return newest[view.buffer];
    if (isFixed(view.buffer))
      return addValue(view.buffer, view.bytes, "", StorageClass::Fixed);
    return addValue(view.buffer, bytesOf(view.buffer),
                    entry.buffers[view.buffer - fixedBuffers].name,
                    StorageClass::Input);
  }

  /// Adds the op of a step that is not a clone.
  OpId addOp(uint32_t number) {
    const StepFacts &step = entry.steps[number];
    OpId id = OpId(steps.graph.ops.size());
    plan::Op op;
    for (const ViewFacts &view : step.reads)
      op.inputs.push_back(read(view));
    bool isCopy = step.action == StepAction::Copy && !op.inputs.empty();
    std::string made = isCopy ? steps.graph.values[op.inputs.front()].name
                              : nameOfOp(step.module, step.name);
    op.name = isCopy ? nameOfCopy(made) : made;
    op.runsOnce = step.isAsked || step.action == StepAction::Offload ||
                  step.action == StepAction::Fetch;
    op.backward = step.phase != Phase::Forward;
    op.cost = millisecondsOf(step.picoseconds);
    op.workspaceBytes = step.workspace ? step.workspace->bytes : 0;
    op.inPlace.assign(step.inPlace.begin(), step.inPlace.end());
    for (const ViewFacts &view : step.writes) {
      bool fixed = isFixed(view.buffer);
      if (fixed && newest[view.buffer] == kNone)
        read(view);
      if (fixed) {
        op.overwrites.push_back(newest[view.buffer]);
        op.runsOnce = true;
      }
      ValueId value =
          addValue(view.buffer, view.bytes, made,
                   fixed ? StorageClass::Fixed : StorageClass::Temporary);
      steps.graph.values[value].producer = id;
      op.outputs.push_back(value);
    }
    steps.graph.ops.push_back(std::move(op));
    steps.firstStep.push_back(number);
    return id;
  }

  void addStep(uint32_t number) {
    const StepFacts &step = entry.steps[number];
    bool isClone = step.cloneOf && entry.steps[*step.cloneOf].writes.size() ==
                                       step.writes.size();
    OpId id = isClone ? steps.executions[*step.cloneOf] : addOp(number);
    steps.executions.push_back(id);
    std::vector<uint32_t> buffers;
    for (size_t k = 0; k < step.writes.size(); ++k) {
      uint32_t buffer = step.writes[k].buffer;
      newest[buffer] = steps.graph.ops[id].outputs[k];
      buffers.push_back(isFixed(buffer) ? kNone
                                        : uint32_t(buffer - fixedBuffers));
    }
    steps.written.push_back(std::move(buffers));
  }

  void keepToEnd(uint32_t buffer) {
    if (isFixed(buffer) || newest[buffer] == kNone)
      return;
    ValueId id = newest[buffer];
    if (steps.graph.values[id].storage == StorageClass::Temporary) {
      steps.graph.values[id].storage = StorageClass::Output;
      return;
    }
    // An input: a view of it that is an output keeps its bytes alive.
    ValueId view = addValue(buffer, bytesOf(buffer),
                            steps.graph.values[id].name, StorageClass::Output);
    steps.graph.values[view].viewOf = id;
  }

  const EntryFacts &entry;
  size_t fixedBuffers;
  StepGraph steps;
  std::vector<ValueId> newest; // by buffer
};
} // namespace

rt::Expected<StepGraph> driver::buildStepGraph(const EntryFacts &entry,
                                               size_t fixedBuffers) {
  StepGraph steps = Builder(entry, fixedBuffers).build();
  std::string error = plan::checkGraph(steps.graph);
  if (error.empty())
    error = plan::checkExecutions(steps.graph, steps.executions);
  if (error.empty())
    return steps;
  return rt::Status::error(RP_DATA_LOSS,
                           "the steps of entry '" + entry.name +
                               "' contradict each other: " + error);
}
