//===- Emit.cpp - Tensors of several ops' functions -----------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

Tensor onnx::numberLike(const Tensor &x, double value) {
  if (!x)
    return x;
  if (auto type = dyn_cast<IntegerType>(x.getType().getElementType())) {
    double limit = std::ldexp(1.0, std::min(type.getWidth(), 54u) - 1);
    bool isBool = type.getWidth() == 1;
    value = std::isnan(value) ? 0.0
                              : std::clamp(value, isBool ? 0.0 : -limit,
                                           isBool ? 1.0 : limit - 1);
  }
  return x.getTrace().splat(x.getType(), value);
}

Tensor onnx::atMost(const Tensor &x, double bound) {
  return x ? emit<sg::MinimumOp>({x, numberLike(x, bound)}) : x;
}

Tensor onnx::atLeast(const Tensor &x, double bound) {
  return x ? emit<sg::MaximumOp>({x, numberLike(x, bound)}) : x;
}

Tensor onnx::compare(sg::ComparePredicate predicate, const Tensor &x,
                     const Tensor &y) {
  if (!x || !y)
    return x ? y : x;
  nn::Trace &trace = x.getTrace();
  sg::CompareOp::Properties properties;
  properties.predicate =
      sg::ComparePredicateAttr::get(trace.getBuilder().getContext(), predicate);
  auto type = RankedTensorType::get(x.getType().getShape(),
                                    trace.getBuilder().getI1Type());
  return trace.createAs<sg::CompareOp>(type, {x, y}, properties);
}

Tensor onnx::strided(const Tensor &x, llvm::ArrayRef<int64_t> starts,
                     llvm::ArrayRef<int64_t> limits,
                     llvm::ArrayRef<int64_t> steps) {
  if (!x)
    return x;
  Builder &builder = x.getTrace().getBuilder();
  sg::SliceOp::Properties properties;
  properties.starts = builder.getDenseI64ArrayAttr(starts);
  properties.limits = builder.getDenseI64ArrayAttr(limits);
  properties.strides = builder.getDenseI64ArrayAttr(steps);
  return x.getTrace().create<sg::SliceOp>(x, properties).front();
}

Tensor onnx::pad(const Tensor &x, llvm::ArrayRef<int64_t> low,
                 llvm::ArrayRef<int64_t> high, double value) {
  if (!x)
    return x;
  Builder &builder = x.getTrace().getBuilder();
  sg::PadOp::Properties properties;
  properties.low = builder.getDenseI64ArrayAttr(low);
  properties.high = builder.getDenseI64ArrayAttr(high);
  properties.interior = builder.getDenseI64ArrayAttr(Shape(low.size(), 0));
  properties.value = builder.getF64FloatAttr(value);
  return x.getTrace().create<sg::PadOp>(x, properties).front();
}

Type onnx::elementOf(Builder &builder, TensorElement type) {
  return onnx::isReal(type)             ? Type(builder.getF32Type())
         : type == TensorElement::Bool  ? Type(builder.getI1Type())
         : type == TensorElement::Int32 ? Type(builder.getI32Type())
         : type == TensorElement::Int64 ? Type(builder.getI64Type())
                                        : Type();
}

Tensor onnx::castTo(const Tensor &x, Type element) {
  if (!x || x.getType().getElementType() == element)
    return x;
  auto type = RankedTensorType::get(x.getType().getShape(), element);
  return x.getTrace().createAs<sg::CastOp>(type, x);
}

Tensor onnx::iota(const Tensor &like, int64_t d, Type element) {
  if (!like)
    return like;
  Builder &builder = like.getTrace().getBuilder();
  sg::IotaOp::Properties properties;
  properties.dim = builder.getI64IntegerAttr(d);
  return like.getTrace().createAs<sg::IotaOp>(
      RankedTensorType::get(like.getType().getShape(),
                            element ? element : builder.getI64Type()),
      {}, properties);
}

Tensor onnx::repeatAlong(const Tensor &x, const Tensor &like, int64_t dropped) {
  if (!x || !like)
    return x ? like : x;
  Shape dims;
  for (int64_t d = 0; d < like.getType().getRank(); ++d)
    if (d != dropped)
      dims.push_back(d);
  return nn::broadcast(x, like.getType().getShape(), dims);
}

