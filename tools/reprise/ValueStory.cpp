//===- ValueStory.cpp - Why a value is in memory --------------------------===//

#include "ValueStory.h"
#include "reprise/Bridge/BufferNames.h"
#include "reprise/IR/Origin.h"
#include "llvm/Support/GlobPattern.h"
#include <algorithm>
#include <numeric>

using namespace reprise;
using namespace reprise::tools;
using plan::kNone;
using plan::OpId;
using plan::ValueId;

PlanStory::PlanStory(const BudgetCurve &curve, uint32_t point, double price,
                     std::vector<std::string> keep)
    : problem(curve.problem), fixedBytes(curve.fixedBytes), price(price),
      keep(std::move(keep)),
      executions(curve.points[point].solution.executions),
      unrolled(plan::unroll(problem.graph, executions)) {
  plan::Schedule schedule;
  schedule.order.resize(executions.size());
  std::iota(schedule.order.begin(), schedule.order.end(), 0);
  liveness = plan::computeLiveness(unrolled.graph, schedule);
  names = nameValues(unrolled.graph, schedule);
  describeBuffers();
  times.assign(problem.ops.size(), 0);
  for (OpId id : executions)
    ++times[id];
}

void PlanStory::describeBuffers() {
  std::vector<std::string> called =
      nameBuffers(unrolled.graph, liveness, names);
  entry.steps.resize(steps());
  for (size_t at = 0; at < called.size(); ++at) {
    const plan::Buffer &buffer = liveness.buffers[at];
    BufferFacts facts;
    facts.name = std::move(called[at]);
    facts.size = touchedBytes(unrolled.graph, buffer);
    facts.firstStep = buffer.firstStep;
    facts.lastStep = buffer.lastStep;
    entry.buffers.push_back(std::move(facts));
  }
  peak = uint32_t(tools::peakStep(entry));
}

const std::string &PlanStory::nameOf(ValueId id) const {
  // Instances are in the order of their steps.
  for (ValueId at = 0; at < names.size(); ++at)
    if (unrolled.valueOf[at] == id)
      return names[at];
  return problem.graph.values[id].name;
}

std::string PlanStory::moduleOf(OpId at) const {
  return sg::pathOf(problem.ops[unrolled.opOf[at]].op).str();
}

/// Whether a value has bytes of its own in the placed memory.
bool PlanStory::isPlaced(ValueId id) const {
  const plan::Value &value = problem.graph.values[id];
  return value.bytes && value.viewOf == kNone &&
         value.storage != plan::StorageClass::Fixed;
}

const char *PlanStory::phaseOf(OpId at) const {
  if (unrolled.isClone[at])
    return "recompute";
  switch (problem.ops[unrolled.opOf[at]].phase) {
  case rt_dialect::Phase::Forward:
    return "forward";
  case rt_dialect::Phase::Backward:
    return "backward";
  case rt_dialect::Phase::Recompute:
    return "recompute";
  case rt_dialect::Phase::Update:
    return "update";
  }
  return "forward";
}

std::string PlanStory::peakName() const {
  return steps() ? problem.graph.ops[executions[peak]].name : "";
}

