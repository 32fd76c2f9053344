//===- CutChain.cpp - Costs of every schedule around several cuts ---------===//
//
// Input:   a graph, ops that follow one another in every order, a budget.
// Output:  picoseconds that every schedule within the budget adds.
// Method:  see the header. The multipliers of the bytes are found by Newton's
//          method as for one cut; the others by subgradient steps towards a
//          value a little above the best one found (Polyak 1969), which is
//          lowered when it is not reached.
// Cost:    a round takes about ten maximum flows a cut.
//
//===----------------------------------------------------------------------===//
#include "CutChain.h"

#include <algorithm>
#include <cmath>

namespace reprise::plan {

//===----------------------------------------------------------------------===//
// PricedCut
//===----------------------------------------------------------------------===//

PricedCut::PricedCut(CutModel built)
    : model(std::move(built)), toSource(model.nodeCount()),
      toSink(model.nodeCount()), flow(model.nodeCount()) {
  for (uint32_t node = CutModel::kFirstNode; node < model.nodeCount(); ++node) {
    toSource[node] = flow.addArc(0, node, 0);
    toSink[node] = flow.addArc(node, 1, 0);
  }
  for (auto [from, to] : model.implications)
    flow.addArc(from, to, MaxFlow::kInfinite);
  for (uint32_t node : model.needed)
    flow.addArc(0, node, MaxFlow::kInfinite);
}

/// Storages that are recomputed need not be resident; they still are if their
/// price of residence is negative.
PricedCut::Line PricedCut::solve(const Prices &prices, int64_t perUnit) {
  const CompactGraph &graph = model.graph;
  uint32_t nodes = model.nodeCount();
  const Wide scale = Wide(1) << model.shift;
  std::vector<Wide> weight(nodes, 0), resident(nodes, 0);
  for (uint32_t node = CutModel::kFirstNode; node < nodes; ++node) {
    if (Rank op = model.opOf[node]; op != kNone)
      weight[node] += model.isBefore(op) ? prices.again[op] * scale : 0;
    StorageId id = model.storageOf[node];
    if (id == kNone)
      continue;
    resident[node] = prices.resident[id] * scale +
                     Wide(perUnit) * (graph.bytes[id] / model.unit);
    weight[node] += resident[node] + prices.present[id] * scale;
    Rank producer = graph.producer[id];
    if (producer != kNone && model.opNode[producer] != kNone)
      weight[model.opNode[producer]] -= std::max<Wide>(0, resident[node]);
  }
  for (uint32_t node = CutModel::kFirstNode; node < nodes; ++node) {
    flow.setCapacity(toSource[node], std::max<Wide>(0, -weight[node]));
    flow.setCapacity(toSink[node], std::max<Wide>(0, weight[node]));
  }
  flow.run(0, 1);
  Line line;
  line.states.resize(nodes, Absent);
  for (uint32_t node = CutModel::kFirstNode; node < nodes; ++node) {
    if (!flow.isOnSourceSide(node))
      continue;
    line.states[node] = Present;
    StorageId id = model.storageOf[node];
    if (id == kNone)
      continue;
    Rank producer = graph.producer[id];
    bool isAgain = producer != kNone && model.opNode[producer] != kNone &&
                   flow.isOnSourceSide(model.opNode[producer]);
    if (!isAgain || resident[node] < 0)
      line.states[node] |= Resident;
  }
  return line;
}

/// Computes the cost and bytes of a solution.
void PricedCut::sumUp(const Prices &prices, Line &line) const {
  line.cost = line.units = 0;
  for (uint32_t node = CutModel::kFirstNode; node < model.nodeCount(); ++node) {
    if (!line.states[node])
      continue;
    if (Rank op = model.opOf[node]; op != kNone)
      line.cost += model.isBefore(op) ? prices.again[op] : 0;
    StorageId id = model.storageOf[node];
    if (id == kNone)
      continue;
    line.cost += prices.present[id];
    if (!(line.states[node] & Resident))
      continue;
    line.cost += prices.resident[id];
    line.units += model.graph.bytes[id] / model.unit;
  }
}

PricedCut::Line PricedCut::solveAt(const Prices &prices, int64_t perUnit) {
  Line line = solve(prices, perUnit);
  sumUp(prices, line);
  return line;
}

/// Solves for the fewest bytes.
PricedCut::Line PricedCut::solveTightly(const Prices &prices) {
  Prices none;
  none.again.resize(prices.again.size());
  none.resident.resize(prices.resident.size());
  none.present.resize(prices.present.size());
  Line line = solve(none, 1);
  sumUp(prices, line);
  return line;
}

Wide PricedCut::solveFreely(const Prices &prices) {
  tight = loose = solveAt(prices, 0);
  looseShare = 1;
  best = 0;
  return loose.cost;
}

Wide PricedCut::solveWithin(const Prices &prices, int64_t budget) {
  int64_t units = (budget - model.own) / model.unit;
  Wide value = solveFreely(prices);
  if (loose.units <= units)
    return value;
  tight = solveTightly(prices);
  looseShare = 0;
  if (tight.units > units)
    return value;
  constexpr int maxSteps = 40;
  for (int step = 0; step < maxSteps; ++step) {
    Wide gained = (tight.cost - loose.cost) * (Wide(1) << model.shift);
    int64_t multiplier = static_cast<int64_t>(std::clamp<Wide>(
        gained / (loose.units - tight.units), 0, CutModel::kMaxMultiplier));
    Line line = solveAt(prices, multiplier);
    // Rounded down, so that the bound stays valid.
    Wide found =
        line.cost + (Wide(multiplier) * (line.units - units) >> model.shift);
    if (found > value) {
      value = found;
      best = multiplier;
    }
    if ((line.cost == loose.cost && line.units == loose.units) ||
        (line.cost == tight.cost && line.units == tight.units))
      break;
    Line &side = line.units > units ? loose : tight;
    side = std::move(line);
  }
  looseShare = double(units - tight.units) / double(loose.units - tight.units);
  return value;
}

double PricedCut::multiplier() const {
  return std::ldexp(double(best), -model.shift) / double(model.unit);
}

double PricedCut::mixed(uint32_t node, uint8_t state) const {
  if (node == kNone)
    return 0;
  return looseShare * ((loose.states[node] & state) != 0) +
         (1 - looseShare) * ((tight.states[node] & state) != 0);
}

double PricedCut::again(Rank op) const {
  return mixed(model.opNode[op], Present);
}
double PricedCut::resident(StorageId storage) const {
  return mixed(model.storageNode[storage], Resident);
}
double PricedCut::present(StorageId storage) const {
  return mixed(model.storageNode[storage], Present);
}

//===----------------------------------------------------------------------===//
// CutChain
//===----------------------------------------------------------------------===//

CutChain::CutChain(const CompactGraph &graph, const Precedence &precedence,
                   int64_t budget, Rank cut)
    : graph(graph), precedence(precedence), budget(budget) {
  chain.cuts.push_back(cut);
  chain.later.push_back(
      std::make_shared<PricedCut>(CutModel(graph, precedence, cut)));
  raise(evaluate(chain), 1);
  perByte = double(best) / double(std::max<int64_t>(1, budget));
}

std::shared_ptr<PricedCut> CutChain::makeNext(Rank cut, Rank until,
                                              const PricedCut &after) const {
  CutModel between(graph, precedence, cut, until);
  for (StorageId id = 0; id < graph.storageCount(); ++id)
    if (after.hasStorage(id))
      between.add(id);
  return std::make_shared<PricedCut>(std::move(between));
}

/// The previously last cut pays for all executions at first, so that the value
/// stays the same.
CutChain::Chain CutChain::append(Rank cut) const {
  Chain longer = chain;
  longer.later.push_back(
      std::make_shared<PricedCut>(CutModel(graph, precedence, cut)));
  longer.next.push_back(makeNext(chain.cuts.back(), cut, *longer.later.back()));
  longer.cuts.push_back(cut);
  Link link;
  link.later.resize(graph.opCount());
  link.copied.resize(graph.storageCount());
  link.carried.resize(graph.storageCount());
  for (Rank op = 0; op < graph.opCount(); ++op)
    if (chain.later.back()->variables().canPay(op)) {
      link.later[op] = double(graph.cost[op]);
      for (const Link &before : chain.links)
        link.later[op] -= before.later[op];
    }
  longer.links.push_back(std::move(link));
  return longer;
}

/// The new cut pays for nothing at first.
CutChain::Chain CutChain::prepend(Rank cut) const {
  Chain longer = chain;
  longer.later.insert(
      longer.later.begin(),
      std::make_shared<PricedCut>(CutModel(graph, precedence, cut)));
  longer.next.insert(longer.next.begin(),
                     makeNext(cut, chain.cuts.front(), *chain.later.front()));
  longer.cuts.insert(longer.cuts.begin(), cut);
  Link link;
  link.later.resize(graph.opCount());
  link.copied.resize(graph.storageCount());
  link.carried.resize(graph.storageCount());
  longer.links.insert(longer.links.begin(), std::move(link));
  return longer;
}

Wide CutChain::evaluate(const Chain &chain) const {
  const auto &[cuts, later, next, links] = chain;
  // The costs of an interval's executions.
  std::vector<Wide> rest(graph.cost.begin(), graph.cost.end());
  Wide sum = 0;
  PricedCut::Prices none;
  none.again.resize(graph.opCount());
  none.resident.resize(graph.storageCount());
  none.present = none.resident;
  for (uint32_t at = 0; at < later.size(); ++at) {
    bool isLast = at + 1 == later.size();
    PricedCut::Prices prices = none;
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      if (at > 0)
        prices.resident[id] += int64_t(links[at - 1].carried[id]);
      if (!isLast)
        prices.resident[id] -= int64_t(links[at].copied[id]);
    }
    if (isLast) {
      prices.again = rest;
      return sum + later[at]->solveWithin(prices, budget);
    }
    for (Rank op = 0; op < graph.opCount(); ++op) {
      prices.again[op] = int64_t(links[at].later[op]);
      rest[op] -= prices.again[op];
    }
    sum += later[at]->solveWithin(prices, budget);
    prices.again = rest;
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      prices.resident[id] = int64_t(links[at].copied[id]);
      prices.present[id] = -int64_t(links[at].carried[id]);
    }
    sum += next[at]->solveFreely(prices);
  }
  return sum;
}