Tensor onnx::wrapped(const Tensor &index, int64_t extent) {
  if (!index)
    return index;
  Tensor isNegative =
      compare(sg::ComparePredicate::LT, index, numberLike(index, 0));
  return nn::select(isNegative, plus(index, double(extent)), index);
}

bool onnx::areReal(NodeImport &node) {
  for (size_t k = 0; k < node.inputs(); ++k)
    if (node.has(k) && !onnx::isReal(node.in(k).type))
      return node.refuse("its input " + std::to_string(k) + " is " +
                         nameOf(node.in(k).type) +
                         ", and only float is supported");
  return true;
}

/// The shape that the inputs broadcast to; nothing after a refusal.
static std::optional<Shape> commonShape(NodeImport &node,
                                        llvm::ArrayRef<size_t> inputs) {
  llvm::SmallVector<onnx::Value *> values;
  for (size_t k : inputs)
    values.push_back(&node.in(k));
  node.importer.followAll(values);
  Shape shape;
  for (size_t k : inputs) {
    const Shape &other = node.in(k).shape;
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t d = 0; d < other.size(); ++d) {
      int64_t &extent = shape[shape.size() - other.size() + d];
      if (other[d] != extent && other[d] != 1 && extent != 1) {
        node.refuse("shapes " + textOf(node.in(inputs.front()).shape) +
                    " and " + textOf(other) + " do not broadcast" +
                    node.importer.batchHint());
        return std::nullopt;
      }
      extent = extent == 1 ? other[d] : extent;
    }
  }
  return shape;
}

/// The result's shape in its layout.
static Shape targetOf(const Shape &shape, bool isLast) {
  if (!isLast)
    return shape;
  Shape target;
  for (int64_t d : lastOrder(shape.size()))
    target.push_back(shape[d]);
  return target;
}

/// Input k in a shape of the result's rank, in its layout, then repeated.
/// Single numbers are constants unless they are parameters.
static Tensor operandOf(NodeImport &node, size_t k, const Shape &shape,
                        bool isLast) {
  onnx::Value &value = node.in(k);
  int64_t rank = shape.size();
  auto number = node.importer.isNumber(value) ? node.number(k) : std::nullopt;
  if (number && onnx::isReal(value.type))
    return nn::splat(node.trace(), targetOf(shape, isLast), *number);
  Tensor tensor = isLast && value.rank() == rank ? node.last(k) : node.plain(k);
  if (!tensor)
    return tensor;
  if (value.rank() < rank) {
    Shape padded(rank - value.rank(), 1);
    padded.insert(padded.end(), value.shape.begin(), value.shape.end());
    tensor = nn::reshape(tensor, padded);
    if (isLast)
      tensor = permute(tensor, lastOrder(rank));
  }
  Shape target = targetOf(shape, isLast), dims;
  for (int64_t d = 0; d < rank; ++d)
    dims.push_back(d);
  if (tensor && tensor.getType().getShape() != llvm::ArrayRef(target))
    return nn::broadcast(tensor, target, dims);
  return tensor;
}

std::optional<Unified> onnx::unify(NodeImport &node,
                                   llvm::ArrayRef<size_t> inputs, Mixed types) {
  std::optional<Shape> shape = commonShape(node, inputs);
  if (!shape)
    return std::nullopt;
  Unified unified;
  for (size_t k : inputs)
    unified.isLast |= node.in(k).prefersLast() && shape->size() > 2 &&
                      node.in(k).shape.size() == shape->size();
  for (size_t k : inputs) {
    Tensor tensor = operandOf(node, k, *shape, unified.isLast);
    if (!tensor)
      return std::nullopt;
    unified.operands.push_back(tensor);
    Type element = tensor.getType().getElementType();
    if (types == Mixed::Refused &&
        unified.operands.front().getType().getElementType() != element &&
        !unified.operands.front().getType().getElementType().isInteger(1)) {
      node.refuse("its inputs have different element types");
      return std::nullopt;
    }
  }
  return unified;
}

bool onnx::unary(NodeImport &node, llvm::function_ref<Tensor(Tensor)> make) {
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  if (!x.tensor.getType().getElementType().isF32())
    return node.refuse("its input is " + nameOf(node.in(0).type) +
                       ", and only float is supported");
  return setLaid(node, x, make(x.tensor));
}
