//===- BufferNames.cpp - Names of values and buffers ----------------------===//
#include "reprise/Plan/BufferNames.h"

#include <algorithm>
#include <map>

using namespace reprise;
using plan::kNone;
using plan::OpId;
using plan::ValueId;

std::string reprise::nameOfOp(const std::string &module,
                              const std::string &name) {
  return module.empty() ? name : module + ":" + name;
}

std::string reprise::nameOfCopy(const std::string &value) {
  return "copy of " + value;
}

std::vector<std::string> reprise::nameValues(const plan::Graph &graph,
                                             const plan::Schedule &schedule) {
  std::vector<std::string> names(graph.values.size());
  std::map<std::string, unsigned> seen;
  auto name = [&](ValueId id) {
    const plan::Value &value = graph.values[id];
    names[id] = value.name;
    if (value.viewOf != kNone || value.storage == plan::StorageClass::Fixed)
      return;
    if (unsigned count = ++seen[value.name]; count > 1)
      names[id] += "#" + std::to_string(count);
  };
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (graph.values[id].producer == kNone)
      name(id);
  for (OpId op : schedule.order)
    for (ValueId output : graph.ops[op].outputs)
      name(output);
  // A view may be listed before its base.
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    ValueId root = id;
    while (graph.values[root].viewOf != kNone)
      root = graph.values[root].viewOf;
    names[id] = names[root];
  }
  return names;
}

std::vector<std::string>
reprise::nameBuffers(const plan::Graph &graph, const plan::Liveness &liveness,
                     const std::vector<std::string> &names) {
  std::vector<std::string> result;
  for (const plan::Buffer &buffer : liveness.buffers) {
    if (buffer.workspaceOf == kNone) {
      result.push_back(names[buffer.values.front()]);
      continue;
    }
    const plan::Op &op = graph.ops[buffer.workspaceOf];
    result.push_back("workspace of " + (op.outputs.empty()
                                            ? op.name
                                            : names[op.outputs.front()]));
  }
  return result;
}

uint64_t reprise::touchedBytes(const plan::Graph &graph,
                               const plan::Buffer &buffer) {
  if (buffer.workspaceOf != kNone)
    return buffer.bytes;
  uint64_t bytes = 0;
  for (ValueId value : buffer.values)
    bytes = std::max(bytes, graph.values[value].bytes);
  return bytes;
}
