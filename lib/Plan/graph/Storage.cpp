//===- Storage.cpp - Values that share bytes through views ----------------===//
#include "Storage.h"

namespace reprise::plan {

/// Follows every chain of views to its end, each link once.
static std::vector<ValueId> findRoots(const std::vector<Value> &values) {
  std::vector<ValueId> rootOf(values.size(), kNone);
  std::vector<ValueId> chain;
  for (ValueId start = 0; start < values.size(); ++start) {
    ValueId at = start;
    while (rootOf[at] == kNone && values[at].viewOf != kNone) {
      chain.push_back(at);
      at = values[at].viewOf;
    }
    ValueId root = rootOf[at] == kNone ? at : rootOf[at];
    rootOf[at] = root;
    for (ValueId link : chain)
      rootOf[link] = root;
    chain.clear();
  }
  return rootOf;
}

Storages analyzeStorages(const Graph &graph) {
  Storages result;
  size_t count = graph.values.size();
  result.rootOf = findRoots(graph.values);
  result.bytes.assign(count, 0);
  result.users.resize(count);
  result.toEnd.assign(count, false);
  for (ValueId id = 0; id < count; ++id) {
    const Value &value = graph.values[id];
    ValueId root = result.rootOf[id];
    if (root == id && value.storage != StorageClass::Fixed)
      result.bytes[id] = alignUp(value.bytes);
    if (value.storage == StorageClass::Output)
      result.toEnd[root] = true;
  }
  auto addUser = [&](ValueId root, OpId op) {
    std::vector<OpId> &users = result.users[root];
    if (users.empty() || users.back() != op)
      users.push_back(op);
  };
  for (OpId id = 0; id < graph.ops.size(); ++id) {
    for (ValueId input : graph.ops[id].inputs) {
      ValueId read = result.rootOf[input];
      addUser(read, id);
    }
    // Making a view requires its base, even if the op doesn't list the base as
    // an input.
    for (ValueId output : graph.ops[id].outputs)
      if (result.rootOf[output] != output)
        addUser(result.rootOf[output], id);
  }
  return result;
}

} // namespace reprise::plan
