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

/// Splits NAME=SHAPE at the last sign, since names may hold others.
static rt::Status addShape(const std::string &text,
                           onnx::ImportOptions &options) {
  auto [name, shape] = llvm::StringRef(text).rsplit('=');
  std::vector<int64_t> extents;
  llvm::SmallVector<llvm::StringRef> parts;
  shape.split(parts, 'x');
  for (llvm::StringRef part : parts) {
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 1 || extent > INT32_MAX)
      return misuse("--input: '" + text +
                    "' is not NAME=SHAPE, such as image=8x3x224x224");
    extents.push_back(extent);
  }
  options.shapes[name.str()] = extents;
  return {};
}

/// Splits NAME=NUMBERS; nothing after the sign is a vector without elements.
static rt::Status addValue(const std::string &text,
                           onnx::ImportOptions &options) {
  auto [name, list] = llvm::StringRef(text).rsplit('=');
  std::vector<double> numbers;
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/!list.empty());
  for (llvm::StringRef part : parts) {
    double number;
    if (part.getAsDouble(number))
      return misuse("--value: '" + text +
                    "' is not NAME=NUMBERS, such as axes=1,2");
    numbers.push_back(number);
  }
  if (name.size() == text.size())
    return misuse("--value: '" + text +
                  "' is not NAME=NUMBERS, such as axes=1,2");
  options.values[name.str()] = numbers;
  return {};
}

rt::Expected<onnx::ImportOptions>
driver::importOptionsOf(const OnnxFlags &flags) {
  onnx::ImportOptions options;
  options.batch = flags.batch;
  if (flags.batch && (*flags.batch < 1 || *flags.batch > INT32_MAX))
    return misuse("--batch: " + std::to_string(*flags.batch) +
                  " is not between 1 and 2147483647");
  for (const std::string &text : flags.inputs)
    REPRISE_RETURN_IF_ERROR(addShape(text, options));
  for (const std::string &text : flags.values)
    REPRISE_RETURN_IF_ERROR(addValue(text, options));
  static const std::pair<const char *, onnx::Loss> losses[] = {
      {"none", onnx::Loss::None},
      {"cross-entropy", onnx::Loss::CrossEntropy},
      {"bce", onnx::Loss::BinaryCrossEntropy},
      {"mse", onnx::Loss::SquaredError}};
  const auto *loss = llvm::find_if(
      losses, [&](const auto &known) { return flags.loss == known.first; });
  if (loss == std::end(losses))
    return misuse("--loss: '" + flags.loss +
                  "' is none of none, cross-entropy, bce, mse");
  options.loss = loss->second;
  options.newHead = flags.newHead;
  if (flags.newHead && (*flags.newHead < 2 || *flags.newHead > INT32_MAX))
    return misuse("--new-head: " + std::to_string(*flags.newHead) +
                  " is not between 2 and 2147483647");
  options.logits = flags.logits;
  options.label = flags.label;
  options.freeze = flags.freeze;
  return options;
}

rt::Expected<onnx::Imported> driver::readOnnx(mlir::MLIRContext &context,
                                              const std::string &path,
                                              const OnnxFlags &flags) {
  REPRISE_EXPECT(options, importOptionsOf(flags));
  std::string error;
  auto imported = onnx::importModel(context, path, *options, error);
  if (!imported)
    return invalid(error);
  auto isInput = [&](const std::string &name) {
    return llvm::any_of(
        imported->facts.inputs,
        [&](const onnx::TensorFacts &input) { return input.name == name; });
  };
  for (const auto &[name, shape] : options->shapes)
    if (!isInput(name))
      return misuse("--input: '" + path + "' has no input '" + name + "'");
  for (const auto &[name, numbers] : options->values)
    if (!isInput(name))
      return misuse("--value: '" + path + "' has no input '" + name + "'");
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
  REPRISE_EXPECT(imported, readOnnx(context, path, flags));
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
  answer["notes"] = imported.notes;
  answer["refusals"] = json::array();
  for (const onnx::Refusal &refusal : imported.refusals)
    answer["refusals"].push_back({{"op", refusal.op},
                                  {"node", refusal.node},
                                  {"nodes", refusal.nodes},
                                  {"reason", refusal.reason}});
  return answer;
}
