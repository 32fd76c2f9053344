//===- ValueStory.cpp - The reason for a value in memory ------------------===//

#include "reprise/Budget/ValueStory.h"
#include "reprise/Plan/BufferNames.h"
#include "reprise/Plan/Choice.h"
#include "llvm/Support/GlobPattern.h"
#include <algorithm>
#include <numeric>

using namespace reprise;
using namespace reprise::driver;
using plan::kNone;
using plan::OpId;
using plan::ValueId;

PlanStory::PlanStory(const ProgramFacts &program, const EntryFacts &entry,
                     StepGraph steps)
    : program(program), entry(entry),
      price(entry.certificate ? entry.certificate->picosecondsPerMiB : 0),
      own(std::move(steps)), unrolled(plan::unroll(own.graph, own.executions)),
      peak(uint32_t(driver::peakStep(entry))) {
  plan::Schedule schedule;
  schedule.order.resize(own.executions.size());
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  names = nameValues(unrolled.graph, schedule);
}

const std::string &PlanStory::nameOf(ValueId id) const {
  // Instances follow the order of their steps.
  for (ValueId at = 0; at < names.size(); ++at)
    if (unrolled.valueOf[at] == id)
      return names[at];
  return own.graph.values[id].name;
}

/// Returns true if a value has its own bytes in the placed memory.
bool PlanStory::isPlaced(ValueId id) const {
  const plan::Value &value = own.graph.values[id];
  return value.bytes && value.viewOf == kNone &&
         value.storage != plan::StorageClass::Fixed;
}

/// Returns the entry's buffer of an instance; kNone if it is not placed.
uint32_t PlanStory::bufferOf(ValueId instance) const {
  OpId step = unrolled.graph.values[instance].producer;
  if (step == kNone)
    return own.inputBuffers[unrolled.valueOf[instance]];
  const std::vector<ValueId> &outputs = unrolled.graph.ops[step].outputs;
  size_t k = size_t(std::find(outputs.begin(), outputs.end(), instance) -
                    outputs.begin());
  return own.written[step][k];
}

ValueFacts PlanStory::factsOf(ValueId id) const {
  const plan::Value &value = own.graph.values[id];
  ValueFacts facts;
  facts.name = nameOf(id);
  facts.bytes = value.bytes;
  if (value.producer == kNone)
    return facts;
  const StepFacts &step = firstStepOf(value.producer);
  facts.module = step.module;
  facts.location = step.location;
  facts.milliseconds = millisecondsOf(step.picoseconds);
  return facts;
}

std::string PlanStory::peakName() const {
  return steps() ? own.graph.ops[own.executions[peak]].name : "";
}

