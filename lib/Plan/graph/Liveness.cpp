//===- Liveness.cpp - Buffers and live bytes of a schedule ----------------===//
//
// Input:   a well-formed graph and a valid order of its ops.
// Output:  buffers with first and last step, live bytes by step, their peak.
// Method:  one walk over the order. A value's storage is that of the root of
//          its views; it dies at the last step that uses any of them. An output
//          takes over the buffer of an input that Op::inPlace names when that
//          buffer dies there.
// Cost:    linear in the uses.
//
//   step   0   1   2   3
//   x      ########            read by 1 and 2
//   v          ########        a view of x, read by 3: x's buffer lives to 3
//   y                  ####    in place of x at 3: the same buffer again
//
//===----------------------------------------------------------------------===//
#include "Storage.h"
#include "reprise/Plan/Schedule.h"

#include <algorithm>

namespace reprise::plan {

namespace {

class LivenessBuilder {
public:
  LivenessBuilder(const Graph &graph, const Schedule &schedule)
      : graph(graph), order(schedule.order), storages(analyzeStorages(graph)) {}

  Liveness build() {
    result.bufferOfValue.assign(graph.values.size(), kNone);
    result.workspaceOfOp.assign(graph.ops.size(), kNone);
    result.liveBytes.resize(endStep() + 1);
    findLastUses();
    addInputs();
    for (uint32_t step = 0; step < order.size(); ++step)
      visit(step);
    addViews();
    sumLiveBytes(result);
    return std::move(result);
  }

private:
  uint32_t endStep() const { return order.empty() ? 0 : order.size() - 1; }

  void findLastUses() {
    std::vector<uint32_t> stepOf(graph.ops.size(), 0);
    for (uint32_t step = 0; step < order.size(); ++step)
      stepOf[order[step]] = step;
    lastUse.assign(graph.values.size(), 0);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      for (OpId user : storages.users[id])
        lastUse[id] = std::max(lastUse[id], stepOf[user]);
      if (storages.toEnd[id])
        lastUse[id] = endStep();
    }
  }

  uint32_t addBuffer(Buffer buffer, bool reusable) {
    result.buffers.push_back(std::move(buffer));
    reusableBuffer.push_back(reusable);
    return result.buffers.size() - 1;
  }

  void addStorage(ValueId root, uint32_t step) {
    Buffer buffer;
    buffer.values = {root};
    buffer.bytes = storages.bytes[root];
    buffer.firstStep = step;
    buffer.lastStep = std::max(step, lastUse[root]);
    bool reusable = graph.values[root].storage == StorageClass::Temporary &&
                    !storages.toEnd[root];
    result.bufferOfValue[root] = addBuffer(std::move(buffer), reusable);
  }

  void addInputs() {
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].storage == StorageClass::Input &&
          storages.rootOf[id] == id && storages.bytes[id])
        addStorage(id, 0);
  }

  /// Returns true if every operand of `op` in `buffer` is `input` itself and
  /// may be overwritten by `output`. Another view of the same bytes could pair
  /// other elements, so it forbids the reuse.
  bool readsOnlyInPlace(const Op &op, uint32_t buffer, uint32_t output,
                        ValueId input) const {
    for (uint32_t index = 0; index < op.inputs.size(); ++index) {
      ValueId other = op.inputs[index];
      if (result.bufferOfValue[storages.rootOf[other]] != buffer)
        continue;
      auto declared = std::make_pair(output, index);
      bool isDeclared = std::find(op.inPlace.begin(), op.inPlace.end(),
                                  declared) != op.inPlace.end();
      if (other != input || !isDeclared)
        return false;
    }
    return true;
  }

  /// Returns the buffer that `output` of `op` takes over, or kNone.
  uint32_t findInPlace(const Op &op, uint32_t output, uint32_t step) const {
    uint64_t bytes = graph.values[op.outputs[output]].bytes;
    for (auto [outputIndex, inputIndex] : op.inPlace) {
      if (outputIndex != output)
        continue;
      ValueId input = op.inputs[inputIndex];
      ValueId root = storages.rootOf[input];
      uint32_t buffer = result.bufferOfValue[root];
      if (buffer == kNone || !reusableBuffer[buffer])
        continue;
      // Dead here, and not yet taken by another output of this op, which
      // would have extended or closed it.
      bool isDead = result.buffers[buffer].lastStep == step;
      bool isFree = !isTaken(buffer, op);
      if (!isDead || !isFree)
        continue;
      bool sameBytes = graph.values[input].bytes == bytes &&
                       graph.values[root].bytes == bytes;
      if (sameBytes && readsOnlyInPlace(op, buffer, output, input))
        return buffer;
    }
    return kNone;
  }

  bool isTaken(uint32_t buffer, const Op &op) const {
    ValueId newest = result.buffers[buffer].values.back();
    return std::find(op.outputs.begin(), op.outputs.end(), newest) !=
           op.outputs.end();
  }

  void visit(uint32_t step) {
    OpId id = order[step];
    const Op &op = graph.ops[id];
    for (uint32_t index = 0; index < op.outputs.size(); ++index) {
      ValueId output = op.outputs[index];
      if (storages.rootOf[output] != output || !storages.bytes[output])
        continue;
      uint32_t buffer = findInPlace(op, index, step);
      if (buffer == kNone) {
        addStorage(output, step);
        continue;
      }
      Buffer &taken = result.buffers[buffer];
      taken.values.push_back(output);
      taken.lastStep = std::max(step, lastUse[output]);
      reusableBuffer[buffer] = !storages.toEnd[output];
      result.bufferOfValue[output] = buffer;
    }
    if (op.workspaceBytes) {
      Buffer buffer;
      buffer.workspaceOf = id;
      buffer.bytes = alignUp(op.workspaceBytes);
      buffer.firstStep = buffer.lastStep = step;
      result.workspaceOfOp[id] = addBuffer(std::move(buffer), false);
    }
  }

  void addViews() {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      ValueId root = storages.rootOf[id];
      uint32_t buffer = result.bufferOfValue[root];
      if (root == id || buffer == kNone)
        continue;
      result.bufferOfValue[id] = buffer;
      result.buffers[buffer].values.push_back(id);
    }
  }

  const Graph &graph;
  const std::vector<OpId> &order;
  Storages storages;
  std::vector<uint32_t> lastUse;    // by root
  std::vector<bool> reusableBuffer; // temporary throughout: may be taken over
  Liveness result;
};

} // namespace

void sumLiveBytes(Liveness &liveness) {
  size_t steps = liveness.liveBytes.size();
  // Unsigned wrap-around is harmless: the running sum is never negative.
  std::vector<uint64_t> change(steps + 1, 0);
  for (const Buffer &buffer : liveness.buffers) {
    change[buffer.firstStep] += buffer.bytes;
    change[buffer.lastStep + 1] -= buffer.bytes;
  }
  uint64_t live = 0;
  liveness.maxLive = 0;
  for (uint32_t step = 0; step < steps; ++step) {
    live += change[step];
    liveness.liveBytes[step] = live;
    if (live > liveness.maxLive) {
      liveness.maxLive = live;
      liveness.peakStep = step;
    }
  }
}

Liveness computeLiveness(const Graph &graph, const Schedule &schedule) {
  return LivenessBuilder(graph, schedule).build();
}

} // namespace reprise::plan
