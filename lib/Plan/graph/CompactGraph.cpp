//===- CompactGraph.cpp - Graph and order, renumbered ---------------------===//
//
// Input:   a well-formed graph and a valid order.
// Output:  ops by rank, storages with their readers.
// Method:  storages are the roots of views that take bytes; an in-place pair
//          remains if computeLiveness could ever use it.
// Cost:    linear in the uses.
//
// When a base is recomputed, its views must be recomputed as well. Ops that
// only make views and have no cost follow their base (CompactGraph::views); if
// a view's op does more, the producer of its base is not executed again.
//
//===----------------------------------------------------------------------===//
#include "CompactGraph.h"

#include "Storage.h"

#include <algorithm>
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
    for (OpId id : order)
      result.mayRepeat.push_back(!graph.ops[id].runsOnce);
    addStorages();
    addOps();
    findViews();
    findClones();
    findUnit();
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

  /// Returns true if `op` reads the storage of `input` only where `output` is
  /// written.
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

  /// Returns true if an instance of the storage may end before the step does; a
  /// returned one may be recomputed at the end.
  bool mayDie(ValueId root) const {
    OpId producer = graph.values[root].producer;
    return producer != kNone &&
           (!storages.toEnd[root] || !graph.ops[producer].runsOnce);
  }

  void addInPlace(const Op &op) {
    result.inPlace.startItem();
    for (uint32_t index = 0; index < op.outputs.size(); ++index)
      for (auto [output, inputIndex] : op.inPlace) {
        ValueId made = op.outputs[index], input = op.inputs[inputIndex];
        ValueId root = storages.rootOf[input];
        if (output != index || storageOf[made] == kNone ||
            storageOf[root] == kNone || !mayDie(root))
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
      result.cost.push_back(picosecondsOf(op.cost));
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

  /// Returns true if `op` only makes views of one storage.
  bool makesOnlyViews(const Op &op, ValueId root) const {
    for (ValueId output : op.outputs)
      if (graph.values[output].viewOf == kNone ||
          storages.rootOf[output] != root)
        return false;
    for (ValueId input : op.inputs)
      if (storageAt(input) != kNone && storages.rootOf[input] != root)
        return false;
    return !op.runsOnce && op.cost == 0 && op.workspaceBytes == 0;
  }

  void findViews() {
    std::vector<std::vector<Rank>> viewsOf(graph.values.size()); // by root
    hasFixedView.assign(graph.values.size(), false);
    for (Rank rank = 0; rank < order.size(); ++rank) {
      const Op &op = graph.ops[order[rank]];
      for (ValueId output : op.outputs) {
        ValueId root = storages.rootOf[output];
        if (graph.values[output].viewOf == kNone)
          continue;
        if (!makesOnlyViews(op, root))
          hasFixedView[root] = true;
        else if (viewsOf[root].empty() || viewsOf[root].back() != rank)
          viewsOf[root].push_back(rank);
      }
    }
    for (OpId id : order) {
      std::vector<Rank> all;
      for (ValueId output : graph.ops[id].outputs)
        if (graph.values[output].viewOf == kNone)
          all.insert(all.end(), viewsOf[output].begin(), viewsOf[output].end());
      std::sort(all.begin(), all.end());
      result.views.startItem();
      for (Rank view : all)
        result.views.add(view);
    }
    result.views.finish();
  }

  /// Returns the rank whose first execution ends clones of `op`, because it
  /// overwrites one of its inputs.
  Rank firstOverwrite(const Op &op) const {
    Rank first = order.size();
    for (ValueId input : op.inputs)
      first = std::min(first, overwritten[storages.rootOf[input]]);
    return first;
  }

  void findClones() {
    overwritten.assign(graph.values.size(), kNone);
    for (OpId id = 0; id < graph.ops.size(); ++id)
      for (ValueId value : graph.ops[id].overwrites)
        overwritten[storages.rootOf[value]] = rankOf[id];
    for (Rank rank = 0; rank < order.size(); ++rank) {
      const Op &op = graph.ops[order[rank]];
      Rank last = firstOverwrite(op);
      for (auto *view = result.views.begin(rank);
           view != result.views.end(rank); ++view)
        last = std::min(last, firstOverwrite(graph.ops[order[*view]]));
      bool isFixed = op.runsOnce;
      isFixed |= result.outputs.size(rank) == 0;
      for (ValueId output : op.outputs)
        isFixed |= graph.values[output].viewOf != kNone ||
                   hasFixedView[storages.rootOf[output]];
      result.cloneBefore.push_back(isFixed ? 0 : last);
    }
  }

  void findUnit() {
    int64_t unit = 0;
    for (const std::vector<int64_t> *sizes : {&result.bytes, &result.workspace})
      for (int64_t bytes : *sizes) {
        unit = std::gcd(unit, bytes);
        result.totalBytes += bytes;
      }
    result.unit = std::max<int64_t>(unit, kAlignment);
  }

  const Graph &graph;
  const std::vector<OpId> &order;
  Storages storages;
  std::vector<Rank> rankOf;
  std::vector<StorageId> storageOf; // by value
  std::vector<bool> hasFixedView;   // by root: a view that can't be recomputed
  std::vector<Rank> overwritten;    // by root: by which op
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
