//===- Import.cpp - ONNX files as models ----------------------------------===//
//
// Input:   a file, shapes for its inputs, a loss.
// Output:  a module of sg; or refusals, all of them, and no module.
// Method:  the nodes run in the file's order, each by its op's function. After
//          a refusal, the node's results are unknown, and nodes that read them
//          are only looked up in the table of ops.
//
//===----------------------------------------------------------------------===//

#include "reprise/Onnx/Import.h"
#include "Blocks.h"
#include "Head.h"
#include "Importer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/NN/Graph.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

static constexpr int64_t kOldestOpset = 6, kNewestOpset = 22;

static const OpEntry kOps[] = {
#define ONNX_OP(DOMAIN, NAME, FIRST, LAST, FUNCTION)                           \
  {DOMAIN, #NAME, FIRST, LAST, FUNCTION},
#include "Ops.def"
#undef ONNX_OP
};

const OpEntry *onnx::findOp(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx")
    domain = "";
  for (const OpEntry &entry : kOps)
    if (entry.domain == domain && entry.name == name)
      return &entry;
  return nullptr;
}

std::vector<SupportedOp> onnx::supportedOps() {
  std::vector<SupportedOp> ops;
  for (const OpEntry &entry : kOps) {
    std::string domain = entry.domain;
    ops.push_back({domain.empty() ? entry.name : domain + "." + entry.name,
                   entry.first, entry.last});
  }
  return ops;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

namespace {
/// A part of the network named after a node, so that ops have its path.
class Step : public nn::Module {
public:
  std::function<void()> body;

protected:
  nn::Tensors forward(llvm::ArrayRef<Tensor>) override {
    body();
    return {};
  }
};

/// Facts that one import of a file tells the next.
struct Known {
  /// The shape of the targets of a loss that takes no labels of samples;
  /// without it, there is no such loss.
  std::optional<Shape> targets;
  BatchShapes batches;
  /// True if the file leaves extents open, and if stand-ins replace them.
  bool hasOpen = false, standsIn = false;
};

class Network : public nn::Graph {
public:
  Network(const onnx::Model &model, const ImportOptions &options,
          ModelFile &file, Imported &imported, Known &known);

  void checkFreeze() { importer.checkFreeze(); }
  /// Forms blocks of the emitted network; returns their number.
  size_t formBlocks(func::FuncOp function) const {
    return onnx::formBlocks(function, graph, ends, importer.options.annotate);
  }
  /// The shape of the targets that the loss takes, unless it takes a label for
  /// each sample.
  const std::optional<Shape> &targetShape() const { return targets; }

protected:
  std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) override;

private:
  void declareInputs();
  void declareInput(const ValueInfo &info, bool isLast);
  void bindInput(const ValueInfo &info, onnx::Value &value);
  void checkFile();
  std::optional<Shape> shapeOf(const ValueInfo &info);
  void importNode(const Node &node);
  int64_t opsetOf(const Node &node) const;
  bool checkInputs(NodeImport &node);
  std::vector<Output> outputs(const Tensor *labels);

  const onnx::Model &model;
  const onnx::Graph &graph;
  Known &known;
  Importer importer;
  Head head;
  bool hasLabels = false;
  std::optional<Shape> targets;
  struct In {
    const ValueInfo *info;
    bool isLast;
  };
  std::vector<In> ins;
  std::vector<std::shared_ptr<Step>> steps;
  /// The last op of the function after each node; null before the first one.
  std::vector<Operation *> ends;
};
} // namespace

/// The path of a node: the module of its weights as exporters write it, else
/// its name.
static std::string pathOf(const Node &node, const llvm::StringSet<> &weights,
                          size_t index) {
  for (std::string_view input : node.inputs) {
    llvm::StringRef name(input.data(), input.size());
    size_t dot = name.rfind('.');
    if (weights.contains(name) && dot != llvm::StringRef::npos && dot > 0)
      return name.substr(0, dot).str();
  }
  llvm::StringRef name(node.name.data(), node.name.size());
  name = name.trim('/');
  if (!name.empty() && name.size() < kMaxNameBytes)
    return name.str();
  return std::string(node.op.substr(0, 64)) + "_" + std::to_string(index);
}

Network::Network(const onnx::Model &model, const ImportOptions &options,
                 ModelFile &file, Imported &imported, Known &known)
    : Graph("main"), model(model), graph(model.graph), known(known),
      importer(options, file, imported, known.batches), head(graph, importer) {
  checkFile();
  declareInputs();
  head.find();
  if (head.isTraining() &&
      importer.value(options.label).type != TensorElement::Undefined)
    importer.refuse("an input is named '" + options.label +
                    "'; name that of the labels: --label NAME");
  hasLabels = head.isTraining() &&
              (options.loss == Loss::CrossEntropy || known.targets);
  if (hasLabels && known.targets)
    input(options.label, *known.targets,
          options.loss == Loss::CrossEntropy ? ElementType::I32
                                             : ElementType::F32);
  else if (hasLabels)
    input(options.label, {importer.batch}, ElementType::I32,
          sg::BindingRole::Label);
  llvm::StringSet<> weights;
  for (const TensorMessage &tensor : graph.initializers)
    weights.insert(llvm::StringRef(tensor.name.data(), tensor.name.size()));
  for (auto [k, node] : llvm::enumerate(graph.nodes)) {
    steps.push_back(std::make_shared<Step>());
    registerModule(pathOf(node, weights, k), steps.back());
  }
}

void Network::checkFile() {
  int64_t opset = 0;
  for (auto [domain, version] : model.opsets)
    if (domain.empty() || domain == "ai.onnx")
      opset = version;
  importer.fileOpset = opset;
  if (opset < kOldestOpset || opset > kNewestOpset)
    importer.refuse("the file is of opset " + std::to_string(opset) +
                    "; opsets 6 to 22 are supported");
  if (model.functions)
    importer.refuse("functions of the file (" +
                    std::to_string(model.functions) + ") are not supported");
  if (model.trainingGraphs)
    importer.refuse("training graphs of the file are not supported");
  if (graph.sparseInitializers)
    importer.refuse("sparse initializers are not supported");
  auto isInput = [&](const std::string &name) {
    return llvm::any_of(graph.inputs, [&](const ValueInfo &input) {
      return input.name == name;
    });
  };
  for (const auto &[name, shape] : importer.options.shapes)
    if (!isInput(name))
      importer.refuse("--input: there is no input '" + name + "'");
  for (const auto &[name, numbers] : importer.options.values)
    if (!isInput(name))
      importer.refuse("--value: there is no input '" + name + "'");
  for (const Node &node : graph.nodes)
    for (std::string_view name : node.inputs)
      if (!name.empty())
        importer.markRead(name);
  for (const ValueInfo &info : graph.outputs)
    importer.markRead(info.name);
  importer.markConstants(graph);
  if (graph.outputs.empty())
    importer.refuse("the graph has no outputs");
}

int64_t Network::opsetOf(const Node &node) const {
  std::string_view domain = node.domain == "ai.onnx" ? "" : node.domain;
  for (auto [known, version] : model.opsets)
    if ((known == "ai.onnx" ? "" : known) == domain)
      return version;
  return 1;
}

bool Network::checkInputs(NodeImport &node) {
  if (!node.has(0) && node.node.op != "Constant")
    return node.refuse("its first input is missing");
  for (std::string_view output : node.node.outputs)
    if (!output.empty() &&
        importer.value(output).type != TensorElement::Undefined)
      return node.refuse("'" + std::string(output) +
                         "' has another origin, too");
  // Opset 6 gives the axis of a broadcast that is not the last one.
  if (node.opset < 7 && node.find("axis") && node.integer("broadcast", 0))
    return node.refuse("a broadcast along an axis is not supported");
  for (size_t k = 0; k < node.inputs(); ++k) {
    if (!node.has(k))
      continue;
    onnx::Value &value = node.in(k);
    if (!value.isGood && value.type == TensorElement::Undefined) {
      return node.refuse("'" + value.name +
                         "' is read, but no earlier node computes it");
    }
    if (!value.isGood)
      return false; // refused where it is computed
  }
  return true;
}

void Network::importNode(const Node &node) {
  NodeImport current(importer, node, opsetOf(node));
  bool isDone = false;
  const OpEntry *entry = findOp(node.domain, node.op);
  if (!entry) {
    bool hasGraphs = llvm::any_of(
        node.attributes, [](const onnx::Attribute &a) { return a.graphs > 0; });
    importer.refuse(hasGraphs ? "control flow is not supported"
                              : "the op is not supported");
  } else if (current.opset > entry->last) {
    importer.refuse("version " + std::to_string(current.opset) +
                    " of the op is not supported; the last known one is " +
                    std::to_string(entry->last));
  } else if (node.outputs.empty()) {
    importer.refuse("it has no outputs");
  } else if (checkInputs(current)) {
    current.opset = std::max(current.opset, entry->first);
    // Inference of a result reports shapes that do not fit.
    std::string reason;
    ScopedDiagnosticHandler collect(
        importer.trace->getBuilder().getContext(), [&](Diagnostic &d) {
          if (d.getSeverity() == DiagnosticSeverity::Error && reason.empty())
            reason = d.str();
          return success();
        });
    size_t refusals = importer.refusals();
    isDone = head.isCut(node) ? current.alias(0, current.in(0))
                              : fold(current) || entry->function(current);
    if (!isDone && importer.refusals() == refusals)
      importer.refuse(reason.empty() ? "its inputs do not fit" : reason);
  }
  if (isDone)
    return;
  for (std::string_view name : node.outputs)
    if (!name.empty())
      importer.value(name).type = TensorElement::Float; // computed, but unknown
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Extents in place of open ones, to count the parameters of a file.
static constexpr int64_t kSamplesStandIn = 2, kExtentStandIn = 224;

std::optional<Shape> Network::shapeOf(const ValueInfo &info) {
  std::string name(info.name);
  auto given = importer.options.shapes.find(name);
  Shape shape;
  if (given != importer.options.shapes.end()) {
    shape = given->second;
    if (info.hasShape && shape.size() != info.shape.size()) {
      importer.refuse("input '" + name + "' has rank " +
                      std::to_string(info.shape.size()) + ", but " +
                      std::to_string(shape.size()) + " extents were given");
      return std::nullopt;
    }
    return shape;
  }
  if (!info.hasShape) {
    importer.refuse("input '" + name +
                    "' has no shape; give one: --input NAME=SHAPE");
    return std::nullopt;
  }
  llvm::SmallVector<std::string> open;
  for (auto [d, extent] : llvm::enumerate(info.shape)) {
    bool isFixed = extent.value && *extent.value > 0;
    if (d == 0 && importer.options.batch)
      shape.push_back(*importer.options.batch);
    else
      shape.push_back(isFixed  ? *extent.value
                      : d == 0 ? kSamplesStandIn
                               : kExtentStandIn);
    if (!isFixed && (d > 0 || !importer.options.batch))
      open.push_back(std::to_string(d));
  }
  if (open.empty() || known.standsIn)
    return shape;
  known.hasOpen = true;
  bool isBatch = open.size() == 1 && open.front() == "0";
  importer.refuse((open.size() == 1 ? "extent " : "extents ") +
                  llvm::join(open, ", ") + " of input '" + name + "' (" +
                  onnx::textOf(info) + (open.size() == 1 ? ") is" : ") are") +
                  " not fixed; give " + (isBatch ? "--batch N or " : "") +
                  "--input NAME=SHAPE");
  return std::nullopt;
}

/// Makes an input a constant of the numbers that options give.
void Network::bindInput(const ValueInfo &info, onnx::Value &value) {
  const std::vector<double> &numbers = importer.options.values.at(value.name);
  int64_t count = numbers.size();
  Elements elements{value.type, {count}, {}, {}};
  auto given = importer.options.shapes.find(value.name);
  if (given != importer.options.shapes.end())
    elements.shape = given->second;
  else if (info.hasShape)
    elements.shape.clear();
  if (given == importer.options.shapes.end())
    for (const Extent &extent : info.shape)
      elements.shape.push_back(extent.value.value_or(count));
  if (elements.shape.size() > 1 || countOf(elements.shape) != count)
    return importer.refuse("input '" + value.name + "' (" + onnx::textOf(info) +
                           ") is no number or vector of " +
                           std::to_string(count) + " numbers");
  for (double number : numbers)
    if (onnx::isReal(info.type))
      elements.reals.push_back(static_cast<float>(number));
    else
      elements.integers.push_back(static_cast<int64_t>(number));
  value.isGood = true;
  value.shape = elements.shape;
  value.constant = std::make_shared<Elements>(std::move(elements));
  importer.setConstant(value.name);
}

void Network::declareInput(const ValueInfo &info, bool isLast) {
  onnx::Value &value = importer.value(info.name);
  value.fileType = info.type;
  value.type = info.type; // known to exist, even if it is refused
  std::string name(info.name);
  if (info.isTensor)
    value.type = importer.computedType(info.type);
  if (info.isTensor && importer.options.values.count(name))
    return bindInput(info, value);
  std::optional<Shape> shape = shapeOf(info);
  if (shape && !shape->empty() && known.batches.isProbe) {
    if (importer.batch == 0)
      known.batches.replaced = shape->front();
    if (shape->front() == known.batches.replaced)
      shape->front() = BatchShapes::kProbe;
  }
  ElementType element = ElementType::F32;
  if (info.type == TensorElement::Int32)
    element = ElementType::I32;
  else if (info.type == TensorElement::Int64)
    element = ElementType::I64;
  else if (info.type == TensorElement::Bool)
    element = ElementType::I1;
  else if (!onnx::isReal(info.type) || !info.isTensor) {
    importer.refuse("input '" + name + "' is " + onnx::textOf(info) +
                    "; floating types, int32, int64 and bool are supported");
    shape.reset();
  }
  if (!shape)
    return;
  if (llvm::any_of(*shape, [](int64_t extent) {
        return extent < 1 || extent > INT32_MAX;
      })) {
    importer.refuse("input '" + name + "' has the shape " +
                    onnx::textOf(*shape) + "; extents are 1 to 2147483647");
    return;
  }
  value.isGood = value.isInput = true;
  value.shape = *shape;
  if (importer.batch == 0 && !shape->empty()) {
    importer.batch = shape->front();
    importer.fileBatch = info.hasShape
                             ? info.shape.front().value.value_or(importer.batch)
                             : importer.batch;
  }
  Shape declared = *shape;
  if (isLast) {
    declared.clear();
    for (int64_t d : lastOrder(shape->size()))
      declared.push_back((*shape)[d]);
    importer.setLast(name);
    importer.note("input '" + name + "' has its channels last: samples of " +
                  onnx::textOf(Shape(declared.begin() + 1, declared.end())));
  }
  input(name, declared, element);
  ins.push_back({&info, isLast});
}

void Network::declareInputs() {
  for (const TensorMessage &tensor : graph.initializers)
    importer.define(importer.value(tensor.name), tensor);
  importer.readOrigin(model);
  for (const ValueInfo &info : graph.inputs) {
    const onnx::Value &value = importer.value(info.name);
    // Older exporters repeat initializers as inputs.
    if (value.isGood || value.type != TensorElement::Undefined)
      continue;
    size_t rank =
        importer.options.shapes.count(std::string(info.name))
            ? importer.options.shapes.at(std::string(info.name)).size()
            : info.shape.size();
    bool isLast = rank >= 3 && rank <= 5 && info.type == TensorElement::Float &&
                  readsImages(graph, info);
    declareInput(info, isLast);
  }
  importer.batch = std::max<int64_t>(importer.batch, 1);
  importer.fileBatch = std::max<int64_t>(importer.fileBatch, 1);
  if (!ins.empty())
    return;
  if (importer.refusals() == 0)
    importer.refuse("the graph has no inputs");
  // The nodes are looked up all the same, in a trace that begins with an input.
  input("", {1});
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

std::vector<Network::Output> Network::outputs(const Tensor *labels) {
  std::vector<Output> outputs;
  for (const ValueInfo &info : graph.outputs) {
    onnx::Value &value = importer.value(info.name);
    std::string name(info.name);
    if (!value.isGood && value.type == TensorElement::Undefined)
      importer.refuse("no node computes output '" + name + "'");
    if (!value.isGood)
      continue;
    if (head.isTraining() && info.name != head.outputName()) {
      if (!head.outputName().empty())
        importer.note("output '" + name +
                      "' is left out: the loss does not read it");
      continue;
    }
    if (head.isTraining())
      targets = head.targetsOf(value);
    if (labels && targets == known.targets)
      llvm::append_range(outputs, head.outputs(value, *labels));
    else
      outputs.push_back({name, importer.plain(value), sg::BindingRole::Data});
  }
  return outputs;
}

std::vector<Network::Output> Network::build(llvm::ArrayRef<Tensor> inputs) {
  importer.trace = &inputs.front().getTrace();
  for (auto [in, tensor] : llvm::zip(ins, inputs)) {
    onnx::Value &value = importer.value(in.info->name);
    (in.isLast ? value.last : value.plain) = tensor;
  }
  for (auto [step, node] : llvm::zip(steps, graph.nodes)) {
    importer.node = &node;
    importer.nodeName = node.name.empty() && !node.outputs.empty()
                            ? "of '" + std::string(node.outputs[0]) + "'"
                            : std::string(node.name);
    step->body = [this, &node = node] { importNode(node); };
    importer.trace->call(*step, {});
    Block *block = importer.trace->getBuilder().getInsertionBlock();
    ends.push_back(block->empty() ? nullptr : &block->back());
  }
  importer.node = nullptr;
  importer.nodeName.clear();
  return outputs(hasLabels ? &inputs.back() : nullptr);
}

/// Builds a model. A loss that needs targets is left out if their shape is not
/// known; it becomes known.
static Imported build(MLIRContext &context, const onnx::Model &model,
                      const ImportOptions &options, ModelFile &file,
                      Known &known) {
  Imported imported;
  imported.facts = factsOf(model);
  Network network(model, options, file, imported, known);
  std::string reason;
  {
    ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
          reason.empty())
        reason = diagnostic.str();
      return success();
    });
    imported.module = network.emit(context);
  }
  if (!imported.module && imported.refusals.empty())
    imported.refusals.push_back(
        {"", "", reason.empty() ? "the graph is not a model" : reason, 1});
  if (imported.refusals.empty() && !known.batches.isProbe)
    network.checkFreeze();
  if (!imported.refusals.empty())
    imported.module = nullptr;
  if (imported.module)
    imported.blocks =
        network.formBlocks(*imported.module->getOps<func::FuncOp>().begin());
  known.targets = network.targetShape();
  return imported;
}

