//===- DonatedStorage.cpp - Results in the storage of arguments -----------===//
//
// Input:   the graph of a function, a result and the argument given up for it.
// Output:  whether the result's producer writes over the argument.
// Method:  all readers have to come first, so that no read follows the write.
// Cost:    linear in the inputs of all ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//
#include "DonatedStorage.h"

#include <algorithm>

using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::ValueId;

static ValueId rootOf(const plan::Graph &graph, ValueId value) {
  while (graph.values[value].viewOf != kNone)
    value = graph.values[value].viewOf;
  return value;
}

/// Returns true if `op` may compute `result` over its input `argument`.
static bool writesOver(const plan::Op &op, ValueId result, ValueId argument) {
  return std::any_of(op.inPlace.begin(), op.inPlace.end(), [&](auto pair) {
    return op.outputs[pair.first] == result &&
           op.inputs[pair.second] == argument;
  });
}

bool reprise::takeDonated(plan::Graph &graph, ValueId result, ValueId argument,
                          uint64_t argumentBytes) {
  plan::Value &value = graph.values[result];
  OpId producer = value.producer;
  if (producer == kNone || value.bytes != argumentBytes ||
      value.storage != plan::StorageClass::Output)
    return false;
  std::vector<OpId> readers;
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    const plan::Op &op = graph.ops[id];
    bool reads =
        std::any_of(op.inputs.begin(), op.inputs.end(), [&](ValueId input) {
          return rootOf(graph, input) == argument;
        });
    if (!reads)
      continue;
    if (id > producer || (id == producer && !writesOver(op, result, argument)))
      return false;
    if (id != producer)
      readers.push_back(id);
  }
  plan::Op &op = graph.ops[producer];
  op.runsOnce = true;
  op.overwrites.push_back(argument);
  op.after.insert(op.after.end(), readers.begin(), readers.end());
  value.bytes = 0;
  return true;
}