uint64_t PlanStory::peakBytes() const {
  uint64_t bytes = program.fixed;
  for (size_t at : driver::atPeak(entry))
    bytes += entry.buffers[at].size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::vector<PeakLine> PlanStory::atPeak() const {
  // The values written to each buffer up to the peak, the newest last.
  std::vector<std::vector<ValueId>> made(entry.buffers.size());
  for (OpId step = 0; step <= peak && step < steps(); ++step)
    for (ValueId instance : unrolled.graph.ops[step].outputs)
      if (uint32_t buffer = bufferOf(instance); buffer != kNone)
        made[buffer].push_back(instance);
  std::vector<PeakLine> lines;
  for (size_t at : driver::atPeak(entry)) {
    const BufferFacts &buffer = entry.buffers[at];
    PeakLine line;
    line.name = buffer.name;
    line.bytes = buffer.size;
    line.lifetime.first = buffer.firstStep;
    line.lifetime.last = buffer.lastStep;
    if (!made[at].empty()) {
      ValueId newest = made[at].back();
      if (names[newest] != buffer.name)
        line.holds = names[newest];
      line.lifetime.isRecomputed =
          unrolled.isClone[unrolled.graph.values[newest].producer];
    }
    if (buffer.kind != BufferKind::Input && buffer.firstStep < steps())
      line.module = entry.steps[buffer.firstStep].module;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> PlanStory::allNames() const {
  std::vector<std::string> found;
  for (ValueId at = 0; at < names.size(); ++at)
    if (isPlaced(unrolled.valueOf[at]))
      found.push_back(names[at]);
  return found;
}

std::vector<ValueId> PlanStory::find(const std::string &pattern) const {
  std::vector<ValueId> found;
  for (ValueId at = 0; at < names.size(); ++at)
    if (isPlaced(unrolled.valueOf[at]) && names[at] == pattern)
      return {unrolled.valueOf[at]};
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  bool isGlob = bool(glob);
  if (!isGlob)
    llvm::consumeError(glob.takeError());
  for (ValueId at = 0; at < names.size(); ++at) {
    ValueId id = unrolled.valueOf[at];
    if (!isPlaced(id) || llvm::is_contained(found, id))
      continue;
    std::string module = factsOf(id).module;
    if (names[at].find(pattern) != std::string::npos ||
        (isGlob && (glob->match(names[at]) || glob->match(module))))
      found.push_back(id);
  }
  return found;
}

std::vector<Lifetime> PlanStory::lifetimesOf(ValueId id) const {
  std::vector<Lifetime> lifetimes;
  for (ValueId at = 0; at < unrolled.valueOf.size(); ++at) {
    uint32_t buffer = unrolled.valueOf[at] == id ? bufferOf(at) : kNone;
    if (buffer == kNone)
      continue;
    // Its lifetime in shared bytes begins with its own step.
    OpId step = unrolled.graph.values[at].producer;
    uint32_t first = step == kNone ? entry.buffers[buffer].firstStep : step;
    lifetimes.push_back({first, entry.buffers[buffer].lastStep,
                         step != kNone && unrolled.isClone[step], names[at]});
  }
  return lifetimes;
}

std::vector<Reader> PlanStory::readersOf(ValueId id) const {
  std::vector<Reader> readers;
  for (OpId at = 0; at < unrolled.graph.ops.size(); ++at) {
    const plan::Op &op = unrolled.graph.ops[at];
    bool reads =
        std::any_of(op.inputs.begin(), op.inputs.end(), [&](ValueId input) {
          return unrolled.valueOf[input] == id;
        });
    if (reads)
      readers.push_back({own.graph.ops[own.executions[at]].name,
                         entry.steps[at].module, entry.steps[at].phase, at});
  }
  return readers;
}

//===----------------------------------------------------------------------===//
// The opposite choice
//===----------------------------------------------------------------------===//

/// Removes executions whose results are no longer read.
static plan::Executions withoutDeadClones(const plan::Graph &graph,
                                          plan::Executions executions) {
  for (;;) {
    plan::UnrolledGraph unrolled = plan::unroll(graph, executions);
    std::vector<bool> isRead(unrolled.graph.values.size(), false);
    for (const plan::Op &op : unrolled.graph.ops)
      for (ValueId input : op.inputs)
        for (ValueId at = input; at != kNone;
             at = unrolled.graph.values[at].viewOf)
          isRead[at] = true;
    plan::Executions alive;
    for (OpId at = 0; at < executions.size(); ++at) {
      const plan::Op &op = unrolled.graph.ops[at];
      bool needed = std::any_of(
          op.outputs.begin(), op.outputs.end(), [&](ValueId output) {
            return isRead[output] || unrolled.graph.values[output].storage ==
                                         plan::StorageClass::Output;
          });
      if (!unrolled.isClone[at] || needed)
        alive.push_back(executions[at]);
    }
    if (alive.size() == executions.size())
      return executions;
    executions = std::move(alive);
  }
}

OtherChoice PlanStory::measure(const plan::Executions &other) const {
  OtherChoice choice;
  const plan::Graph &graph = own.graph;
  const plan::Executions &executions = own.executions;
  if (!plan::checkExecutions(graph, other).empty())
    return choice;
  choice.possible = true;
  choice.bytes = int64_t(plan::maxLiveOf(graph, other)) -
                 int64_t(plan::maxLiveOf(graph, executions));
  choice.milliseconds =
      plan::costOf(graph, other) - plan::costOf(graph, executions);
  choice.executions = other.size() > executions.size()
                          ? other.size() - executions.size()
                          : executions.size() - other.size();
  return choice;
}

OtherChoice PlanStory::keepInstead(OpId op) const {
  plan::Executions once;
  bool seen = false;
  for (OpId id : own.executions) {
    if (id == op && seen)
      continue;
    seen |= id == op;
    once.push_back(id);
  }
  return measure(withoutDeadClones(own.graph, std::move(once)));
}

/// Collects the executions that restore the operands of `op`, and `op`, before
/// a step. Returns false if an op must not repeat.
bool PlanStory::collectMissing(OpId op, uint32_t step,
                               std::vector<OpId> &again) const {
  if (own.graph.ops[op].runsOnce)
    return false;
  if (std::find(again.begin(), again.end(), op) != again.end())
    return true;
  for (ValueId input : own.graph.ops[op].inputs) {
    if (!isPlaced(input))
      continue;
    std::vector<Lifetime> lifetimes = lifetimesOf(input);
    bool isLive =
        std::any_of(lifetimes.begin(), lifetimes.end(), [&](const Lifetime &l) {
          return l.first < step && l.last >= step;
        });
    if (isLive)
      continue;
    OpId producer = own.graph.values[input].producer;
    if (producer == kNone || !collectMissing(producer, step, again))
      return false;
  }
  again.push_back(op);
  return true;
}

/// Recomputes the value before its first reader after the peak.
OtherChoice PlanStory::recomputeInstead(ValueId id,
                                        const ValueStory &story) const {
  OpId op = own.graph.values[id].producer;
  const Reader *after = nullptr;
  for (const Reader &reader : story.readers)
    if (!after && reader.step > peak)
      after = &reader;
  std::vector<OpId> again;
  if (!after || !collectMissing(op, after->step, again))
    return {};
  plan::Executions other = own.executions;
  other.insert(other.begin() + after->step, again.begin(), again.end());
  return measure(other);
}

//===----------------------------------------------------------------------===//
// The story
//===----------------------------------------------------------------------===//

/// Describes a reason; `bargain` is the text about its costs and benefits.
static std::string describe(Reason reason, const std::string &bargain) {
  switch (reason) {
  case Reason::Input:
    return "an input of the step, in memory from its start";
  case Reason::Result:
    return "a result of the step, in memory to its end";
  case Reason::Workspace:
    return "a workspace of one step";
  case Reason::Again:
    return "recomputed: " + bargain;
  case Reason::RunsOnce:
    return "kept: its op changes state and runs once";
  case Reason::Asked:
    return "kept: --keep, sg.keep or an annotation asks for it";
  case Reason::Free:
    return "kept: the backward pass reads it, and nothing asks for less memory";
  case Reason::Dear:
    return "kept: " + bargain;
  case Reason::SourceGone:
    return "kept: " + bargain +
           ", but what it is computed from is gone by then";
  case Reason::Passing:
    return "its readers come soon; no pass in between could do without it";
  case Reason::Fetched:
    return "copied back from host memory, to which the forward pass copied it";
  case Reason::Unknown:
    break;
  }
  return "the program does not say";
}

std::string PlanStory::explain(ValueId id, const ValueStory &story) const {
  ValueId instance = 0;
  while (unrolled.valueOf[instance] != id)
    ++instance;
  Reason reason = entry.buffers[bufferOf(instance)].reason;
  bool isSettled = reason == Reason::Input || reason == Reason::Result;
  // The reason for values that share bytes is that of the last kept one.
  bool isRead = std::any_of(
      story.readers.begin(), story.readers.end(),
      [](const Reader &reader) { return reader.phase != Phase::Forward; });
  if (!isSettled && !isRead)
    reason = Reason::Passing;
  bool isOffloaded = std::any_of(
      story.readers.begin(), story.readers.end(), [&](const Reader &reader) {
        return entry.steps[reader.step].action == StepAction::Offload;
      });
  if (isOffloaded)
    return "copied to host memory; the backward pass fetches it from there";
  if (!isSettled && story.value.times)
    reason = Reason::Again;
  if (reason == Reason::Again && !entry.certificate)
    return "recomputed by the checkpointing mode";
  uint64_t worth = plan::worthOf(story.value.bytes, price);
  return describe(reason, formatMilliseconds(story.value.milliseconds) +
                              " to recompute it, against " +
                              formatMilliseconds(millisecondsOf(worth)) +
                              " that its bytes are worth at this budget");
}

ValueStory PlanStory::tell(ValueId id) const {
  ValueStory story;
  story.value = factsOf(id);
  OpId producer = own.graph.values[id].producer;
  story.phase =
      producer == kNone ? "input" : termName(firstStepOf(producer).phase);
  if (producer != kNone)
    story.value.times = uint32_t(std::count(own.executions.begin(),
                                            own.executions.end(), producer)) -
                        1;
  story.lifetimes = lifetimesOf(id);
  story.readers = readersOf(id);
  for (const Lifetime &lifetime : story.lifetimes)
    story.atPeak |= lifetime.first <= peak && lifetime.last >= peak;
  story.why = explain(id, story);
  if (producer == kNone)
    return story;
  story.other =
      story.value.times ? keepInstead(producer) : recomputeInstead(id, story);
  return story;
}
