//===- LeastBytes.cpp - Bytes that every schedule needs -------------------===//
//
// Input:   a graph and its precedence.
// Output:  a number of bytes that every schedule needs at least, and the op
//          where.
// Method:  see the header. Ops are examined by falling bytes of their own, as
//          long as storages that cannot be rebuilt might make up for the
//          difference. From an op's inputs, sets that were live together are
//          followed backwards, the one with the least bytes on its way first;
//          when the limit of sets is reached, the least is a bound.
// Cost:    a relaxation for each examined op, and some hundred sets.
//
//===----------------------------------------------------------------------===//
#include "LeastBytes.h"
#include "../bounds/CutModel.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace reprise::plan {

namespace {

class Finder {
public:
  Finder(const CompactGraph &graph, const Precedence &precedence)
      : graph(graph), precedence(precedence) {}

  LeastBytes run() {
    isLive.assign(graph.storageCount(), false);
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      if (isPermanent(id))
        permanent += graph.bytes[id];
    std::vector<Rank> ops(graph.opCount());
    std::iota(ops.begin(), ops.end(), 0);
    std::vector<int64_t> own, handOver;
    for (Rank op : ops) {
      own.push_back(touchedBytes(op));
      handOver.push_back(mostAtHandOver(op));
    }
    sortByFalling(ops, own);
    for (Rank op : ops) {
      if (own[op] + permanent <= best.bytes)
        break;
      lookWhileRunning(op);
    }
    sortByFalling(ops, handOver);
    uint32_t left = kHandOvers;
    for (Rank op : ops) {
      if (handOver[op] + permanent <= best.bytes || !left--)
        break;
      lookAtHandOver(op);
    }
    std::sort(best.pinned.begin(), best.pinned.end(),
              [&](StorageId a, StorageId b) {
                return std::make_pair(-graph.bytes[a], a) <
                       std::make_pair(-graph.bytes[b], b);
              });
    return std::move(best);
  }

private:
  /// Storages below this fraction of the bytes are not followed: they would
  /// multiply the sets.
  static constexpr int64_t kSmall = 64;
  static constexpr uint32_t kSets = 200, kHandOvers = 40;

  static void sortByFalling(std::vector<Rank> &ops,
                            const std::vector<int64_t> &bytes) {
    std::sort(ops.begin(), ops.end(), [&](Rank a, Rank b) {
      return std::make_pair(-bytes[a], a) < std::make_pair(-bytes[b], b);
    });
  }

  /// Returns true if the storage has no producer, or one that may not run
  /// again.
  bool isPermanent(StorageId id) const {
    Rank producer = graph.producer[id];
    return producer == kNone || !graph.mayRepeat[producer];
  }

  int64_t touchedBytes(Rank op) const {
    int64_t bytes = graph.workspace[op];
    for (StorageId id : graph.inputsOf(op))
      bytes += graph.bytes[id];
    for (StorageId id : graph.outputsOf(op))
      bytes += graph.bytes[id];
    return bytes;
  }

  int64_t mostAtHandOver(Rank op) const {
    int64_t inputs = 0, most = 0;
    for (StorageId id : graph.inputsOf(op)) {
      inputs += graph.bytes[id];
      if (graph.producer[id] != kNone)
        most = std::max(most, touchedBytes(graph.producer[id]));
    }
    return most ? inputs + most : 0;
  }

  void lookWhileRunning(Rank op) {
    CutRelaxation relaxation(graph, precedence, op);
    int64_t bytes = relaxation.leastBytes();
    if (bytes > best.bytes)
      best = {bytes, op, relaxation.pinnedAtLeast()};
  }

  /// Storages that were live together before `op` ran for the first time, and
  /// the most bytes that were needed from then on.
  struct Together {
    int64_t bytes;
    Rank cut; // where they were needed
    std::vector<StorageId> live, pinned;
    bool operator<(const Together &other) const { // for a heap
      return std::tie(bytes, live) > std::tie(other.bytes, other.live);
    }
  };

