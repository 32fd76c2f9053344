//===- NodeImport.cpp - A node, its attributes and values -----------------===//

#include "Importer.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

const onnx::Attribute *NodeImport::find(std::string_view name) const {
  for (const onnx::Attribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

int64_t NodeImport::integer(std::string_view name, int64_t otherwise) const {
  const onnx::Attribute *attribute = find(name);
  return attribute ? attribute->integer : otherwise;
}

double NodeImport::number(std::string_view name, double otherwise) const {
  const onnx::Attribute *attribute = find(name);
  return attribute ? double(attribute->number) : otherwise;
}

std::string NodeImport::text(std::string_view name,
                             std::string otherwise) const {
  const onnx::Attribute *attribute = find(name);
  return attribute ? std::string(attribute->text) : otherwise;
}

std::optional<Shape> NodeImport::integers(std::string_view name) const {
  const onnx::Attribute *attribute = find(name);
  return attribute ? std::optional<Shape>(attribute->integers) : std::nullopt;
}

std::shared_ptr<const Elements> NodeImport::constant(size_t k) {
  onnx::Value &value = in(k);
  if (value.isInput) {
    importer.setUnbound(value.name);
    refuse("input " + std::to_string(k) +
           " must be a constant, but is the graph's input '" + value.name +
           "'; give its numbers: --value NAME=NUMBERS");
    return nullptr;
  }
  if (value.isGood && !value.constant && !value.weight) {
    refuse("input " + std::to_string(k) +
           " must be a constant of the file, but is computed");
    return nullptr;
  }
  return importer.constantOf(value);
}

static double firstOf(const Elements &elements) {
  return onnx::isReal(elements.type) ? elements.reals[0]
                                     : double(elements.integers[0]);
}

std::optional<double> NodeImport::number(size_t k) {
  auto elements =
      importer.isNumber(in(k)) ? importer.constantOf(in(k)) : nullptr;
  return elements ? std::optional(firstOf(*elements)) : std::nullopt;
}

std::optional<double> NodeImport::requiredNumber(size_t k) {
  auto elements = constant(k);
  if (!elements)
    return std::nullopt;
  if (elements->size() == 1)
    return firstOf(*elements);
  refuse("input " + std::to_string(k) + " is not one number");
  return std::nullopt;
}

std::optional<Shape> NodeImport::integersOf(std::string_view name, size_t k,
                                            bool &given) {
  given = true;
  if (auto attribute = integers(name))
    return attribute;
  given = has(k);
  if (!given)
    return Shape();
  auto elements = constant(k);
  if (!elements)
    return std::nullopt;
  if (!isInteger(elements->type)) {
    refuse("input " + std::to_string(k) + " must be integers, but is " +
           nameOf(elements->type));
    return std::nullopt;
  }
  return Shape(elements->integers);
}

std::optional<int64_t> NodeImport::axis(int64_t axis, int64_t rank) {
  int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive >= 0 && positive < rank)
    return positive;
  refuse("axis " + std::to_string(axis) + " of rank " + std::to_string(rank) +
         " does not exist");
  return std::nullopt;
}

bool NodeImport::refuse(const std::string &reason) {
  importer.refuse(reason);
  return false;
}

onnx::Value *NodeImport::output(size_t k) {
  bool exists = k < node.outputs.size() && !node.outputs[k].empty();
  return exists ? &importer.value(node.outputs[k]) : nullptr;
}

static TensorElement typeOf(const Tensor &tensor) {
  Type element = tensor.getType().getElementType();
  return element.isInteger(1)    ? TensorElement::Bool
         : element.isInteger(32) ? TensorElement::Int32
         : element.isInteger(64) ? TensorElement::Int64
                                 : TensorElement::Float;
}

bool NodeImport::set(size_t k, const Tensor &plain) {
  onnx::Value *value = output(k);
  if (!plain || !value)
    return static_cast<bool>(plain);
  value->isGood = true;
  value->type = typeOf(plain);
  value->shape = Shape(plain.getType().getShape());
  value->plain = plain;
  return true;
}

bool NodeImport::setLast(size_t k, const Tensor &last) {
  if (!last || last.getType().getRank() < 3)
    return set(k, last);
  onnx::Value *value = output(k);
  if (!value)
    return true;
  value->isGood = true;
  value->type = typeOf(last);
  llvm::ArrayRef<int64_t> shape = last.getType().getShape();
  value->shape = {shape.front(), shape.back()};
  for (int64_t extent : shape.drop_front().drop_back())
    value->shape.push_back(extent);
  value->last = last;
  return true;
}

bool NodeImport::set(size_t k, Elements constant) {
  onnx::Value *value = output(k);
  if (!value)
    return true;
  if (!importer.spend(constant))
    return false;
  value->isGood = true;
  value->isComputed = node.op != "Constant";
  value->type = constant.type;
  value->shape = constant.shape;
  value->constant = std::make_shared<Elements>(std::move(constant));
  return true;
}

bool NodeImport::alias(size_t k, onnx::Value &value) {
  onnx::Value *named = output(k);
  if (!named)
    return true;
  std::string name = named->name;
  *named = value;
  named->name = name;
  return true;
}