uint64_t PlanStory::peakBytes() const {
  uint64_t bytes = fixedBytes;
  for (size_t at : tools::atPeak(entry))
    bytes += entry.buffers[at].size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The last one that was made in the buffer by the peak, views aside.
ValueId PlanStory::newestAtPeak(const plan::Buffer &buffer) const {
  ValueId newest = buffer.values.front();
  for (ValueId id : buffer.values) {
    const plan::Value &value = unrolled.graph.values[id];
    if (value.viewOf == kNone && value.producer != kNone &&
        value.producer <= peak)
      newest = id;
  }
  return newest;
}

std::vector<PeakLine> PlanStory::atPeak() const {
  std::vector<PeakLine> lines;
  for (size_t at : tools::atPeak(entry)) {
    const plan::Buffer &buffer = liveness.buffers[at];
    const BufferFacts &facts = entry.buffers[at];
    PeakLine line;
    line.name = facts.name;
    line.bytes = facts.size;
    line.lifetime.first = facts.firstStep;
    line.lifetime.last = facts.lastStep;
    OpId maker = buffer.workspaceOf;
    if (maker == kNone) {
      ValueId newest = newestAtPeak(buffer);
      if (newest != buffer.values.front())
        line.holds = names[newest];
      OpId producer = unrolled.graph.values[newest].producer;
      line.lifetime.isRecomputed =
          producer != kNone && unrolled.isClone[producer];
      maker = unrolled.graph.values[buffer.values.front()].producer;
    }
    if (maker != kNone)
      line.module = moduleOf(maker);
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
    std::string module = valueFactsOf(problem, id).module;
    if (names[at].find(pattern) != std::string::npos ||
        (isGlob && (glob->match(names[at]) || glob->match(module))))
      found.push_back(id);
  }
  return found;
}

std::vector<Lifetime> PlanStory::lifetimesOf(ValueId id) const {
  std::vector<Lifetime> lifetimes;
  for (ValueId at = 0; at < unrolled.valueOf.size(); ++at) {
    if (unrolled.valueOf[at] != id || liveness.bufferOfValue[at] == kNone)
      continue;
    const plan::Buffer &buffer = liveness.buffers[liveness.bufferOfValue[at]];
    const plan::Value &value = unrolled.graph.values[at];
    // In bytes that it shares it begins with its own op.
    uint32_t first =
        value.producer == kNone ? buffer.firstStep : value.producer;
    bool again = value.producer != kNone && unrolled.isClone[value.producer];
    lifetimes.push_back({first, buffer.lastStep, again, names[at]});
  }
  return lifetimes;
}

std::vector<Reader> PlanStory::readersOf(ValueId id) const {
  std::vector<Reader> readers;
  for (OpId at = 0; at < unrolled.graph.ops.size(); ++at) {
    const plan::Op &op = unrolled.graph.ops[at];
    bool reads =
        std::any_of(op.inputs.begin(), op.inputs.end(), [&](ValueId input) {
          return problem.rootOf(unrolled.valueOf[input]) == id;
        });
    if (!reads)
      continue;
    OpId original = unrolled.opOf[at];
    readers.push_back({problem.graph.ops[original].name,
                       sg::pathOf(problem.ops[original].op).str(), phaseOf(at),
                       at});
  }
  return readers;
}

/// Whether --keep names an op, as the planner reads its patterns.
bool PlanStory::isKept(OpId op) const {
  for (const std::string &pattern : keep) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
    if (!glob) {
      llvm::consumeError(glob.takeError());
      continue;
    }
    if (isNamed(problem.ops[op].op, *glob))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The other choice
//===----------------------------------------------------------------------===//

/// Without executions whose results nobody reads any more.
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
  if (!plan::checkExecutions(problem.graph, other).empty())
    return choice;
  choice.possible = true;
  choice.bytes = int64_t(plan::maxLiveOf(problem.graph, other)) -
                 int64_t(liveness.maxLive);
  choice.milliseconds = plan::costOf(problem.graph, other) -
                        plan::costOf(problem.graph, executions);
  choice.executions = other.size() > executions.size()
                          ? other.size() - executions.size()
                          : executions.size() - other.size();
  return choice;
}

OtherChoice PlanStory::keepInstead(OpId op) const {
  plan::Executions once;
  bool seen = false;
  for (OpId id : executions) {
    if (id == op && seen)
      continue;
    seen |= id == op;
    once.push_back(id);
  }
  return measure(withoutDeadClones(problem.graph, std::move(once)));
}

/// The executions that bring back what `op` reads, and `op`, in front of a
/// step. False where something must not run again.
bool PlanStory::collectMissing(OpId op, uint32_t step,
                               std::vector<OpId> &again) const {
  if (problem.graph.ops[op].effect || isKept(op))
    return false;
  if (std::find(again.begin(), again.end(), op) != again.end())
    return true;
  for (ValueId input : problem.graph.ops[op].inputs) {
    ValueId root = problem.rootOf(input);
    if (!isPlaced(root))
      continue;
    std::vector<Lifetime> lifetimes = lifetimesOf(root);
    bool isLive =
        std::any_of(lifetimes.begin(), lifetimes.end(), [&](const Lifetime &l) {
          return l.first < step && l.last >= step;
        });
    if (isLive)
      continue;
    OpId producer = problem.graph.values[root].producer;
    if (producer == kNone || !collectMissing(producer, step, again))
      return false;
  }
  again.push_back(op);
  return true;
}

/// Computes the value anew in front of its first reader after the peak.
OtherChoice PlanStory::recomputeInstead(ValueId id,
                                        const ValueStory &story) const {
  OpId op = problem.graph.values[id].producer;
  const Reader *after = nullptr;
  for (const Reader &reader : story.readers)
    if (!after && reader.step > peak)
      after = &reader;
  std::vector<OpId> again;
  if (!after || !collectMissing(op, after->step, again))
    return {};
  plan::Executions other = executions;
  other.insert(other.begin() + after->step, again.begin(), again.end());
  return measure(other);
}

//===----------------------------------------------------------------------===//
// The story
//===----------------------------------------------------------------------===//

std::string PlanStory::explain(ValueId id, const ValueStory &story) const {
  const plan::Value &value = problem.graph.values[id];
  if (value.storage == plan::StorageClass::Input)
    return "an input of the step, in memory from its start";
  if (value.storage == plan::StorageClass::Output)
    return "a result of the step, in memory to its end";
  const plan::Op &op = problem.graph.ops[value.producer];
  double worth = price * double(value.bytes) / (1 << 20);
  std::string bargain =
      formatMilliseconds(op.cost) + " to compute it again, against " +
      formatMilliseconds(worth) + " that its bytes are worth at this budget";
  if (story.value.times)
    return "recomputed: " + bargain;
  bool isResidual =
      !op.backward &&
      std::any_of(story.readers.begin(), story.readers.end(),
                  [](const Reader &r) { return r.phase[0] == 'b'; });
  if (!isResidual)
    return "its readers come soon; no pass in between could do without it";
  if (op.effect)
    return "kept: its op changes state and runs once";
  if (isKept(value.producer))
    return "kept: --keep says so";
  if (price == 0)
    return "kept: the backward pass reads it, and nothing asks for less memory";
  if (op.cost > worth)
    return "kept: " + bargain;
  return "kept: " + bargain + ", but what it is computed from is gone by then";
}

ValueStory PlanStory::tell(ValueId id) const {
  ValueStory story;
  story.value = valueFactsOf(problem, id);
  story.value.name = nameOf(id);
  OpId producer = problem.graph.values[id].producer;
  if (producer != kNone) {
    story.value.times = times[producer] - 1;
    OpId first =
        OpId(std::find(executions.begin(), executions.end(), producer) -
             executions.begin());
    story.phase = phaseOf(first);
  } else {
    story.phase = "input";
  }
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
