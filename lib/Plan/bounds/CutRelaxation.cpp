//===- CutRelaxation.cpp - Costs of every schedule around a cut -----------===//
//
// Input:   a graph, an op, a budget.
// Output:  picoseconds that every schedule within the budget adds.
// Method:  see the header. The dual in the multiplier is concave and piecewise
//          linear: Newton's method intersects the lines of two closures, one
//          with too many bytes and one with spare ones, until the bound no
//          longer improves. Integers throughout, 128 bits where lines are
//          intersected.
// Cost:    five to seven maximum flows.
//
//===----------------------------------------------------------------------===//
#include "CutRelaxation.h"

#include <algorithm>
#include <cmath>

namespace reprise::plan {

static constexpr int64_t kMaxMultiplier = CutModel::kMaxMultiplier;

CutRelaxation::CutRelaxation(const CompactGraph &graph,
                             const Precedence &precedence, Rank cut)
    : graph(graph), model(graph, precedence, cut), nodes(model.nodeCount()),
      flow(model.nodeCount()) {
  build();
}

void CutRelaxation::build() {
  for (uint32_t node = CutModel::kFirstNode; node < nodes.size(); ++node) {
    if (StorageId storage = model.storageOf[node]; storage != kNone) {
      nodes[node].units += graph.bytes[storage] / model.unit;
      Rank producer = graph.producer[storage];
      // A storage is resident if it is not recomputed.
      if (producer != kNone && model.opNode[producer] != kNone)
        nodes[model.opNode[producer]].units -=
            graph.bytes[storage] / model.unit;
    }
    if (Rank op = model.opOf[node]; op != kNone)
      nodes[node].cost = model.isBefore(op) ? graph.cost[op] : 0;
    nodes[node].toSource = flow.addArc(0, node, 0);
    nodes[node].toSink = flow.addArc(node, 1, 0);
  }
  for (auto [from, to] : model.implications)
    flow.addArc(from, to, MaxFlow::kInfinite);
  for (uint32_t node : model.needed)
    flow.addArc(0, node, MaxFlow::kInfinite);
  for (uint32_t node = CutModel::kFirstNode; node < nodes.size(); ++node) {
    StorageId storage = model.storageOf[node];
    Rank producer = storage == kNone ? kNone : graph.producer[storage];
    if (producer != kNone && model.canPay(producer))
      nodes[node].toOp = flow.addArc(node, model.opNode[producer], 0);
  }
}

/// Returns the closure of least cost + perUnit * units.
CutRelaxation::Line CutRelaxation::solve(int64_t perUnit, Price price) {
  // More than all units of a graph, see checkGraph.
  constexpr Wide prohibitive = Wide(1) << 60;
  for (uint32_t node = CutModel::kFirstNode; node < nodes.size(); ++node) {
    Wide weight = Wide(perUnit) * nodes[node].units;
    if (price == Price::Real)
      weight += Wide(nodes[node].cost) << model.shift;
    else if (price == Price::Prohibitive && nodes[node].cost)
      weight += prohibitive;
    flow.setCapacity(nodes[node].toSource, nodes[node].isForcedIn
                                               ? MaxFlow::kInfinite
                                               : std::max<Wide>(0, -weight));
    flow.setCapacity(nodes[node].toSink, nodes[node].isForcedOut
                                             ? MaxFlow::kInfinite
                                             : std::max<Wide>(0, weight));
  }
  flow.run(0, 1);
  Line line{0, 0};
  for (uint32_t node = CutModel::kFirstNode; node < nodes.size(); ++node)
    if (flow.isOnSourceSide(node)) {
      line.cost += nodes[node].cost;
      line.units += nodes[node].units;
    }
  return line;
}

int64_t CutRelaxation::leastBytes() {
  return model.own + solve(1, Price::None).units * model.unit;
}

/// Newton's method. `loose` costs less and has too many bytes, `tight` the
/// reverse; each multiplier is where their lines meet. Calls `found` with every
/// closure, its multiplier and the bound, before the closure replaces one of
/// the two.
void CutRelaxation::approach(
    Line loose, Line tight, int64_t units,
    const std::function<void(const Line &, int64_t, Wide)> &found) {
  constexpr int maxSteps = 60;
  for (int step = 0; step < maxSteps; ++step) {
    Wide gained = (Wide(tight.cost) - loose.cost) << model.shift;
    int64_t multiplier = static_cast<int64_t>(std::clamp<Wide>(
        gained / (loose.units - tight.units), 0, kMaxMultiplier));
    Line line = solve(multiplier, Price::Real);
    // Rounded down, so that the bound stays valid.
    Wide value =
        line.cost + (Wide(multiplier) * (line.units - units) >> model.shift);
    found(line, multiplier, value);
    if ((line.cost == loose.cost && line.units == loose.units) ||
        (line.cost == tight.cost && line.units == tight.units))
      return;
    (line.units > units ? loose : tight) = line;
  }
}

CutRelaxation::Answer CutRelaxation::bound(int64_t budget) {
  // Units left after t's own bytes. Rounding down loses nothing, since storages
  // are whole units.
  int64_t room = budget - model.own;
  int64_t units = room < 0 ? -1 : room / model.unit;
  Answer answer;
  Line tight = solve(1, Price::None);
  if (units < 0 || tight.units > units) {
    answer.feasible = false;
    return answer;
  }
  // The fewest bytes among those that cost nothing.
  Line loose = solve(1, Price::Prohibitive);
  if (loose.units <= units) {
    best = 0;
    return answer;
  }
  approach(loose, tight, units, [&](const Line &, int64_t perUnit, Wide value) {
    if (value <= answer.extra)
      return;
    answer.extra = static_cast<int64_t>(value);
    best = perUnit;
  });
  answer.multiplier = std::ldexp(double(best), -model.shift) / model.unit;
  return answer;
}

//===----------------------------------------------------------------------===//
// Branch and bound
//===----------------------------------------------------------------------===//

bool CutRelaxation::decide(const std::vector<Decision> &decisions) {
  std::vector<uint32_t> stack = model.needed;
  for (Node &node : nodes) {
    node.isForcedIn = node.isForcedOut = false;
    if (node.toOp != kNone)
      flow.setCapacity(node.toOp, 0);
  }
  std::vector<std::vector<uint32_t>> implied(nodes.size());
  for (auto [from, to] : model.implications)
    implied[from].push_back(to);
  for (const Decision &decision : decisions) {
    uint32_t node = model.storageNode[decision.storage];
    uint32_t op = model.opNode[graph.producer[decision.storage]];
    if (decision.isResident) {
      nodes[node].isForcedIn = true;
      nodes[op].isForcedOut = true;
      stack.push_back(node);
    } else {
      flow.setCapacity(nodes[node].toOp, MaxFlow::kInfinite);
      implied[node].push_back(op);
    }
  }
  std::vector<bool> isIn(nodes.size(), false);
  while (!stack.empty()) {
    uint32_t node = stack.back();
    stack.pop_back();
    if (isIn[node])
      continue;
    isIn[node] = true;
    if (nodes[node].isForcedOut)
      return false;
    stack.insert(stack.end(), implied[node].begin(), implied[node].end());
  }
  return true;
}

/// Returns true if the storage is at the cut, and not only because it is
/// recomputed.
bool CutRelaxation::isResident(StorageId storage) const {
  uint32_t node = model.storageNode[storage];
  if (node == kNone || !flow.isOnSourceSide(node))
    return false;
  Rank producer = graph.producer[storage];
  return producer == kNone || model.opNode[producer] == kNone ||
         !flow.isOnSourceSide(model.opNode[producer]);
}

std::vector<bool> CutRelaxation::residents() const {
  std::vector<bool> result(graph.storageCount());
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    result[id] = isResident(id);
  return result;
}

/// Computes the multiplier's bound under the branch's decisions, and the next
/// storage to decide. Returns false if the branch has no schedule.
bool CutRelaxation::explore(Branch &branch, int64_t units, int64_t &cheapest) {
  if (!decide(branch.decisions))
    return false;
  Line tight = solve(1, Price::None);
  if (tight.units > units)
    return false;
  std::vector<bool> withTight = residents();
  Line loose = solve(0, Price::Real);
  std::vector<bool> withLoose = residents();
  cheapest = std::min(cheapest, tight.cost);
  branch.extra = std::max(branch.extra, loose.cost);
  if (loose.units <= units) {
    cheapest = std::min(cheapest, loose.cost);
    branch.next = kNone;
    return true;
  }
  approach(loose, tight, units, [&](const Line &line, int64_t, Wide value) {
    branch.extra = static_cast<int64_t>(std::max<Wide>(branch.extra, value));
    bool isOver = line.units > units;
    if (!isOver)
      cheapest = std::min(cheapest, line.cost);
    (isOver ? withLoose : withTight) = residents();
  });
  branch.next = kNone;
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (withLoose[id] != withTight[id] &&
        nodes[model.storageNode[id]].toOp != kNone &&
        (branch.next == kNone || graph.bytes[id] > graph.bytes[branch.next]))
      branch.next = id;
  return true;
}

CutRelaxation::Answer CutRelaxation::refine(int64_t budget, uint32_t tries) {
  Answer answer = bound(budget);
  if (!answer.feasible || answer.extra == 0)
    return answer;
  int64_t units = (budget - model.own) / model.unit;
  int64_t cheapest = INT64_MAX; // of feasible solutions of the relaxation
  auto isWorse = [](const Branch &a, const Branch &b) {
    return a.extra > b.extra;
  };
  std::vector<Branch> open(1);
  open.front().extra = answer.extra;
  if (!explore(open.front(), units, cheapest))
    return answer;
  int64_t closed = INT64_MAX; // least of branches that can't be decided further
  while (!open.empty() && tries) {
    std::pop_heap(open.begin(), open.end(), isWorse);
    Branch branch = std::move(open.back());
    open.pop_back();
    if (branch.next == kNone || branch.extra >= std::min(closed, cheapest)) {
      closed = std::min(closed, branch.extra);
      break;
    }
    for (bool isResident : {true, false}) {
      Branch next = branch;
      next.decisions.push_back({branch.next, isResident});
      tries -= tries > 0;
      if (!explore(next, units, cheapest))
        continue;
      open.push_back(std::move(next));
      std::push_heap(open.begin(), open.end(), isWorse);
    }
  }
  if (!open.empty())
    closed = std::min(closed, open.front().extra);
  decide({});
  answer.extra = std::max(answer.extra, std::min(closed, cheapest));
  return answer;
}

std::vector<bool> CutRelaxation::residentAt(double factor) {
  double multiplier = std::min(double(best) * factor, double(kMaxMultiplier));
  solve(static_cast<int64_t>(multiplier), Price::Real);
  std::vector<bool> resident = residents();
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    resident[id] = resident[id] || model.isFree(id);
  return resident;
}

std::vector<StorageId> CutRelaxation::pinned() {
  best = kMaxMultiplier;
  return listPinned(residentAt(1));
}

std::vector<StorageId> CutRelaxation::pinnedAtLeast() {
  (void)leastBytes();
  return listPinned(residents());
}

std::vector<StorageId>
CutRelaxation::listPinned(const std::vector<bool> &resident) const {
  std::vector<StorageId> result;
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (model.isInputOfCut[id] || (!model.isFree(id) && resident[id]))
      result.push_back(id);
  for (StorageId output : graph.outputsOf(model.cut))
    if (!CutModel::isInPlace(graph, model.cut, output))
      result.push_back(output);
  std::sort(result.begin(), result.end(), [&](StorageId a, StorageId b) {
    return std::make_pair(-graph.bytes[a], a) <
           std::make_pair(-graph.bytes[b], b);
  });
  return result;
}

} // namespace reprise::plan
