//===- MaxFlow.cpp - Integer maximum flow ---------------------------------===//
//
// Method:  Dinic's: levels by distance from the source, then blocking flows
//          along them, without recursion.
// Cost:    O(V^2 E) at worst, close to linear on the closures solved here.
//
//===----------------------------------------------------------------------===//
#include "MaxFlow.h"
#include "reprise/Fault.h"

#include <algorithm>

namespace reprise::plan {

uint32_t MaxFlow::addArc(uint32_t from, uint32_t to, Wide capacity) {
  uint32_t id = arcs.size();
  arcs.push_back({to, heads[from], 0});
  heads[from] = id;
  arcs.push_back({from, heads[to], 0});
  heads[to] = id + 1;
  capacities.push_back(capacity);
  return id;
}

bool MaxFlow::findLevels(uint32_t source, uint32_t sink) {
  level.assign(heads.size(), kNoArc);
  queue.clear();
  queue.push_back(source);
  level[source] = 0;
  for (size_t at = 0; at < queue.size(); ++at)
    for (uint32_t id = heads[queue[at]]; id != kNoArc; id = arcs[id].next)
      if (arcs[id].left > 0 && level[arcs[id].to] == kNoArc) {
        level[arcs[id].to] = level[queue[at]] + 1;
        queue.push_back(arcs[id].to);
      }
  return level[sink] != kNoArc;
}

/// One path along the levels; 0 when there is none left.
Wide MaxFlow::augment(uint32_t source, uint32_t sink) {
  uint32_t node = source;
  path.clear();
  while (node != sink) {
    uint32_t &id = current[node];
    while (id != kNoArc &&
           !(arcs[id].left > 0 && level[arcs[id].to] == level[node] + 1))
      id = arcs[id].next;
    if (id != kNoArc) {
      path.push_back(id);
      node = arcs[id].to;
      continue;
    }
    if (path.empty())
      return 0;
    // A dead end: back, and past the arc that led here.
    node = arcs[path.back() ^ 1].to;
    current[node] = arcs[path.back()].next;
    path.pop_back();
  }
  Wide least = kInfinite;
  for (uint32_t id : path)
    least = std::min(least, arcs[id].left);
  for (uint32_t id : path) {
    arcs[id].left -= least;
    REPRISE_FAULT("flow-without-way-back", continue);
    arcs[id ^ 1].left += least;
  }
  return least;
}

Wide MaxFlow::run(uint32_t source, uint32_t sink) {
  for (uint32_t id = 0; id < arcs.size(); ++id)
    arcs[id].left = id % 2 == 0 ? capacities[id / 2] : 0;
  Wide flow = 0;
  while (findLevels(source, sink)) {
    current = heads;
    while (Wide more = augment(source, sink))
      flow += more;
  }
  return flow;
}

} // namespace reprise::plan
