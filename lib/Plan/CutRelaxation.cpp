//===- CutRelaxation.cpp - What every schedule pays around a cut ----------===//
//
// Input:   a graph, an op, a budget.
// Output:  a number of picoseconds that every schedule in the budget adds.
// Method:  see the header. The dual in the multiplier is concave and piecewise
//          linear: Newton's method intersects the lines of two closures, one
//          with too many bytes and one with spare ones, until nothing is
//          gained. Integers throughout, 128 bits where lines are intersected.
// Cost:    five to seven maximum flows.
//
//===----------------------------------------------------------------------===//
#include "CutRelaxation.h"
#include "reprise/Plan/Fault.h"

#include "Dependences.h"

#include <algorithm>

namespace reprise::plan {

static constexpr int64_t kUnit = kAlignment;
// Keeps multiplier * units of a terabyte below MaxFlow::kInfinite.
static constexpr int64_t kMaxMultiplier = 100000000;

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

CutRelaxation::CutRelaxation(const CompactGraph &graph,
                             const Precedence &precedence, Rank cut)
    : graph(graph), cut(cut), side(graph.opCount(), Side::Beside),
      storageNode(graph.storageCount(), kNone), opNode(graph.opCount(), kNone),
      nodes(2), isInputOfCut(graph.storageCount(), 0), flow(0) {
  markSides(precedence);
  own = graph.workspace[cut];
  for (StorageId input : graph.inputsOf(cut)) {
    isInputOfCut[input] = 1;
    own += REPRISE_FAULT("bound-forgets-inputs") ? 0 : graph.bytes[input];
  }
  for (StorageId output : graph.outputsOf(cut)) {
    bool inPlace =
        std::any_of(graph.inPlace.begin(cut), graph.inPlace.end(cut),
                    [&](const auto &pair) { return pair.first == output; });
    own += inPlace && !REPRISE_FAULT("bound-counts-in-place")
               ? 0
               : graph.bytes[output];
  }
  build();
}

void CutRelaxation::markSides(const Precedence &precedence) {
  std::vector<Rank> stack;
  auto mark = [&](const std::vector<std::vector<Rank>> &edges, Side as) {
    stack.push_back(cut);
    while (!stack.empty()) {
      Rank op = stack.back();
      stack.pop_back();
      for (Rank next : edges[op])
        if (side[next] == Side::Beside) {
          side[next] = as;
          stack.push_back(next);
        }
    }
  };
  side[cut] = Side::Cut;
  mark(precedence.before, Side::Before);
  mark(precedence.behind, Side::Behind);
}

/// What needs no variable: resident at the cut, made by it or behind it.
bool CutRelaxation::isFree(StorageId storage) const {
  Rank producer = graph.producer[storage];
  return isInputOfCut[storage] ||
         (producer != kNone &&
          (side[producer] == Side::Cut || side[producer] == Side::Behind));
}

uint32_t CutRelaxation::nodeOfOp(Rank op) {
  if (opNode[op] == kNone) {
    opNode[op] = nodes.size();
    nodes.push_back({});
    nodes.back().cost = side[op] == Side::Before ? graph.cost[op] : 0;
    open.push_back(op);
  }
  return opNode[op];
}

uint32_t CutRelaxation::nodeOf(StorageId storage) {
  if (storageNode[storage] != kNone)
    return storageNode[storage];
  uint32_t node = storageNode[storage] = nodes.size();
  nodes.push_back({});
  nodes[node].units = graph.bytes[storage] / kUnit;
  Rank producer = graph.producer[storage];
  bool canRun =
      producer != kNone &&
      ((side[producer] == Side::Beside && !REPRISE_FAULT("bound-op-beside")) ||
       graph.mayRepeat[producer]);
  if (canRun)
    nodeOfOp(producer);
  return node;
}

void CutRelaxation::need(StorageId storage) {
  if (!isFree(storage))
    needed.push_back(nodeOf(storage));
}

void CutRelaxation::build() {
  for (Rank op = 0; op < graph.opCount(); ++op)
    if (side[op] == Side::Behind)
      for (StorageId input : graph.inputsOf(op))
        need(input);
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (graph.livesToEnd[id])
      need(id);
  while (!open.empty()) {
    Rank op = open.back();
    open.pop_back();
    uint32_t from = opNode[op];
    for (StorageId output : graph.outputsOf(op))
      if (!isFree(output)) {
        uint32_t node = nodeOf(output);
        implications.push_back({from, node});
        nodes[from].units -= graph.bytes[output] / kUnit;
      }
    for (StorageId input : graph.inputsOf(op))
      if (!isFree(input) && !REPRISE_FAULT("bound-frees-inputs-of-clones"))
        implications.push_back({from, nodeOf(input)});
  }
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  flow = MaxFlow(nodes.size());
  for (uint32_t node = 2; node < nodes.size(); ++node) {
    nodes[node].toSource = flow.addArc(0, node, 0);
    nodes[node].toSink = flow.addArc(node, 1, 0);
  }
  for (auto [from, to] : implications)
    flow.addArc(from, to, MaxFlow::kInfinite);
  for (uint32_t node : needed)
    flow.addArc(0, node, MaxFlow::kInfinite);
}

/// The closure of least cost + perUnit * units.
CutRelaxation::Line CutRelaxation::solve(int64_t perUnit, Price price) {
  // More than all bytes of a terabyte, and a million of it is no overflow.
  constexpr int64_t prohibitive = int64_t(1) << 36;
  for (uint32_t node = 2; node < nodes.size(); ++node) {
    int64_t weight = perUnit * nodes[node].units;
    if (price == Price::Real)
      weight += nodes[node].cost;
    else if (price == Price::Prohibitive && nodes[node].cost)
      weight += prohibitive;
    flow.setCapacity(nodes[node].toSource, std::max<int64_t>(0, -weight));
    flow.setCapacity(nodes[node].toSink, std::max<int64_t>(0, weight));
  }
  flow.run(0, 1);
  Line line{0, 0};
  for (uint32_t node = 2; node < nodes.size(); ++node)
    if (flow.isOnSourceSide(node)) {
      line.cost += nodes[node].cost;
      line.bytes += nodes[node].units;
    }
  return line;
}

int64_t CutRelaxation::leastBytes() {
  return own + solve(1, Price::None).bytes * kUnit;
}

CutRelaxation::Answer CutRelaxation::bound(int64_t budget) {
  // Units left beside t's own bytes, rounded in favour of the schedules.
  int64_t room = budget - own;
  int64_t units = room < 0 ? -1 : room / kUnit;
  Answer answer;
  Line tight = solve(1, Price::None);
  if (units < 0 || tight.bytes > units) {
    answer.feasible = false;
    return answer;
  }
  // The fewest bytes among those that cost nothing.
  Line loose = solve(1, Price::Prohibitive);
  if (loose.bytes <= units) {
    best = 0;
    return answer;
  }
  constexpr int maxSteps = 60;
  for (int step = 0; step < maxSteps; ++step) {
    // loose costs less and has too many bytes; tight is the other way round.
    int64_t multiplier =
        (tight.cost - loose.cost) / (loose.bytes - tight.bytes);
    multiplier = std::clamp<int64_t>(multiplier, 0, kMaxMultiplier);
    Line line = solve(multiplier, Price::Real);
    __int128 value = line.cost + __int128(multiplier) * (line.bytes - units);
    if (value > answer.extra) {
      answer.extra = static_cast<int64_t>(value);
      best = multiplier;
    }
    Line &side = line.bytes > units ? loose : tight;
    if ((line.cost == loose.cost && line.bytes == loose.bytes) ||
        (line.cost == tight.cost && line.bytes == tight.bytes))
      break;
    side = line;
  }
  answer.multiplier = double(best) / kUnit;
  return answer;
}

std::vector<bool> CutRelaxation::residentAt(double factor) {
  solve(std::clamp<int64_t>(best * factor, 0, kMaxMultiplier), Price::Real);
  std::vector<bool> resident(graph.storageCount(), true);
  for (StorageId id = 0; id < graph.storageCount(); ++id) {
    if (isFree(id))
      continue;
    Rank producer = graph.producer[id];
    bool has = storageNode[id] != kNone && flow.isOnSourceSide(storageNode[id]);
    bool again = producer != kNone && opNode[producer] != kNone &&
                 flow.isOnSourceSide(opNode[producer]);
    resident[id] = has && !again;
  }
  return resident;
}

std::vector<StorageId> CutRelaxation::pinned() {
  std::vector<bool> resident;
  best = kMaxMultiplier;
  resident = residentAt(1);
  std::vector<StorageId> result;
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (isInputOfCut[id] || (!isFree(id) && resident[id]))
      result.push_back(id);
  for (StorageId output : graph.outputsOf(cut))
    result.push_back(output);
  std::sort(result.begin(), result.end(), [&](StorageId a, StorageId b) {
    return std::make_pair(-graph.bytes[a], a) <
           std::make_pair(-graph.bytes[b], b);
  });
  return result;
}

} // namespace reprise::plan
