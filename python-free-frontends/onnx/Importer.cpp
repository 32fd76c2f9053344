//===- Importer.cpp - Values and nodes during an import -------------------===//

#include "Importer.h"
#include "llvm/Support/GlobPattern.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

Shape onnx::lastOrder(int64_t rank) {
  Shape order = {0};
  for (int64_t d = 2; d < rank; ++d)
    order.push_back(d);
  order.push_back(1);
  return order;
}

/// The order that undoes another one.
static Shape inverse(llvm::ArrayRef<int64_t> order) {
  Shape result(order.size());
  for (size_t k = 0; k < order.size(); ++k)
    result[order[k]] = k;
  return result;
}

Tensor onnx::permute(const Tensor &x, llvm::ArrayRef<int64_t> order) {
  if (!x)
    return x;
  int64_t before = -1;
  bool isMoving = false, isSame = true;
  Shape shape;
  for (auto [k, d] : llvm::enumerate(order)) {
    shape.push_back(x.dim(d));
    isSame &= int64_t(k) == d;
    if (x.dim(d) == 1)
      continue;
    isMoving |= d < before;
    before = d;
  }
  if (isSame)
    return x;
  return isMoving ? nn::transpose(x, order) : nn::reshape(x, shape);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

onnx::Value &Importer::value(std::string_view name) {
  onnx::Value *&found = byName[llvm::StringRef(name.data(), name.size())];
  if (!found) {
    values.emplace_back();
    found = &values.back();
    found->name = name;
  }
  return *found;
}

void Importer::readOrigin(const onnx::Model &model) {
  isFromPyTorch = model.producer.substr(0, 7) == "pytorch";
  auto sizeOf = [](const TensorMessage &tensor) {
    int64_t count = countOf(tensor.dims).value_or(0);
    return onnx::isReal(tensor.type) && count > 1 ? double(count) : 0.0;
  };
  double initializers = 0, nodes = 0;
  for (const TensorMessage &tensor : model.graph.initializers) {
    initializers += sizeOf(tensor);
    if (Weight *weight = value(tensor.name).weight)
      weight->isInitializer = true;
  }
  for (const Node &node : model.graph.nodes)
    for (const Attribute &attribute : node.attributes)
      if (node.op == "Constant" && attribute.tensor)
        nodes += sizeOf(*attribute.tensor);
  // Few exporters write weights as nodes. In files of others, these are numbers
  // of the network's code.
  nodesHoldWeights = !isFromPyTorch && nodes >= initializers;
}

bool Importer::isNamed(const Weight &weight) const {
  // PyTorch makes up names such as "onnx::MatMul_7".
  return isFromPyTorch && weight.isInitializer &&
         !llvm::StringRef(weight.name).starts_with("onnx::");
}

bool Importer::isNumber(const onnx::Value &value) const {
  return countOf(value.shape).value_or(0) == 1 &&
         (value.constant || (value.weight && !isNamed(*value.weight)));
}

Weight &Importer::addWeight(onnx::Value &value) {
  weights.emplace_back();
  weights.back().name = value.name;
  weights.back().shape = value.shape;
  value.weight = &weights.back();
  return weights.back();
}

void Importer::renew(onnx::Value &value, size_t axis, int64_t extent,
                     std::optional<double> bound) {
  value.shape[axis] = extent;
  value.type = TensorElement::Float;
  Weight &weight = addWeight(value);
  weight.isInitializer = true;
  weight.bound = bound;
}

TensorElement Importer::computedType(TensorElement type) {
  if (!onnx::isReal(type) || type == TensorElement::Float)
    return type;
  note("numbers of " + nameOf(type) + " are float in the model");
  return TensorElement::Float;
}

bool Importer::define(onnx::Value &value, const TensorMessage &tensor) {
  value.fileType = tensor.type;
  if (onnx::isReal(tensor.type) && countOf(tensor.dims)) {
    value.isGood = true;
    value.type = computedType(tensor.type);
    value.shape = tensor.dims;
    addWeight(value).message = &tensor;
    return true;
  }
  std::string error;
  std::optional<Elements> elements = decode(tensor, &file, error);
  if (!elements) {
    refuse("'" + value.name + "' is not read: " + error);
    return false;
  }
  value.isGood = true;
  value.type = elements->type;
  value.shape = elements->shape;
  value.constant = std::make_shared<Elements>(std::move(*elements));
  return true;
}

void Importer::refuse(const std::string &reason) {
  std::string op;
  if (node)
    op = (node->domain.empty() || node->domain == "ai.onnx"
              ? ""
              : std::string(node->domain) + ".") +
         std::string(node->op);
  for (Refusal &known : imported.refusals)
    if (known.op == op && known.reason == reason) {
      ++known.nodes;
      return;
    }
  imported.refusals.push_back({op, nodeName, reason, 1});
}

void Importer::setLast(const std::string &input) {
  for (TensorFacts &facts : imported.facts.inputs)
    facts.isLast |= facts.name == input;
}

void Importer::setConstant(const std::string &input) {
  for (TensorFacts &facts : imported.facts.inputs)
    facts.isConstant |= facts.name == input;
}

void Importer::setUnbound(const std::string &input) {
  if (!llvm::is_contained(imported.unbound, input))
    imported.unbound.push_back(input);
}

bool Importer::mayTrain() {
  bool may = options.loss != Loss::None || options.inspects;
  if (!may)
    refuse("it is in training mode; import with a loss");
  else if (options.loss == Loss::None)
    note("the file is in training mode, which 'import' takes with --loss");
  return may;
}

std::string Importer::batchHint() const {
  return batch == fileBatch
             ? ""
             : "; the file fixes a batch of " + std::to_string(fileBatch) +
                   ", and constants in it do not follow " +
                   std::to_string(batch) +
                   ": export the file with an open batch (dynamic_axes), or "
                   "keep its batch";
}

bool Importer::isZeroState(onnx::Value &value) {
  if (!value.weight || !states.contains(value.weight->name) ||
      value.weight->bound || isNamed(*value.weight))
    return false;
  if (!value.weight->message)
    return value.weight->splat == 0;
  auto elements = constantOf(value);
  return elements &&
         llvm::all_of(elements->reals, [](float x) { return x == 0; });
}

bool Importer::follow(onnx::Value &value, size_t d) {
  Weight *weight = value.weight;
  if (weight && !weight->message && !weight->isDeclared && !weight->bound) {
    value.shape[d] = weight->shape[d] = batch;
    value.constant = nullptr;
    return true;
  }
  auto elements =
      weight && isZeroState(value) ? constantOf(value) : value.constant;
  if (!elements)
    return false;
  std::optional<Elements> made = withSamples(*elements, d, batch);
  if (!made || !spend(*made))
    return false;
  value.weight = nullptr;
  value.shape = made->shape;
  value.constant = std::make_shared<const Elements>(std::move(*made));
  value.plain.reset();
  value.last.reset();
  return true;
}

void Importer::followAll(llvm::ArrayRef<onnx::Value *> inputs,
                         std::optional<size_t> except) {
  // Samples of a file of one broadcast anyway.
  if (batch == fileBatch || fileBatch == 1)
    return;
  for (onnx::Value *value : inputs)
    for (size_t d = 0; d < value->shape.size(); ++d) {
      size_t fromLast = value->shape.size() - d;
      bool isOther = llvm::any_of(inputs, [&](const onnx::Value *other) {
        return other->shape.size() >= fromLast &&
               other->shape[other->shape.size() - fromLast] == batch;
      });
      if (isOther && d != except && value->shape[d] == fileBatch)
        (void)follow(*value, d);
    }
}

size_t Importer::refusals() const {
  size_t count = 0;
  for (const Refusal &refusal : imported.refusals)
    count += refusal.nodes;
  return count;
}

void Importer::note(const std::string &text) {
  if (!llvm::is_contained(imported.notes, text))
    imported.notes.push_back(text);
}

Tensor Importer::missing() { return Tensor(*trace, nullptr); }

bool Importer::spend(const Elements &elements) {
  spent += elements.size();
  if (spent <= kMostComputed)
    return true;
  refuse("its constants, with those before, have more than " +
         std::to_string(kMostComputed) + " elements");
  return false;
}

Tensor Importer::emitConstant(const Elements &elements) {
  if (!spend(elements))
    return missing();
  Builder &builder = trace->getBuilder();
  DenseElementsAttr attribute;
  if (onnx::isReal(elements.type)) {
    auto type =
        RankedTensorType::get(elements.shape, Type(builder.getF32Type()));
    attribute = DenseElementsAttr::get(type, llvm::ArrayRef(elements.reals));
  } else {
    unsigned width = elements.type == TensorElement::Bool    ? 1
                     : elements.type == TensorElement::Int32 ? 32
                                                             : 64;
    auto type = RankedTensorType::get(elements.shape,
                                      Type(builder.getIntegerType(width)));
    llvm::SmallVector<llvm::APInt> integers;
    for (int64_t value : elements.integers)
      integers.push_back(llvm::APInt(width, static_cast<uint64_t>(value),
                                     /*isSigned=*/true,
                                     /*implicitTrunc=*/true));
    attribute = DenseElementsAttr::get(type, integers);
  }
  return Tensor(*trace,
                sg::ConstantOp::create(trace->getBuilder(),
                                       trace->getLocation(), attribute));
}

Tensor Importer::plain(onnx::Value &value) {
  if (value.plain)
    return *value.plain;
  if (!value.isGood)
    return missing();
  if (value.constant) {
    bool isTyped = onnx::isReal(value.type) ||
                   value.type == TensorElement::Bool ||
                   value.type == TensorElement::Int32 ||
                   value.type == TensorElement::Int64;
    if (!isTyped || value.constant->size() == 0) {
      refuse("'" + value.name + "' is a constant of " + nameOf(value.type) +
             " " + textOf(value.shape));
      return missing();
    }
    return *(value.plain = emitConstant(*value.constant));
  }
  if (value.weight && value.shape.empty() && isNumber(value)) {
    auto number = constantOf(value);
    return number ? emitConstant(*number) : missing();
  }
  if (value.weight) {
    Shape order(value.rank());
    for (size_t k = 0; k < order.size(); ++k)
      order[k] = k;
    return read(value, order);
  }
  Tensor tensor = permute(*value.last, inverse(lastOrder(value.rank())));
  value.plain = tensor;
  return tensor;
}

Tensor Importer::last(onnx::Value &value) {
  if (value.rank() < 3)
    return plain(value);
  if (value.last)
    return *value.last;
  if (!value.isGood)
    return missing();
  if (value.weight && !value.plain)
    return read(value, lastOrder(value.rank()));
  Tensor tensor = permute(plain(value), lastOrder(value.rank()));
  if (tensor)
    value.last = tensor;
  return tensor;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

std::optional<Elements> Importer::elementsOf(const Weight &weight,
                                             std::string &error) {
  if (weight.message)
    return decode(*weight.message, &file, error);
  if (*countOf(weight.shape) > kMostComputed) {
    error = "it repeats a number " + std::to_string(*countOf(weight.shape)) +
            " times";
    return std::nullopt;
  }
  Elements elements{TensorElement::Float, weight.shape, {}, {}};
  elements.reals.assign(*countOf(weight.shape), weight.splat);
  return elements;
}

std::shared_ptr<const Elements> Importer::constantOf(onnx::Value &value) {
  if (value.constant || !value.weight)
    return value.constant;
  std::string error;
  std::optional<Elements> elements = elementsOf(*value.weight, error);
  if (!elements) {
    refuse("'" + value.name + "' is not read: " + error);
    return nullptr;
  }
  return std::make_shared<Elements>(std::move(*elements));
}

std::string Importer::newName(const std::string &wanted) {
  std::string name = wanted;
  if (name.empty() || name.size() > kMaxNameBytes - 16 ||
      llvm::StringRef(name).starts_with("rng."))
    name = "onnx." + std::to_string(variableNames.size());
  unsigned uses = variableNames[name]++;
  return uses ? newName(name + "." + std::to_string(uses + 1)) : name;
}

void Importer::checkFreeze() {
  for (const std::string &pattern : options.freeze)
    if (!matched.contains(pattern))
      refuse("--freeze: no parameter matches '" + pattern + "'");
}

bool Importer::isFrozen(const Weight &weight, const Elements *elements) {
  bool isMatched = false;
  for (const std::string &pattern : options.freeze) {
    auto glob = llvm::GlobPattern::create(pattern);
    if (!glob) {
      llvm::consumeError(glob.takeError());
      continue;
    }
    if (!glob->match(weight.name))
      continue;
    isMatched = true;
    matched.insert(pattern);
  }
  if (isMatched)
    return true;
  if (states.contains(weight.name) && !weight.bound && !isNamed(weight) &&
      (elements ? llvm::all_of(elements->reals, [](float x) { return x == 0; })
                : weight.splat == 0))
    return true;
  // A mask of attention: learned numbers are not so large.
  auto isOfMask = [](float x) { return !std::isfinite(x) || x <= -1e4f; };
  return elements ? llvm::any_of(elements->reals, isOfMask)
                  : !weight.message && !weight.bound && isOfMask(weight.splat);
}

/// Returns elements with their dimensions in another order.
static std::vector<float> reorder(const Elements &elements,
                                  llvm::ArrayRef<int64_t> order) {
  size_t rank = order.size();
  Shape strides(rank, 1);
  for (size_t k = rank; k-- > 1;)
    strides[k - 1] = strides[k] * elements.shape[k];
  std::vector<float> result;
  result.reserve(elements.reals.size());
  Shape index(rank, 0);
  int64_t at = 0;
  for (size_t n = 0; n < elements.reals.size(); ++n) {
    result.push_back(elements.reals[at]);
    for (size_t k = rank; k-- > 0;) {
      at += strides[order[k]];
      if (++index[k] < elements.shape[order[k]])
        break;
      at -= strides[order[k]] * index[k];
      index[k] = 0;
    }
  }
  return result;
}

bool Importer::declare(Weight &weight, onnx::Value &value,
                       llvm::ArrayRef<int64_t> order, sg::Role role) {
  std::string error;
  std::optional<Elements> elements;
  // The first of two imports only reads shapes.
  if (weight.message && !batches.isProbe) {
    elements = elementsOf(weight, error);
    if (!elements) {
      refuse("'" + weight.name + "' is not read: " + error);
      return false;
    }
  }
  weight.isDeclared = true;
  weight.order.assign(order.begin(), order.end());
  if (role == sg::Role::Parameter && !weight.isInitializer && !weight.bound &&
      !nodesHoldWeights) {
    weight.isConstant = true;
    return true;
  }
  if (role == sg::Role::Parameter &&
      isFrozen(weight, elements ? &*elements : nullptr)) {
    weight.isConstant = true;
    note("'" + weight.name + "' stays constant");
    return true;
  }
  nn::VariableSpec spec;
  spec.name = weight.variable = newName(weight.name);
  spec.role = role;
  for (int64_t d : order)
    spec.shape.push_back(weight.shape[d]);
  Shape permutation = inverse(order);
  if (!llvm::is_sorted(permutation))
    spec.filePermutation.assign(permutation.begin(), permutation.end());
  if (elements) {
    spec.init = sg::InitKind::Elements;
    spec.elements = reorder(*elements, order);
  } else if (weight.bound) {
    spec.init = sg::InitKind::Uniform;
    spec.initParameter = *weight.bound;
  } else {
    spec.init = sg::InitKind::Constant;
    spec.initParameter = weight.splat;
  }
  trace->declare(spec);
  imported.parameters.push_back(
      {spec.name, weight.shape, role == sg::Role::RunningStatistics});
  return true;
}

Tensor Importer::read(onnx::Value &value, llvm::ArrayRef<int64_t> order,
                      sg::Role role) {
  Weight &weight = *value.weight;
  if (*countOf(weight.shape) == 0) {
    refuse("'" + weight.name + "' has no elements");
    return missing();
  }
  if (!weight.isDeclared && !declare(weight, value, order, role))
    return missing();
  if (weight.isConstant) {
    auto elements = constantOf(value);
    if (!elements)
      return missing();
    Elements moved{TensorElement::Float, {}, reorder(*elements, order), {}};
    for (int64_t d : order)
      moved.shape.push_back(weight.shape[d]);
    return emitConstant(moved);
  }
  Tensor tensor = trace->read(weight.variable);
  // The moves lead from the variable's order to the wanted one.
  Shape from = inverse(weight.order), moves;
  for (int64_t d : order)
    moves.push_back(from[d]);
  return permute(tensor, moves);
}

std::optional<std::string> Importer::declareStatistic(onnx::Value &value) {
  Weight copy = *value.weight;
  copy.isDeclared = false;
  if (!declare(copy, value, {0}, sg::Role::RunningStatistics))
    return std::nullopt;
  return copy.variable;
}
