//===- CompactGraph.cpp - Graph and order, renumbered ---------------------===//
//
// Input:   a well-formed graph and a valid order.
// Output:  ops by rank, storages with what reads them.
// Method:  the storages of every view's root that takes bytes; an in-place
//          pair remains where computeLiveness could ever use it.
// Cost:    linear in the uses.
//
// An op that makes a view, and what makes the base of such a view, are not
// executed again: a new base would need the view made again as well.
//
//===----------------------------------------------------------------------===//
#include "CompactGraph.h"

#include "Storage.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reprise::plan {

namespace {

class Compactor {
public:
  Compactor(const Graph &graph, const std::vector<OpId> &order)
      : graph(graph), order(order), storages(analyzeStorages(graph)) {}

  CompactGraph run() {
    rankOf.assign(graph.ops.size(), kNone);
    for (Rank rank = 0; rank < order.size(); ++rank)
      rankOf[order[rank]] = rank;
    addStorages();
    addOps();
    findClones();
    return std::move(result);
  }

private:
  void addStorages() {
    storageOf.assign(graph.values.size(), kNone);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      if (storages.rootOf[id] != id || storages.bytes[id] == 0)
        continue;
      storageOf[id] = result.valueOf.size();
      OpId producer = graph.values[id].producer;
      result.valueOf.push_back(id);
      result.bytes.push_back(storages.bytes[id]);
      result.producer.push_back(producer == kNone ? kNone : rankOf[producer]);
      result.livesToEnd.push_back(storages.toEnd[id]);
      std::vector<Rank> readers;
      for (OpId user : storages.users[id])
        if (user != producer)
          readers.push_back(rankOf[user]);
      std::sort(readers.begin(), readers.end());
      result.readers.push_back(std::move(readers));
    }
  }

  StorageId storageAt(ValueId value) const {
    return storageOf[storages.rootOf[value]];
  }

  void addInputs(const Op &op) {
    std::vector<StorageId> read;
    auto add = [&](ValueId value) {
      StorageId storage = storageAt(value);
      if (storage != kNone &&
          std::find(read.begin(), read.end(), storage) == read.end())
        read.push_back(storage);
    };
    for (ValueId input : op.inputs)
      add(input);
    for (ValueId output : op.outputs)
      if (graph.values[output].viewOf != kNone)
        add(output);
    result.inputs.startItem();
    for (StorageId storage : read)
      result.inputs.add(storage);
  }

  /// Whether `op` reads the storage of `input` only where `output` is written.
  bool readsOnlyInPlace(const Op &op, uint32_t output, ValueId input) const {
    for (uint32_t index = 0; index < op.inputs.size(); ++index) {
      ValueId other = op.inputs[index];
      if (storages.rootOf[other] != storages.rootOf[input])
        continue;
      auto pair = std::make_pair(output, index);
      if (other != input || std::find(op.inPlace.begin(), op.inPlace.end(),
                                      pair) == op.inPlace.end())
        return false;
    }
    return true;
  }

  void addInPlace(const Op &op) {
    result.inPlace.startItem();
    for (uint32_t index = 0; index < op.outputs.size(); ++index)
      for (auto [output, inputIndex] : op.inPlace) {
        ValueId made = op.outputs[index], input = op.inputs[inputIndex];
        ValueId root = storages.rootOf[input];
        if (output != index || storageOf[made] == kNone ||
            storageOf[root] == kNone ||
            graph.values[root].storage != StorageClass::Temporary ||
            storages.toEnd[root])
          continue;
        uint64_t bytes = graph.values[made].bytes;
        if (graph.values[input].bytes == bytes &&
            graph.values[root].bytes == bytes &&
            readsOnlyInPlace(op, index, input))
          result.inPlace.add({storageOf[made], storageOf[root]});
      }
  }

  void addOps() {
    result.opOf = order;
    for (OpId id : order) {
      const Op &op = graph.ops[id];
      result.cost.push_back(
          std::llround(op.cost * CompactGraph::kPerMillisecond));
      result.workspace.push_back(alignUp(op.workspaceBytes));
      addInputs(op);
      addInPlace(op);
      result.outputs.startItem();
      for (ValueId output : op.outputs)
        if (storageOf[output] != kNone)
          result.outputs.add(storageOf[output]);
    }
    result.inputs.finish();
    result.outputs.finish();
    result.inPlace.finish();
  }

  bool makesView(const Op &op) const {
    for (ValueId output : op.outputs)
      if (graph.values[output].viewOf != kNone || hasMadeView[output])
        return true;
    return false;
  }

  void findClones() {
    hasMadeView.assign(graph.values.size(), false);
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (graph.values[id].viewOf != kNone &&
          graph.values[id].producer != kNone)
        hasMadeView[storages.rootOf[id]] = true;
    std::vector<Rank> overwritten(graph.values.size(), kNone);
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId value : graph.ops[id].overwrites)
        overwritten[storages.rootOf[value]] = rankOf[id];
    for (Rank rank = 0; rank < order.size(); ++rank) {
      const Op &op = graph.ops[order[rank]];
      Rank last = order.size();
      for (ValueId input : op.inputs)
        last = std::min(last, overwritten[storages.rootOf[input]]);
      bool useful = result.outputs.size(rank) != 0;
      if (op.effect || !useful || makesView(op))
        last = 0;
      result.cloneBefore.push_back(last);
    }
  }

  const Graph &graph;
  const std::vector<OpId> &order;
  Storages storages;
  std::vector<Rank> rankOf;
  std::vector<StorageId> storageOf; // by value
  std::vector<bool> hasMadeView;    // by root
  CompactGraph result;
};

} // namespace

int64_t CompactGraph::totalCost() const {
  return std::accumulate(cost.begin(), cost.end(), int64_t(0));
}

CompactGraph makeCompact(const Graph &graph, const std::vector<OpId> &order) {
  return Compactor(graph, order).run();
}

} // namespace reprise::plan