/// Raises the bound to a value. If a schedule within the budget exists, it is
/// at most the cost of every op once after each cut.
void CutChain::raise(Wide value, size_t cuts) {
  if (value > Wide(graph.totalCost()) * cuts)
    feasible = false;
  else
    best = std::max(best, static_cast<int64_t>(value));
}

/// Returns the gradient at the value that was evaluated last.
CutChain::Links CutChain::gradientOf(const Chain &chain) const {
  const auto &[cuts, later, next, links] = chain;
  Links result(next.size());
  std::vector<double> executions(graph.opCount()); // from a cut on
  for (Rank op = 0; op < graph.opCount(); ++op)
    executions[op] = later.back()->again(op);
  for (uint32_t at = next.size(); at-- > 0;) {
    Link &link = result[at];
    const PricedCut &here = *later[at], &between = *next[at];
    link.later.resize(graph.opCount());
    for (Rank op = 0; op < graph.opCount(); ++op) {
      executions[op] += between.again(op);
      if (here.variables().canPay(op))
        link.later[op] = here.again(op) - executions[op];
    }
    link.copied.resize(graph.storageCount());
    link.carried.resize(graph.storageCount());
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      if (!between.hasStorage(id))
        continue;
      if (here.hasStorage(id))
        link.copied[id] = between.resident(id) - here.resident(id);
      if (later[at + 1]->hasStorage(id))
        link.carried[id] = later[at + 1]->resident(id) - between.present(id);
    }
  }
  return result;
}

