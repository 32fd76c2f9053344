//===- OnnxCases.cpp - Networks with known outputs ------------------------===//

#include "OnnxCases.h"
#include "Elements.h"
#include "reprise/Onnx/Import.h"
#include "reprise/Reference/Evaluator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using reference::Tensor;

/// The tensor of a file; nothing, with `error`, if it cannot be read.
static std::optional<Elements> load(const std::string &path,
                                    std::string &error) {
  std::unique_ptr<ModelFile> file = ModelFile::open(path, error);
  if (!file)
    return std::nullopt;
  std::optional<TensorMessage> message = readTensor(file->bytes(), error);
  return message ? decode(*message, nullptr, error) : std::nullopt;
}

/// The tensors of NAME_0.pb, NAME_1.pb and so on.
static std::vector<Elements> loadAll(const std::string &folder,
                                     const std::string &name,
                                     std::string &error) {
  std::vector<Elements> all;
  for (size_t k = 0;; ++k) {
    std::string path =
        folder + "/test_data_set_0/" + name + "_" + std::to_string(k) + ".pb";
    if (!llvm::sys::fs::exists(path))
      return all;
    auto elements = load(path, error);
    if (!elements)
      return {};
    all.push_back(std::move(*elements));
  }
}

/// An argument of `type`, whose channels are last if `isLast`.
static Tensor argumentOf(RankedTensorType type, const Elements &elements,
                         bool isLast) {
  Tensor tensor(type);
  int64_t count = tensor.size(), channels = isLast ? elements.shape[1] : 1;
  int64_t pixels = isLast ? count / elements.shape[0] / channels : count;
  for (int64_t k = 0; k < count; ++k) {
    int64_t sample = k / (channels * pixels), rest = k % (channels * pixels);
    int64_t to =
        sample * channels * pixels + rest % pixels * channels + rest / pixels;
    if (tensor.isReal())
      tensor.real(to) = elements.reals[k];
    else
      tensor.integer(to) = elements.integers[k];
  }
  return tensor;
}

/// The first difference of an output by more than `tolerance` of its largest
/// element; empty if there is none.
static std::string compare(const Tensor &got, const Elements &want,
                           double tolerance) {
  if (got.getShape() != llvm::ArrayRef(want.shape))
    return "has another shape";
  if (got.isReal() != isReal(want.type))
    return "has another element type";
  double largest = 1e-30, error = 0;
  for (int64_t k = 0; k < got.size(); ++k) {
    double x = got.number(k);
    double y = isReal(want.type) ? want.reals[k] : double(want.integers[k]);
    if (std::isnan(x) != std::isnan(y) || (std::isinf(y) && x != y))
      return "has another special number";
    if (!std::isfinite(y))
      continue;
    largest = std::max(largest, std::fabs(y));
    error = std::max(error, std::fabs(x - y));
  }
  if (error <= tolerance * largest)
    return "";
  return "differs by " + std::to_string(error) + " of " +
         std::to_string(largest);
}

static std::vector<double> numbersOf(const Elements &elements) {
  if (isReal(elements.type))
    return {elements.reals.begin(), elements.reals.end()};
  return {elements.integers.begin(), elements.integers.end()};
}

/// The shapes of a case's inputs bind those that the file leaves open.
static std::optional<Imported> import(MLIRContext &context,
                                      const std::string &path,
                                      const std::vector<Elements> &inputs,
                                      std::string &error) {
  ImportOptions options;
  auto facts = importModel(context, path, options, error);
  if (!facts || inputs.size() != facts->facts.inputs.size())
    return facts;
  for (size_t k = 0; k < inputs.size(); ++k)
    options.shapes[facts->facts.inputs[k].name] = inputs[k].shape;
  for (;;) {
    auto imported = importModel(context, path, options, error);
    if (!imported || imported->unbound.empty())
      return imported;
    // Shapes and axes that are inputs have the numbers of the data.
    size_t bound = options.values.size();
    for (const std::string &name : imported->unbound)
      for (size_t k = 0; k < inputs.size(); ++k)
        if (imported->facts.inputs[k].name == name)
          options.values[name] = numbersOf(inputs[k]);
    if (options.values.size() == bound)
      return imported;
  }
}

