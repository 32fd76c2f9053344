//===- ValidatePlan.cpp - Independent check of a placed plan --------------===//
//
// Input:   a well-formed graph (checkGraph), and any plan.
// Output:  "" or one sentence about the first error.
// Method:  two walks over the steps. The first determines which execution each
//          operand comes from and checks the order. The second simulates a
//          memory of byte ranges: data that is read must still be there, and
//          writes must not overlap live data. Deliberately shares no code with
//          the planners.
// Cost:    steps times the ranges live at once.
//
//===----------------------------------------------------------------------===//
#include "reprise/Plan/Recompute.h"

#include <algorithm>
#include <cmath>

namespace reprise::plan {

namespace {

/// The bytes of one execution's result, or of an input of the step.
struct Block {
  ValueId value = kNone;
  uint64_t begin = 0, end = 0;
  bool live = false;
  uint32_t lastRead = 0; // step; kNone: needed after the last one
};

/// Represents a block where bytes are outside the area or belong to no block.
constexpr uint32_t kOutside = kNone - 1;

class PaperRun {
public:
  PaperRun(const Graph &graph, const Plan &plan) : graph(graph), plan(plan) {}

  std::string check() {
    for (auto rule : {&PaperRun::checkTables, &PaperRun::bindOperands,
                      &PaperRun::runMemory, &PaperRun::checkClaims})
      if (std::string error = (this->*rule)(); !error.empty())
        return error;
    return "";
  }

private:
  const Op &opAt(uint32_t step) const { return graph.ops[plan.steps[step].op]; }
  std::string name(OpId id) const {
    return "op " + std::to_string(id) + " '" + graph.ops[id].name + "'";
  }
  std::string at(uint32_t step) const {
    return name(plan.steps[step].op) + " at step " + std::to_string(step);
  }
  std::string value(ValueId id) const {
    return "value " + std::to_string(id) + " '" + graph.values[id].name + "'";
  }