/// True if options give an input another batch than the file does.
static bool changesBatch(const onnx::Graph &graph,
                         const ImportOptions &options) {
  return llvm::any_of(graph.inputs, [&](const ValueInfo &info) {
    auto given = options.shapes.find(std::string(info.name));
    std::optional<int64_t> batch = options.batch;
    if (given != options.shapes.end() && !given->second.empty())
      batch = given->second.front();
    return batch && !info.shape.empty() && info.shape.front().value &&
           *info.shape.front().value != *batch;
  });
}

/// Lists the parameters of a file that leaves extents open.
static void countParameters(MLIRContext &context, const onnx::Model &model,
                            const ImportOptions &options, ModelFile &file,
                            Imported &imported) {
  Known known;
  known.standsIn = true;
  Imported counted = build(context, model, options, file, known);
  imported.parameters = counted.parameters;
  if (!counted.module)
    imported.notes.push_back("more parameters may follow where the open "
                             "extents decide");
}

std::optional<Imported> onnx::importModel(MLIRContext &context,
                                          const std::string &path,
                                          const ImportOptions &options,
                                          std::string &error) {
  std::unique_ptr<ModelFile> file = ModelFile::open(path, error);
  if (!file) {
    error = "cannot read '" + path + "': " + error;
    return std::nullopt;
  }
  std::optional<onnx::Model> model = readModel(file->bytes(), error);
  if (model && !model->hasGraph)
    error = "it has no graph";
  if (!error.empty()) {
    error = "'" + path + "' is no ONNX file: " + error;
    return std::nullopt;
  }
  Known known;
  if (changesBatch(model->graph, options)) {
    Known first;
    first.batches.isProbe = true;
    build(context, *model, options, *file, first);
    known.batches = std::move(first.batches);
    known.batches.isProbe = false;
  }
  Imported imported = build(context, *model, options, *file, known);
  if (known.targets && imported.module)
    imported = build(context, *model, options, *file, known);
  if (options.inspects && known.hasOpen)
    countParameters(context, *model, options, *file, imported);
  return imported;
}
