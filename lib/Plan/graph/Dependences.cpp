//===- Dependences.cpp - Which op must run before which -------------------===//
#include "Dependences.h"

#include <algorithm>

namespace reprise::plan {

Dependences findDependences(const Graph &graph) {
  Dependences result;
  result.before.resize(graph.ops.size());
  result.behind.resize(graph.ops.size());
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    const Op &op = graph.ops[id];
    std::vector<OpId> &before = result.before[id];
    before = op.after;
    auto addChain = [&](ValueId value) {
      for (; value != kNone; value = graph.values[value].viewOf) {
        OpId producer = graph.values[value].producer;
        if (producer != kNone && producer != id)
          before.push_back(producer);
      }
    };
    for (ValueId input : op.inputs)
      addChain(input);
    for (ValueId output : op.outputs)
      addChain(graph.values[output].viewOf);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (OpId other : before)
      result.behind[other].push_back(id);
  }
  return result;
}

} // namespace reprise::plan