  void lookAtHandOver(Rank op) {
    isBehind = findReached(precedence.behind, op);
    isBehind[op] = true;
    permanentAt.clear();
    Together start{0, op, {}, {}};
    for (StorageId id : graph.inputsOf(op))
      if (graph.bytes[id] > best.bytes / kSmall)
        start.live.push_back(id);
    std::sort(start.live.begin(), start.live.end());
    std::priority_queue<Together> open;
    std::set<std::vector<StorageId>> seen;
    open.push(std::move(start));
    for (uint32_t left = kSets; !open.empty();) {
      Together least = open.top();
      open.pop();
      if (!seen.insert(least.live).second)
        continue;
      std::vector<Rank> makers = makersOf(least.live);
      if (!left || makers.empty()) {
        if (least.bytes > best.bytes)
          best = {least.bytes, least.cut, std::move(least.pinned)};
        return;
      }
      --left;
      for (Rank maker : makers)
        open.push(whenLast(least, maker));
    }
  }

  std::vector<Rank> makersOf(const std::vector<StorageId> &storages) const {
    std::vector<Rank> makers;
    for (StorageId id : storages)
      if (graph.producer[id] != kNone)
        makers.push_back(graph.producer[id]);
    std::sort(makers.begin(), makers.end());
    makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
    return makers;
  }

  /// Returns the set before `last` computed the last of the live storages.
  Together whenLast(const Together &then, Rank last) {
    std::vector<StorageId> members;
    auto add = [&](StorageId id) {
      if (!isLive[id])
        members.push_back(id);
      isLive[id] = true;
    };
    for (StorageId id : then.live)
      add(id);
    int64_t bytes = graph.workspace[last];
    StorageId served = kNone;
    std::vector<StorageId> takenOver; // by outputs, from inputs
    for (auto *pair = graph.inPlace.begin(last);
         pair != graph.inPlace.end(last); ++pair)
      if (pair->first != served && !isLive[pair->second]) {
        served = pair->first;
        bytes -= graph.bytes[served];
        takenOver.push_back(served);
      }
    for (StorageId id : permanentsAt(last))
      add(id);
    for (StorageId id : graph.inputsOf(last))
      add(id);
    for (StorageId id : graph.outputsOf(last))
      add(id);
    std::sort(members.begin(), members.end());
    Together before{0, last, {}, {}};
    for (StorageId id : members) {
      bytes += graph.bytes[id];
      if (std::find(takenOver.begin(), takenOver.end(), id) == takenOver.end())
        before.pinned.push_back(id);
    }
    for (StorageId id : graph.outputsOf(last))
      isLive[id] = false;
    for (StorageId id : before.pinned)
      if (isLive[id] && graph.producer[id] != kNone &&
          graph.bytes[id] > best.bytes / kSmall)
        before.live.push_back(id);
    before.bytes = std::max(bytes, then.bytes);
    if (bytes < then.bytes) {
      before.cut = then.cut;
      before.pinned = then.pinned;
    }
    for (StorageId id : members)
      isLive[id] = false;
    return before;
  }

  /// Returns the storages that cannot be rebuilt and are live whenever `op`
  /// runs.
  const std::vector<StorageId> &permanentsAt(Rank op) {
    auto [found, isNew] = permanentAt.try_emplace(op);
    if (isNew) {
      isBefore = findReached(precedence.before, op);
      for (StorageId id = 0; id < graph.storageCount(); ++id)
        if (isPermanent(id) && isNeededBehind(id) &&
            (graph.producer[id] == kNone || isBefore[graph.producer[id]]))
          found->second.push_back(id);
    }
    return found->second;
  }

  bool isNeededBehind(StorageId id) const {
    const std::vector<Rank> &readers = graph.readers[id];
    return graph.livesToEnd[id] ||
           std::any_of(readers.begin(), readers.end(),
                       [&](Rank reader) { return isBehind[reader]; });
  }

  const CompactGraph &graph;
  const Precedence &precedence;
  int64_t permanent = 0;
  LeastBytes best;
  std::vector<bool> isBehind, isBefore; // by rank: of the current op
  std::vector<bool> isLive;             // by storage; false between sets
  std::map<Rank, std::vector<StorageId>> permanentAt;
};

} // namespace

LeastBytes findLeastBytes(const CompactGraph &graph,
                          const Precedence &precedence) {
  if (graph.opCount() == 0)
    return {0, kNone, {}};
  return Finder(graph, precedence).run();
}

} // namespace reprise::plan
