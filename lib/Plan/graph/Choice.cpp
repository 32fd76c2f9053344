//===- Choice.cpp - Why bytes are in memory -------------------------------===//
#include "reprise/Plan/Choice.h"

#include <cmath>

namespace reprise::plan {

std::vector<bool> findReadLater(const Graph &graph) {
  std::vector<bool> isReadLater(graph.values.size(), false);
  for (const Op &op : graph.ops)
    if (op.backward)
      for (ValueId value : op.inputs) {
        while (graph.values[value].viewOf != kNone)
          value = graph.values[value].viewOf;
        isReadLater[value] = true;
      }
  return isReadLater;
}

uint64_t wholePicoseconds(double milliseconds) {
  return static_cast<uint64_t>(std::llround(milliseconds * 1e9));
}

} // namespace reprise::plan
