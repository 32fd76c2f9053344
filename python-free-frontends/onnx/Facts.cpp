//===- Facts.cpp - The contents of a file ---------------------------------===//

#include "Importer.h"

using namespace reprise;
using namespace reprise::onnx;

static std::string wordOf(const Extent &extent) {
  if (extent.value)
    return std::to_string(*extent.value);
  return extent.name.empty() ? "?" : std::string(extent.name);
}

std::string onnx::textOf(const ValueInfo &info) {
  if (!info.isTensor)
    return "no tensor";
  std::string text;
  for (const Extent &extent : info.shape)
    text += (text.empty() ? "" : "x") + wordOf(extent);
  if (!info.hasShape)
    text = "of any shape";
  return nameOf(info.type) + " " + (text.empty() ? "scalar" : text);
}

Facts onnx::factsOf(const onnx::Model &model) {
  Facts facts;
  facts.producer = model.producer;
  if (!model.producerVersion.empty())
    facts.producer += " " + std::string(model.producerVersion);
  facts.irVersion = model.irVersion;
  for (auto [domain, version] : model.opsets)
    facts.opsets.push_back({std::string(domain), version});
  llvm::StringSet<> weights;
  for (const TensorMessage &tensor : model.graph.initializers)
    weights.insert(llvm::StringRef(tensor.name.data(), tensor.name.size()));
  for (const ValueInfo &info : model.graph.inputs)
    if (!weights.contains(llvm::StringRef(info.name.data(), info.name.size())))
      facts.inputs.push_back(
          {std::string(info.name), textOf(info), /*isLast=*/false});
  for (const ValueInfo &info : model.graph.outputs)
    facts.outputs.push_back(
        {std::string(info.name), textOf(info), /*isLast=*/false});
  std::map<std::string, size_t> counts;
  for (const Node &node : model.graph.nodes)
    ++counts[(node.domain.empty() || node.domain == "ai.onnx"
                  ? ""
                  : std::string(node.domain) + ".") +
             std::string(node.op)];
  for (const auto &[op, nodes] : counts)
    facts.ops.push_back({op, nodes});
  llvm::stable_sort(facts.ops, [](const OpCount &a, const OpCount &b) {
    return a.nodes > b.nodes;
  });
  return facts;
}

std::string onnx::textOf(const Refusal &refusal) {
  std::string text = refusal.op;
  if (!refusal.op.empty() && refusal.nodes > 1)
    text += " (" + std::to_string(refusal.nodes) + " nodes, first " +
            refusal.node + ")";
  else if (!refusal.node.empty())
    text += " (" + refusal.node + ")";
  return text + (text.empty() ? "" : ": ") + refusal.reason;
}
