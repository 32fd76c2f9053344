//===- BatchShapes.cpp - Constant shapes that name the batch --------------===//

#include "BatchShapes.h"
#include "llvm/ADT/STLExtras.h"

using namespace reprise::onnx;

std::optional<size_t> BatchShapes::dimension(const Node &node) const {
  auto found = dimensions.find(&node);
  return found == dimensions.end() ? std::nullopt
                                   : std::optional(found->second);
}

bool BatchShapes::standsForSamples(const Node &node, bool found) {
  if (isProbe && found)
    counting.insert(&node);
  return found && counting.count(&node) != 0;
}

void BatchShapes::learn(const Node &node, const Shape &from, const Shape &to,
                        int64_t fileBatch) {
  auto holdsSamples = [](int64_t extent) { return extent % kProbe == 0; };
  auto at = llvm::find_if(from, holdsSamples);
  if (at == from.end() || std::any_of(at + 1, from.end(), holdsSamples))
    return;
  int64_t before = 1, extent = *at;
  for (auto d = from.begin(); d != at; ++d)
    before *= *d;
  auto known = outside.find(extent);
  before *= known == outside.end() ? 1 : known->second;
  // The last dimension that begins where the samples do, or before; of several
  // that begin there, the first that can hold them. The last dimension of all
  // holds features, not samples and features.
  std::optional<size_t> found;
  int64_t outer = 0, prefix = 1;
  for (size_t d = 0; d < to.size() && prefix <= before; prefix *= to[d++]) {
    if (found && outer == 1)
      break;
    int64_t beyond = before / prefix;
    bool isFeatures = found && d + 1 == to.size() && to[d] != fileBatch;
    if (before % prefix || to[d] % (beyond * fileBatch) || isFeatures)
      continue;
    found = d;
    outer = beyond;
  }
  if (!found)
    return;
  dimensions[&node] = *found;
  outside[to[*found] / fileBatch * kProbe] = outer;
}
