//===- MaxFlow.cpp - Integer maximum flow ---------------------------------===//
//
// Method:  Dinic's: levels by distance from the source, then blocking flows
//          along them, without recursion. Arcs of the source and of the sink
//          are no arcs but a surplus at each node: the same capacity from the
//          source and to the sink is in every cut once, and changes no minimum.
//          So the flow of an earlier run stays, whatever becomes of the
//          capacities of source and sink, and makes a node's surplus larger or
//          smaller. The smallest minimum cut is the same for every maximum
//          flow.
// Cost:    O(V^2 E) at worst, close to linear on the closures solved here, and
//          less for a run that begins with much of its flow.
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

/// Surplus and what is left of capacities, with the flow there is. False when
/// flows have grown so large, around and around, that 128 bits might not do.
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

/// Distances from nodes with a surplus, up to the first one that can give to
/// the sink; everything that can be reached where there is none.
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

/// One arc further along the levels, or one back from a dead end. False when
/// there is no way but back and `node` is where the path began.
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

/// What the path from one node to the other takes.
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

/// Sends as much of a node's surplus along the levels as there is a way for.
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
    // Back to where the path is still open.
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
