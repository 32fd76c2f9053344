//===- OnnxReport.cpp - ONNX files for people -----------------------------===//

#include "reprise/Driver/OnnxReport.h"
#include "mlir/IR/MLIRContext.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

rt::Expected<onnx::Imported> driver::readOnnx(mlir::MLIRContext &context,
                                              const std::string &path,
                                              const OnnxFlags &flags,
                                              bool inspects) {
  REPRISE_EXPECT(model, flags.model.options());
  onnx::ImportOptions options = onnx::importOptionsOf(*model, onnx::Loss::None);
  options.freeze = flags.freeze;
  options.inspects = inspects;
  std::string error;
  auto imported = onnx::importModel(context, path, options, error);
  if (!imported)
    return invalid(error);
  return std::move(*imported);
}

/// Returns the reasons why a file is not imported.
static rt::Status refusalOf(const std::string &path,
                            const onnx::Imported &imported) {
  std::string text = "'" + path + "' cannot be imported";
  for (const onnx::Refusal &refusal : imported.refusals)
    text += "\nerror: " + textOf(refusal);
  return misuse(text);
}

rt::Expected<std::string> driver::importOnnx(const std::string &path,
                                             const OnnxFlags &flags) {
  mlir::MLIRContext context;
  REPRISE_EXPECT(imported, readOnnx(context, path, flags, /*inspects=*/false));
  if (!imported->module)
    return refusalOf(path, *imported);
  for (const std::string &decision : imported->notes)
    note(decision);
  std::string text;
  llvm::raw_string_ostream stream(text);
  imported->module.get()->print(stream);
  return text + "\n";
}

/// Returns the numbers of weights and of their elements.
static std::pair<size_t, int64_t> countOf(const onnx::Imported &imported,
                                          bool areStatistics) {
  std::pair<size_t, int64_t> count;
  for (const onnx::ParameterFacts &parameter : imported.parameters) {
    if (parameter.isStatistic != areStatistics)
      continue;
    int64_t elements = 1;
    for (int64_t extent : parameter.shape)
      elements *= extent;
    ++count.first;
    count.second += elements;
  }
  return count;
}

static std::string textOf(std::pair<size_t, int64_t> count) {
  return std::to_string(count.first) + " of " +
         text::formatInteger(count.second) + " elements";
}

std::string driver::onnxText(const onnx::Imported &imported) {
  const onnx::Facts &facts = imported.facts;
  text::Facts lines;
  if (!facts.producer.empty())
    lines.add("producer", facts.producer);
  lines.add("IR version", std::to_string(facts.irVersion));
  for (const auto &[domain, version] : facts.opsets)
    lines.add("opset",
              (domain.empty() ? "" : domain + " ") + std::to_string(version));
  for (const onnx::TensorFacts &input : facts.inputs)
    lines.add("input", input.name + ": " + input.type);
  for (const onnx::TensorFacts &output : facts.outputs)
    lines.add("output", output.name + ": " + output.type);
  lines.add("parameters", textOf(countOf(imported, false)));
  if (auto statistics = countOf(imported, true); statistics.first)
    lines.add("statistics", textOf(statistics));
  if (imported.refusals.empty())
    lines.add("blocks", text::formatInteger(imported.blocks));
  std::string text = lines.str() + "\n";
  text::Table ops({{"op", text::Align::Left}, {"nodes"}});
  for (const onnx::OpCount &op : facts.ops)
    ops.add({op.op, std::to_string(op.nodes)});
  text += ops.str();
  for (const std::string &note : imported.notes)
    text += "\nnote: " + note;
  text += imported.notes.empty() ? "" : "\n";
  for (const onnx::Refusal &refusal : imported.refusals)
    text += "\nrefused: " + textOf(refusal);
  return text + (imported.refusals.empty() ? "" : "\n");
}

nlohmann::ordered_json driver::onnxJson(const onnx::Imported &imported) {
  using json = nlohmann::ordered_json;
  const onnx::Facts &facts = imported.facts;
  json answer = {{"producer", facts.producer}, {"ir_version", facts.irVersion}};
  auto tensors = [](const std::vector<onnx::TensorFacts> &list) {
    json array = json::array();
    for (const onnx::TensorFacts &tensor : list)
      array.push_back({{"name", tensor.name}, {"type", tensor.type}});
    return array;
  };
  answer["opsets"] = json::array();
  for (const auto &[domain, version] : facts.opsets)
    answer["opsets"].push_back({{"domain", domain}, {"version", version}});
  answer["inputs"] = tensors(facts.inputs);
  answer["outputs"] = tensors(facts.outputs);
  answer["ops"] = json::array();
  for (const onnx::OpCount &op : facts.ops)
    answer["ops"].push_back({{"op", op.op}, {"nodes", op.nodes}});
  answer["parameters"] = json::array();
  for (const onnx::ParameterFacts &parameter : imported.parameters)
    answer["parameters"].push_back(
        {{"name", parameter.name},
         {"shape", parameter.shape},
         {"role", parameter.isStatistic ? "running_statistics" : "parameter"}});
  answer["blocks"] = imported.blocks;
  answer["notes"] = imported.notes;
  answer["refusals"] = json::array();
  for (const onnx::Refusal &refusal : imported.refusals)
    answer["refusals"].push_back({{"op", refusal.op},
                                  {"node", refusal.node},
                                  {"nodes", refusal.nodes},
                                  {"reason", refusal.reason}});
  return answer;
}