/// Takes a step that would gain `gain` if the gradient stayed constant.
/// Multipliers stay nonnegative, and those of an op's executions below its
/// cost.
void CutChain::move(Links &links, const Links &gradient, double gain) const {
  auto scaleOf = [&](StorageId id) { return perByte * graph.bytes[id]; };
  auto isStuck = [](double at, double step) { return at <= 0 && step < 0; };
  double slope = 0;
  for (uint32_t at = 0; at < links.size(); ++at) {
    for (Rank op = 0; op < graph.opCount(); ++op)
      if (double step = gradient[at].later[op];
          !isStuck(links[at].later[op], step))
        slope += step * step * graph.cost[op];
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      if (double step = gradient[at].copied[id];
          !isStuck(links[at].copied[id], step))
        slope += step * step * scaleOf(id);
      if (double step = gradient[at].carried[id];
          !isStuck(links[at].carried[id], step))
        slope += step * step * scaleOf(id);
    }
  }
  if (!(slope > 0))
    return;
  double length = gain / slope;
  // No storage is worth more than the whole step.
  double most = double(graph.totalCost());
  std::vector<double> left(graph.cost.begin(), graph.cost.end());
  for (uint32_t at = 0; at < links.size(); ++at) {
    Link &link = links[at];
    for (Rank op = 0; op < graph.opCount(); ++op) {
      double moved =
          link.later[op] + length * graph.cost[op] * gradient[at].later[op];
      link.later[op] = std::clamp(moved, 0.0, left[op]);
      left[op] -= link.later[op];
    }
    for (StorageId id = 0; id < graph.storageCount(); ++id) {
      double scale = length * scaleOf(id);
      link.copied[id] = std::clamp(
          link.copied[id] + scale * gradient[at].copied[id], 0.0, most);
      link.carried[id] = std::clamp(
          link.carried[id] + scale * gradient[at].carried[id], 0.0, most);
    }
  }
}