  static uint64_t roundUp(uint64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// Returns true if an execution of the value's op gets a range of its own.
  bool hasRange(ValueId id) const {
    const Value &v = graph.values[id];
    return v.viewOf == kNone && v.storage != StorageClass::Fixed && v.bytes > 0;
  }

  std::string checkTables() {
    if (plan.inputOffsets.size() != graph.values.size())
      return "plan has offsets of " + std::to_string(plan.inputOffsets.size()) +
             " inputs for " + std::to_string(graph.values.size()) + " values";
    if (plan.steps.size() >= kOutside)
      return "plan has more than 2^32 - 3 steps";
    for (uint32_t step = 0; step < plan.steps.size(); ++step) {
      const PlanStep &s = plan.steps[step];
      if (s.op >= graph.ops.size())
        return "step " + std::to_string(step) + " runs op " +
               std::to_string(s.op) + " of " + std::to_string(graph.ops.size());
      if (s.outputOffsets.size() != graph.ops[s.op].outputs.size())
        return at(step) + " has " + std::to_string(s.outputOffsets.size()) +
               " offsets for " +
               std::to_string(graph.ops[s.op].outputs.size()) + " outputs";
    }
    return "";
  }

  //===--------------------------------------------------------------------===//
  // The executions that are read, and the order
  //===--------------------------------------------------------------------===//

  uint32_t addBlock(ValueId id) {
    if (!hasRange(id))
      return kOutside;
    blocks.emplace_back();
    blocks.back().value = id;
    return blocks.size() - 1;
  }

  /// Returns the block that a reader of `id` reads now; kNone before it is
  /// computed.
  uint32_t blockOf(ValueId id) const {
    while (graph.values[id].viewOf != kNone &&
           graph.values[id].producer == kNone)
      id = graph.values[id].viewOf;
    return newest[id];
  }

  std::string bindOperands() {
    newest.assign(graph.values.size(), kNone);
    firstStep.assign(graph.ops.size(), kNone);
    overwriter.assign(graph.values.size(), kNone);
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].producer == kNone &&
          graph.values[id].viewOf == kNone)
        newest[id] = addBlock(id);
    for (uint32_t step = 0; step < plan.steps.size(); ++step)
      for (auto rule : {&PaperRun::checkOrder, &PaperRun::bindInputs,
                        &PaperRun::bindOutputs})
        if (std::string error = (this->*rule)(step); !error.empty())
          return error;
    for (OpId id = 0; id < graph.ops.size(); ++id)
      if (firstStep[id] == kNone)
        return name(id) + " never runs";
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].storage == StorageClass::Output)
        if (uint32_t block = blockOf(id); block != kOutside)
          blocks[block].lastRead = kNone;
    return "";
  }

  std::string checkOrder(uint32_t step) {
    OpId id = plan.steps[step].op;
    if (firstStep[id] != kNone) {
      if (graph.ops[id].runsOnce)
        return at(step) + " must run once, and ran already at step " +
               std::to_string(firstStep[id]);
      return "";
    }
    for (OpId other : graph.ops[id].after)
      if (firstStep[other] == kNone)
        return at(step) + " runs before " + name(other) +
               ", which it must come after";
    firstStep[id] = step;
    return "";
  }

  std::string bindInputs(uint32_t step) {
    inputBlocks.emplace_back();
    for (ValueId input : opAt(step).inputs) {
      for (ValueId v = input; v != kNone; v = graph.values[v].viewOf)
        if (overwriter[v] != kNone)
          return at(step) + " reads " + value(v) + ", which " +
                 name(overwriter[v]) + " has overwritten";
      uint32_t block = blockOf(input);
      if (block == kNone)
        return at(step) + " reads " + value(input) + " before it is computed";
      if (block != kOutside)
        blocks[block].lastRead = step;
      inputBlocks.back().push_back(block);
    }
    return "";
  }

  std::string bindOutputs(uint32_t step) {
    OpId id = plan.steps[step].op;
    const Op &op = graph.ops[id];
    for (ValueId output : op.outputs)
      if (graph.values[output].viewOf == kNone) {
        newest[output] = addBlock(output);
        if (newest[output] != kOutside)
          blocks[newest[output]].lastRead = step;
      }
    outputBlocks.emplace_back();
    for (ValueId output : op.outputs) {
      ValueId base = output;
      while (graph.values[base].viewOf != kNone &&
             (graph.values[base].producer == id ||
              graph.values[base].producer == kNone))
        base = graph.values[base].viewOf;
      if (newest[base] == kNone)
        return at(step) + " views " + value(base) + " before it is computed";
      outputBlocks.back().push_back(newest[base]);
      if (newest[base] != kOutside)
        blocks[newest[base]].lastRead = step;
    }
    for (size_t i = 0; i < op.outputs.size(); ++i)
      newest[op.outputs[i]] = outputBlocks.back()[i];
    for (ValueId changed : op.overwrites)
      overwriter[changed] = id;
    return "";
  }

  //===--------------------------------------------------------------------===//
  // The memory
  //===--------------------------------------------------------------------===//

  std::string runMemory() {
    if (std::string error = placeInputs(); !error.empty())
      return error;
    peak = liveBytes;
    for (uint32_t step = 0; step < plan.steps.size(); ++step)
      for (auto rule :
           {&PaperRun::findFrees, &PaperRun::checkReads, &PaperRun::write,
            &PaperRun::checkWorkspace, &PaperRun::giveBack})
        if (std::string error = (this->*rule)(step); !error.empty())
          return error;
    for (uint32_t block : live)
      if (blocks[block].lastRead != kNone && !plan.steps.empty())
        return value(blocks[block].value) + " is never given back";
    for (const Block &block : blocks)
      if (block.lastRead == kNone && !block.live)
        return "output " + value(block.value) + " is not there at the end";
    return "";
  }

  /// Gives a block its range. Returns an error about the range itself.
  std::string setRange(uint32_t id, uint64_t begin) {
    Block &block = blocks[id];
    uint64_t size = roundUp(graph.values[block.value].bytes);
    if (std::string error = checkRange(begin, size); !error.empty())
      return value(block.value) + error;
    block.begin = begin;
    block.end = begin + size;
    return "";
  }

  std::string checkRange(uint64_t begin, uint64_t size) {
    if (begin == kNoOffset)
      return " has no offset";
    if (begin % kAlignment != 0)
      return " has offset " + std::to_string(begin) + ", no multiple of " +
             std::to_string(kAlignment);
    if (begin > UINT64_MAX - size)
      return " ends beyond 64 bits";
    height = std::max(height, begin + size);
    return "";
  }

  void makeLive(uint32_t id) {
    blocks[id].live = true;
    live.push_back(id);
    // Live ranges are disjoint, so that their sum is below 2^64.
    liveBytes += blocks[id].end - blocks[id].begin;
  }

  void makeDead(uint32_t id) {
    blocks[id].live = false;
    live.erase(std::find(live.begin(), live.end(), id));
    liveBytes -= blocks[id].end - blocks[id].begin;
  }

  static bool overlap(const Block &a, uint64_t begin, uint64_t end) {
    return a.begin < end && begin < a.end;
  }

  std::string placeInputs() {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      uint64_t begin = plan.inputOffsets[id];
      if (graph.values[id].producer != kNone || !hasRange(id)) {
        if (begin != kNoOffset)
          return value(id) + " has an offset, but is no input with bytes";
        continue;
      }
      if (std::string error = setRange(newest[id], begin); !error.empty())
        return error;
      for (uint32_t other : live)
        if (overlap(blocks[other], begin, blocks[newest[id]].end))
          return "inputs " + value(id) + " and " + value(blocks[other].value) +
                 " overlap";
      makeLive(newest[id]);
    }
    return "";
  }

  bool isMadeAt(uint32_t block, uint32_t step) const {
    const std::vector<uint32_t> &made = outputBlocks[step];
    for (size_t i = 0; i < made.size(); ++i)
      if (made[i] == block &&
          graph.values[opAt(step).outputs[i]].viewOf == kNone)
        return true;
    return false;
  }

  /// Finds the blocks to free. A value may have two live executions, the older
  /// through a view; the oldest without further readers is freed.
  std::string findFrees(uint32_t step) {
    frees.clear();
    std::vector<uint32_t> candidates = live;
    for (uint32_t block : outputBlocks[step])
      if (block != kOutside && isMadeAt(block, step))
        candidates.push_back(block);
    std::sort(candidates.begin(), candidates.end());
    for (ValueId freed : plan.steps[step].frees) {
      uint32_t found = kNone;
      for (uint32_t block : candidates) {
        bool isTaken =
            std::find(frees.begin(), frees.end(), block) != frees.end();
        if (blocks[block].value != freed || isTaken)
          continue;
        if (blocks[block].lastRead <= step) {
          found = block;
          break;
        }
        found = std::min(found, block);
      }
      if (found == kNone)
        return at(step) + " gives back " +
               (freed < graph.values.size()
                    ? value(freed)
                    : "value " + std::to_string(freed)) +
               ", which has no bytes there";
      frees.push_back(found);
    }
    return "";
  }

  std::string checkReads(uint32_t step) {
    const Op &op = opAt(step);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      uint32_t block = inputBlocks[step][i];
      if (block != kOutside && !blocks[block].live)
        return at(step) + " reads " + value(op.inputs[i]) +
               " after its bytes were given back";
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      uint32_t block = outputBlocks[step][i];
      if (block != kOutside && !blocks[block].live && !isMadeAt(block, step))
        return at(step) + " makes " + value(op.outputs[i]) +
               ", a view of bytes that were given back";
    }
    return "";
  }

  /// Returns true if output `index` may be written over `old`, which it covers.
  bool mayOverwrite(uint32_t step, uint32_t index, uint32_t old) const {
    const Op &op = opAt(step);
    const Block &block = blocks[old];
    const Value &made = graph.values[op.outputs[index]];
    bool isGivenBack =
        std::find(frees.begin(), frees.end(), old) != frees.end();
    if (!isGivenBack || isMadeAt(old, step) ||
        graph.values[block.value].storage == StorageClass::Input ||
        graph.values[block.value].bytes != made.bytes)
      return false;
    ValueId operand = kNone;
    for (uint32_t input = 0; input < op.inputs.size(); ++input) {
      if (inputBlocks[step][input] != old)
        continue;
      // Another view of the same bytes could pair other elements.
      if (operand != kNone && operand != op.inputs[input])
        return false;
      operand = op.inputs[input];
      auto pair = std::make_pair(index, input);
      if (std::find(op.inPlace.begin(), op.inPlace.end(), pair) ==
          op.inPlace.end())
        return false;
    }
    return operand != kNone && graph.values[operand].bytes == made.bytes;
  }

  std::string write(uint32_t step) {
    const Op &op = opAt(step);
    for (uint32_t index = 0; index < op.outputs.size(); ++index) {
      ValueId output = op.outputs[index];
      uint64_t begin = plan.steps[step].outputOffsets[index];
      if (!hasRange(output)) {
        if (begin != kNoOffset)
          return at(step) + " has an offset for " + value(output) +
                 ", which has no bytes of its own";
        continue;
      }
      uint32_t id = outputBlocks[step][index];
      if (std::string error = setRange(id, begin); !error.empty())
        return at(step) + ": " + error;
      uint32_t overwritten = kNone;
      for (uint32_t other : live) {
        if (!overlap(blocks[other], begin, blocks[id].end))
          continue;
        bool sameRange =
            blocks[other].begin == begin && blocks[other].end == blocks[id].end;
        if (!sameRange || !mayOverwrite(step, index, other))
          return at(step) + " writes " + value(output) + " over " +
                 value(blocks[other].value);
        overwritten = other;
      }
      if (overwritten != kNone) {
        makeDead(overwritten);
        frees.erase(std::find(frees.begin(), frees.end(), overwritten));
      }
      makeLive(id);
    }
    return "";
  }

  std::string checkWorkspace(uint32_t step) {
    uint64_t begin = plan.steps[step].workspaceOffset;
    uint64_t size = roundUp(opAt(step).workspaceBytes);
    peak = std::max(peak, liveBytes + size);
    if (size == 0)
      return begin == kNoOffset
                 ? ""
                 : at(step) + " has an offset for a workspace of no bytes";
    if (std::string error = checkRange(begin, size); !error.empty())
      return at(step) + ": workspace" + error;
    for (uint32_t block : live)
      if (overlap(blocks[block], begin, begin + size))
        return at(step) + " has its workspace over " +
               value(blocks[block].value);
    return "";
  }

  std::string giveBack(uint32_t) {
    for (uint32_t block : frees)
      makeDead(block);
    return "";
  }

  std::string checkClaims() {
    double milliseconds = 0;
    for (const PlanStep &step : plan.steps)
      milliseconds += graph.ops[step.op].cost;
    if (plan.maxLive != peak)
      return "max-live is " + std::to_string(peak) + " bytes, not " +
             std::to_string(plan.maxLive);
    if (plan.height != height)
      return "plan ends at byte " + std::to_string(height) + ", not " +
             std::to_string(plan.height);
    // The tolerance of a picosecond a step and of rounding in sums.
    double tolerance =
        1e-9 * (std::max(1.0, milliseconds) + double(plan.steps.size()));
    if (!(std::abs(plan.milliseconds - milliseconds) <= tolerance))
      return "plan takes " + std::to_string(milliseconds) + " ms, not " +
             std::to_string(plan.milliseconds);
    return "";
  }

  const Graph &graph;
  const Plan &plan;
  std::vector<Block> blocks;       // in the order of their computation
  std::vector<uint32_t> newest;    // by value: block of its last execution
  std::vector<uint32_t> firstStep; // by op
  std::vector<OpId> overwriter;    // by value: the op that changed its bytes
  std::vector<std::vector<uint32_t>> inputBlocks, outputBlocks; // by step
  std::vector<uint32_t> live;                                   // blocks
  std::vector<uint32_t> frees; // blocks freed after this step
  uint64_t liveBytes = 0, peak = 0, height = 0;
};

} // namespace

std::string validatePlan(const Graph &graph, const Plan &plan) {
  return PaperRun(graph, plan).check();
}

} // namespace reprise::plan
