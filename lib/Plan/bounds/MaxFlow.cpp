//===- MaxFlow.cpp - Integer maximum flow ---------------------------------===//
//
// Method:  Dinic's: levels by distance from the source, then blocking flows
//          along them, without recursion. Arcs of the source and the sink are
//          represented by a surplus at each node: an equal capacity from the
//          source and to the sink crosses every cut once and does not change
//          which cut is minimal. So the flow of an earlier run remains valid
//          whatever the new capacities of source and sink, and only changes a
//          node's surplus. The smallest minimum cut is the same for every
//          maximum flow.
// Cost:    O(V^2 E) at worst, close to linear on the closures solved here, and
//          less for a run that starts with much of its flow.
//
//===----------------------------------------------------------------------===//
#include "MaxFlow.h"

#include <algorithm>

namespace reprise::plan {

uint32_t MaxFlow::addArc(uint32_t from, uint32_t to, Wide capacity) {
  given.push_back({from, to, capacity, kNoArc});
  isBuilt = false;
  return given.size() - 1;
}

void MaxFlow::build(uint32_t source, uint32_t sink) {
  auto isInner = [&](const Given &arc) {
    return arc.from != source && arc.from != sink && arc.to != source &&
           arc.to != sink;
  };
  starts.assign(nodes + 1, 0);
  for (const Given &arc : given)
    if (isInner(arc)) {
      ++starts[arc.from + 1];
      ++starts[arc.to + 1];
    }
  for (uint32_t node = 0; node < nodes; ++node)
    starts[node + 1] += starts[node];
  head.resize(starts[nodes]);
  back.resize(starts[nodes]);
  left.assign(starts[nodes], 0);
  current = starts;
  for (Given &arc : given) {
    if (!isInner(arc))
      continue;
    uint32_t there = arc.inner = current[arc.from]++;
    uint32_t here = current[arc.to]++;
    head[there] = arc.to;
    head[here] = arc.from;
    back[there] = here;
    back[here] = there;
  }
  isBuilt = true;
}

/// Computes surpluses and residual capacities under the present flow. Returns
/// false if flows have grown so large along cycles that 128 bits might not
/// suffice.
bool MaxFlow::takeCapacities(uint32_t source, uint32_t sink) {
  constexpr Wide most = kInfinite >> 3;
  surplus.assign(nodes, 0);
  for (const Given &arc : given) {
    if (arc.inner == kNoArc) {
      if (arc.from == source)
        surplus[arc.to] += arc.capacity;
      else if (arc.to == sink)
        surplus[arc.from] -= arc.capacity;
      continue;
    }
    Wide &flow = left[back[arc.inner]];
    Wide kept = std::min(flow, arc.capacity);
    flow = kept;
    if (flow > most)
      return false;
    left[arc.inner] = arc.capacity - flow;
    surplus[arc.from] -= flow;
    surplus[arc.to] += flow;
  }
  surplus[source] = surplus[sink] = 0;
  return true;
}

/// Computes distances from nodes with a surplus, up to the first node with
/// capacity to the sink; if there is none, of every node that can be reached.
bool MaxFlow::findLevels() {
  level.assign(nodes, kNoArc);
  queue.clear();
  for (uint32_t node = 0; node < nodes; ++node)
    if (surplus[node] > 0) {
      level[node] = 0;
      queue.push_back(node);
    }
  uint32_t last = kNoArc;
  for (size_t at = 0; at < queue.size() && level[queue[at]] < last; ++at) {
    uint32_t node = queue[at];
    for (uint32_t arc = starts[node]; arc < starts[node + 1]; ++arc) {
      uint32_t to = head[arc];
      if (level[to] != kNoArc || left[arc] <= 0)
        continue;
      level[to] = level[node] + 1;
      queue.push_back(to);
      if (surplus[to] < 0)
        last = level[to];
    }
  }
  return last != kNoArc;
}

/// Advances one arc along the levels, or goes back one arc from a dead end.
/// Returns false if only going back is left and `node` is the start of the
/// path.
bool MaxFlow::advance(uint32_t &node) {
  uint32_t &arc = current[node];
  while (arc < starts[node + 1] &&
         !(level[head[arc]] == level[node] + 1 && left[arc] > 0))
    ++arc;
  if (arc < starts[node + 1]) {
    path.push_back(arc);
    node = head[arc];
    return true;
  }
  if (path.empty())
    return false;
  node = head[back[path.back()]];
  ++current[node];
  path.pop_back();
  return true;
}

/// Augments along the path from one node to the other by its capacity.
void MaxFlow::augment(uint32_t from, uint32_t to) {
  Wide least = std::min(surplus[from], -surplus[to]);
  for (uint32_t arc : path)
    least = std::min(least, left[arc]);
  surplus[from] -= least;
  surplus[to] += least;
  for (uint32_t arc : path) {
    left[arc] -= least;
    left[back[arc]] += least;
  }
}

/// Sends as much of a node's surplus along the levels as can reach the sink.
void MaxFlow::push(uint32_t from) {
  path.clear();
  uint32_t node = from;
  while (surplus[from] > 0) {
    if (surplus[node] >= 0) {
      if (!advance(node))
        return;
      continue;
    }
    augment(from, node);
    // Go back to where the path is still open.
    size_t open = 0;
    while (open < path.size() && left[path[open]] > 0)
      ++open;
    if (open < path.size()) {
      node = head[back[path[open]]];
      path.resize(open);
    }
  }
}

Wide MaxFlow::cutCapacity(uint32_t source, uint32_t sink) const {
  auto isOnSide = [&](uint32_t node) {
    return node == source || (node != sink && level[node] != kNoArc);
  };
  Wide sum = 0;
  for (const Given &arc : given)
    if (isOnSide(arc.from) && !isOnSide(arc.to))
      sum += arc.capacity;
  return sum;
}

Wide MaxFlow::run(uint32_t source, uint32_t sink) {
  if (!isBuilt)
    build(source, sink);
  if (!takeCapacities(source, sink)) {
    std::fill(left.begin(), left.end(), 0);
    takeCapacities(source, sink);
  }
  while (findLevels()) {
    current.assign(starts.begin(), starts.end() - 1);
    for (uint32_t at = 0; at < queue.size() && level[queue[at]] == 0; ++at)
      push(queue[at]);
  }
  level[source] = 0;
  return cutCapacity(source, sink);
}

} // namespace reprise::plan
