//===- CutModel.cpp - The model around the first execution of an op -------===//
//
// Input:   a graph, its precedence, an op.
// Output:  see CutModel.h.
// Method:  backwards from the storages needed after the cut: a storage that may
//          be recomputed has an op, whose inputs are then needed.
// Cost:    linear.
//
//===----------------------------------------------------------------------===//
#include "CutModel.h"

#include "../graph/Dependences.h"

#include <algorithm>

namespace reprise::plan {

Precedence findPrecedence(const Graph &graph, const CompactGraph &compact) {
  std::vector<Rank> rankOf(graph.ops.size());
  for (Rank rank = 0; rank < compact.opCount(); ++rank)
    rankOf[compact.opOf[rank]] = rank;
  Dependences dependences = findDependences(graph);
  Precedence result;
  result.before.resize(graph.ops.size());
  result.behind.resize(graph.ops.size());
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    for (OpId other : dependences.before[id])
      result.before[rankOf[id]].push_back(rankOf[other]);
    for (OpId other : dependences.behind[id])
      result.behind[rankOf[id]].push_back(rankOf[other]);
  }
  return result;
}

std::vector<bool> findReached(const std::vector<std::vector<Rank>> &edges,
                              Rank op) {
  std::vector<bool> reached(edges.size(), false);
  std::vector<Rank> stack = {op};
  while (!stack.empty()) {
    Rank from = stack.back();
    stack.pop_back();
    for (Rank next : edges[from])
      if (!reached[next]) {
        reached[next] = true;
        stack.push_back(next);
      }
  }
  return reached;
}

int multiplierShift(const CompactGraph &graph) {
  // Truncating multipliers loses at most a picosecond a unit.
  constexpr int64_t most = int64_t(1) << 28;
  int64_t units = 0;
  for (int64_t bytes : graph.bytes)
    units += bytes / graph.unit;
  int shift = 0;
  while (units >> shift > most)
    ++shift;
  return shift;
}

CutModel::CutModel(const CompactGraph &graph, const Precedence &precedence,
                   Rank cut, Rank until)
    : graph(graph), cut(cut), own(ownBytes(graph, cut)), unit(graph.unit),
      shift(multiplierShift(graph)), isInputOfCut(graph.storageCount(), 0),
      storageNode(graph.storageCount(), kNone), opNode(graph.opCount(), kNone),
      storageOf(kFirstNode, kNone), opOf(kFirstNode, kNone),
      side(graph.opCount(), Side::Beside) {
  markSides(precedence);
  for (StorageId input : graph.inputsOf(cut))
    isInputOfCut[input] = 1;
  needAll(precedence, until);
  close();
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
}

void CutModel::markSides(const Precedence &precedence) {
  std::vector<bool> before = findReached(precedence.before, cut);
  std::vector<bool> behind = findReached(precedence.behind, cut);
  for (Rank op = 0; op < graph.opCount(); ++op)
    side[op] = before[op]   ? Side::Before
               : behind[op] ? Side::Behind
                            : Side::Beside;
  side[cut] = Side::Cut;
}

bool CutModel::isInPlace(const CompactGraph &graph, Rank op, StorageId output) {
  return std::any_of(graph.inPlace.begin(op), graph.inPlace.end(op),
                     [&](const auto &pair) { return pair.first == output; });
}

int64_t CutModel::ownBytes(const CompactGraph &graph, Rank op) {
  int64_t bytes = graph.workspace[op];
  for (StorageId input : graph.inputsOf(op))
    bytes += graph.bytes[input];
  for (StorageId output : graph.outputsOf(op)) {
    bool inPlace = isInPlace(graph, op, output);
    bytes += inPlace ? 0 : graph.bytes[output];
  }
  return bytes;
}

bool CutModel::isFree(StorageId storage) const {
  Rank producer = graph.producer[storage];
  return isInputOfCut[storage] ||
         (producer != kNone &&
          (side[producer] == Side::Cut || side[producer] == Side::Behind));
}

uint32_t CutModel::nodeOfOp(Rank op) {
  if (opNode[op] == kNone) {
    opNode[op] = nodeCount();
    opOf.push_back(op);
    storageOf.push_back(kNone);
    open.push_back(op);
  }
  return opNode[op];
}

uint32_t CutModel::nodeOf(StorageId storage) {
  if (storageNode[storage] != kNone)
    return storageNode[storage];
  uint32_t node = storageNode[storage] = nodeCount();
  opOf.push_back(kNone);
  storageOf.push_back(storage);
  Rank producer = graph.producer[storage];
  bool canRun = producer != kNone &&
                (side[producer] == Side::Beside || graph.mayRepeat[producer]);
  if (canRun)
    nodeOfOp(producer);
  return node;
}

void CutModel::need(StorageId storage) {
  if (!isFree(storage))
    needed.push_back(nodeOf(storage));
}

void CutModel::needAll(const Precedence &precedence, Rank until) {
  std::vector<bool> counts(graph.opCount(), until == kNone);
  if (until != kNone) {
    counts = findReached(precedence.before, until);
    counts[until] = true;
  }
  for (Rank op = 0; op < graph.opCount(); ++op)
    if (isBehind(op) && counts[op])
      for (StorageId input : graph.inputsOf(op))
        need(input);
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (graph.livesToEnd[id] && until == kNone)
      need(id);
}

/// Links the consequences of executing an op again.
void CutModel::close() {
  while (!open.empty()) {
    Rank op = open.back();
    open.pop_back();
    uint32_t from = opNode[op];
    for (StorageId output : graph.outputsOf(op))
      if (!isFree(output))
        implications.push_back({from, nodeOf(output)});
    for (StorageId input : graph.inputsOf(op))
      if (!isFree(input))
        implications.push_back({from, nodeOf(input)});
  }
}

void CutModel::add(StorageId storage) {
  if (isFree(storage))
    return;
  nodeOf(storage);
  close();
}

} // namespace reprise::plan