void CutChain::improve(Chain &longer, uint32_t rounds) {
  constexpr double least = 1e-4;
  constexpr uint32_t patience = 8;
  double ambition = 0.05;
  uint32_t inVain = 0;
  Links bestLinks = longer.links;
  Wide value = evaluate(longer);
  for (uint32_t round = 0; round < rounds && ambition > least && feasible;
       ++round) {
    move(longer.links, gradientOf(longer),
         best * (1 + ambition) - double(value));
    value = evaluate(longer);
    if (value > best) {
      inVain = 0;
      raise(value, longer.cuts.size());
      bestLinks = longer.links;
    } else if (++inVain >= patience) {
      inVain = 0;
      ambition /= 2;
      longer.links = bestLinks;
      value = evaluate(longer);
    }
  }
  longer.links = std::move(bestLinks);
}

double CutChain::multiplier() const {
  evaluate(chain);
  double sum = 0;
  for (const std::shared_ptr<PricedCut> &part : chain.later)
    sum += part->multiplier();
  return sum;
}

bool CutChain::extend(Rank cut, uint32_t rounds) {
  Chain longer;
  if (findReached(precedence.behind, chain.cuts.back())[cut])
    longer = append(cut);
  else if (findReached(precedence.before, chain.cuts.front())[cut])
    longer = prepend(cut);
  else
    return false;
  // Smaller gains are noise that further cuts don't build on well.
  constexpr int64_t worth = 1000;
  int64_t before = best;
  improve(longer, rounds);
  if (feasible && best <= before + before / worth) {
    best = before;
    return false;
  }
  chain = std::move(longer);
  return true;
}

} // namespace reprise::plan