/// Replaces the bits of bfloat16, which ONNX's data hold as uint16.
static void decodeBits(std::vector<Elements> &all,
                       const std::vector<TensorFacts> &facts) {
  for (auto [elements, fact] : llvm::zip(all, facts)) {
    if (elements.type != TensorElement::UInt16 ||
        !llvm::StringRef(fact.type).starts_with("bfloat16"))
      continue;
    elements.type = TensorElement::Float;
    for (int64_t bits : elements.integers)
      elements.reals.push_back(
          llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
  }
}

/// Fills the arguments of the model's function with the inputs.
static std::string fillArguments(Case &it) {
  auto function = functionOf(it);
  decodeBits(it.inputs, it.imported.facts.inputs);
  decodeBits(it.outputs, it.imported.facts.outputs);
  for (unsigned k = 0; k < it.inputs.size(); ++k) {
    const TensorFacts &facts = it.imported.facts.inputs[k];
    if (facts.isConstant)
      continue;
    if (it.arguments.size() == function.getNumArguments())
      return "wrong: fewer arguments than inputs";
    Type type = function.getArgument(it.arguments.size()).getType();
    if (isa<FloatType>(cast<RankedTensorType>(type).getElementType()) !=
        isReal(it.inputs[k].type))
      return "wrong: input " + std::to_string(k) + " is of another type";
    it.arguments.push_back(
        argumentOf(cast<RankedTensorType>(type), it.inputs[k], facts.isLast));
  }
  if (function.getNumArguments() != it.arguments.size() ||
      function.getNumResults() != it.outputs.size())
    return "wrong: other numbers of inputs or outputs";
  for (auto variable : it.imported.module->getOps<sg::VariableOp>()) {
    auto value = reference::initialValue(variable);
    if (failed(value))
      return "wrong: a variable has no value";
    it.variables.emplace(variable.getSymName().str(), *value);
  }
  return "";
}

func::FuncOp onnx::functionOf(Case &it) {
  return *it.imported.module->getOps<func::FuncOp>().begin();
}

Case onnx::loadCase(MLIRContext &context, const std::string &folder) {
  Case it;
  std::string error;
  it.inputs = loadAll(folder, "input", error);
  it.outputs = loadAll(folder, "output", error);
  // Data that cannot be read are of types that the import refuses as well.
  std::string unread = std::move(error);
  error.clear();
  auto imported = import(context, folder + "/model.onnx", it.inputs, error);
  if (!imported) {
    it.verdict = "wrong: " + error;
    return it;
  }
  it.imported = std::move(*imported);
  if (!it.imported.module) {
    const Refusal &first = it.imported.refusals.front();
    it.verdict =
        "refused: " + first.op + (first.op.empty() ? "" : ": ") + first.reason;
  } else if (!unread.empty()) {
    it.verdict = "wrong: the data are not read: " + unread;
  } else {
    it.verdict = fillArguments(it);
  }
  return it;
}

std::string onnx::compareOutputs(const Case &it, llvm::ArrayRef<Tensor> results,
                                 double tolerance) {
  for (auto [k, got, want] : llvm::enumerate(results, it.outputs))
    if (std::string wrong = compare(got, want, tolerance); !wrong.empty())
      return "wrong: output " + std::to_string(k) + " " + wrong;
  return "pass";
}

std::string onnx::runCase(MLIRContext &context, const std::string &folder) {
  Case it = loadCase(context, folder);
  if (!it.verdict.empty())
    return it.verdict;
  reference::EvaluationOptions options;
  options.mode = reference::Mode::Inference;
  // Only then, numbers that a file rounds to 16 bits are rounded.
  it.imported.module->walk([&](sg::CastOp op) {
    if (sg::tensorOf(op.getResult()).getElementTypeBitWidth() == 16)
      options.precision = reference::Precision::Stored;
  });
  auto results =
      reference::evaluate(functionOf(it), it.arguments, it.variables, options);
  if (failed(results))
    return "wrong: the evaluation fails";
  return compareOutputs(it, *results, 1e-5);
}
