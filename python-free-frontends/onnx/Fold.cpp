//===- Fold.cpp - Arithmetic on shapes ------------------------------------===//
//
// Exporters compute shapes by ops: Shape, Gather, Mul, Concat, Reshape. Such
// nodes, whose inputs are constants of integers or single numbers, become
// constants.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace reprise;
using namespace reprise::onnx;

/// The largest constant that is computed.
static constexpr int64_t kMostFolded = 1 << 16;

namespace {
using Inputs = std::vector<std::shared_ptr<const Elements>>;
} // namespace

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// The shape that shapes broadcast to; nothing if they do not fit.
static std::optional<Shape> broadcastShape(const Inputs &inputs) {
  Shape shape;
  for (const auto &input : inputs) {
    const Shape &other = input->shape;
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t k = 0; k < other.size(); ++k) {
      int64_t &extent = shape[shape.size() - other.size() + k];
      if (other[k] != extent && other[k] != 1 && extent != 1)
        return std::nullopt;
      extent = extent == 1 ? other[k] : extent;
    }
  }
  return shape;
}

/// The position in a tensor of shape `from` of position `at` of `to`.
static size_t positionIn(const Shape &from, const Shape &to, int64_t at) {
  int64_t position = 0, stride = 1;
  for (size_t k = to.size(), j = from.size(); k-- > 0;) {
    int64_t index = at % to[k];
    at /= to[k];
    if (j == 0)
      continue;
    --j;
    position += from[j] == 1 ? 0 : index * stride;
    stride *= from[j];
  }
  return position;
}

static double real(const Elements &e, size_t at) {
  return isReal(e.type) ? e.reals[at] : double(e.integers[at]);
}

/// Wraps around like the machine's integers.
static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

static std::optional<int64_t> integerOf(llvm::StringRef op, int64_t a,
                                        int64_t b) {
  if (op == "Add")
    return wrap(uint64_t(a) + uint64_t(b));
  if (op == "Sub")
    return wrap(uint64_t(a) - uint64_t(b));
  if (op == "Mul")
    return wrap(uint64_t(a) * uint64_t(b));
  if (op == "Div" || op == "Mod") {
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    if (op == "Div")
      return a / b;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  return op == "Max" ? std::max(a, b) : std::min(a, b);
}

static double realOf(llvm::StringRef op, double a, double b) {
  return op == "Add"   ? a + b
         : op == "Sub" ? a - b
         : op == "Mul" ? a * b
         : op == "Div" ? a / b
         : op == "Pow" ? std::pow(a, b)
         : op == "Max" ? std::max(a, b)
                       : std::min(a, b);
}

static bool compares(llvm::StringRef op, double a, double b) {
  return op == "Equal"         ? a == b
         : op == "Less"        ? a < b
         : op == "LessOrEqual" ? a <= b
         : op == "Greater"     ? a > b
         : op == "And"         ? a != 0 && b != 0
         : op == "Or"          ? a != 0 || b != 0
                               : a >= b;
}

static bool isComparison(llvm::StringRef op) {
  return llvm::is_contained(
      llvm::ArrayRef<llvm::StringRef>{"Equal", "Less", "LessOrEqual", "Greater",
                                      "GreaterOrEqual", "And", "Or"},
      op);
}

static bool isArithmetic(llvm::StringRef op) {
  return llvm::is_contained(llvm::ArrayRef<llvm::StringRef>{"Add", "Sub", "Mul",
                                                            "Div", "Mod", "Max",
                                                            "Min", "Pow"},
                            op);
}

/// An element of the result of an op of two operands.
static bool addElement(llvm::StringRef op, const Elements &a, size_t i,
                       const Elements &b, size_t j, Elements &result) {
  if (isComparison(op)) {
    result.integers.push_back(compares(op, real(a, i), real(b, j)));
    return true;
  }
  if (isReal(a.type)) {
    result.reals.push_back(
        static_cast<float>(realOf(op, real(a, i), real(b, j))));
    return true;
  }
  if (op == "Pow" || !isInteger(b.type))
    return false;
  auto value = integerOf(op, a.integers[i], b.integers[j]);
  if (value)
    result.integers.push_back(*value);
  return value.has_value();
}

static bool foldBinary(NodeImport &node, llvm::StringRef op,
                       const Inputs &inputs) {
  if (inputs.size() != 2)
    return false;
  auto shape = broadcastShape(inputs);
  if (!shape || countOf(*shape).value_or(kMostFolded + 1) > kMostFolded)
    return false;
  const Elements &a = *inputs[0], &b = *inputs[1];
  Elements result{
      isComparison(op) ? TensorElement::Bool : a.type, *shape, {}, {}};
  for (int64_t k = 0, n = *countOf(*shape); k < n; ++k)
    if (!addElement(op, a, positionIn(a.shape, *shape, k), b,
                    positionIn(b.shape, *shape, k), result))
      return false;
  return node.set(0, std::move(result));
}

static bool foldUnary(NodeImport &node, llvm::StringRef op, const Elements &x) {
  Elements result = x;
  for (float &value : result.reals)
    value = op == "Neg"     ? -value
            : op == "Abs"   ? std::fabs(value)
            : op == "Floor" ? std::floor(value)
            : op == "Ceil"  ? std::ceil(value)
            : op == "Sqrt"  ? std::sqrt(value)
                            : 1 / value;
  for (int64_t &value : result.integers)
    value = op == "Neg" || value < 0 ? wrap(-uint64_t(value)) : value;
  if (isInteger(x.type) && op != "Neg" && op != "Abs")
    return false;
  return node.set(0, std::move(result));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

static void copy(const Elements &from, size_t at, Elements &to) {
  if (isReal(from.type))
    to.reals.push_back(from.reals[at]);
  else
    to.integers.push_back(from.integers[at]);
}

static bool foldWhere(NodeImport &node, const Inputs &inputs) {
  if (inputs.size() != 3 || inputs[1]->type != inputs[2]->type ||
      inputs[0]->type != TensorElement::Bool)
    return false;
  auto shape = broadcastShape(inputs);
  if (!shape || countOf(*shape).value_or(kMostFolded + 1) > kMostFolded)
    return false;
  Elements result{inputs[1]->type, *shape, {}, {}};
  for (int64_t k = 0, n = *countOf(*shape); k < n; ++k) {
    bool isTrue =
        inputs[0]->integers[positionIn(inputs[0]->shape, *shape, k)] != 0;
    const Elements &from = *inputs[isTrue ? 1 : 2];
    copy(from, positionIn(from.shape, *shape, k), result);
  }
  return node.set(0, std::move(result));
}

static bool foldCast(NodeImport &node, const Elements &x) {
  auto to = static_cast<TensorElement>(node.integer("to", 0));
  if (to == TensorElement::Float16 || to == TensorElement::BFloat16 ||
      (!isReal(to) && !isInteger(to)))
    return false;
  Elements result{isReal(to) ? TensorElement::Float : to, x.shape, {}, {}};
  for (size_t k = 0; k < x.size(); ++k)
    if (isReal(to))
      result.reals.push_back(static_cast<float>(real(x, k)));
    else if (isInteger(x.type))
      result.integers.push_back(to == TensorElement::Bool ? x.integers[k] != 0
                                                          : x.integers[k]);
    else if (to == TensorElement::Bool)
      result.integers.push_back(x.reals[k] != 0);
    else if (std::fabs(x.reals[k]) < 0x1p62f)
      result.integers.push_back(static_cast<int64_t>(x.reals[k]));
    else
      return false;
  return node.set(0, std::move(result));
}

/// Joins vectors.
static bool foldConcat(NodeImport &node, const Inputs &inputs) {
  Elements result{inputs.front()->type, {0}, {}, {}};
  for (const auto &input : inputs) {
    if (input->shape.size() != 1 || input->type != result.type)
      return false;
    for (size_t k = 0; k < input->size(); ++k)
      copy(*input, k, result);
  }
  result.shape[0] = result.size();
  return node.set(0, std::move(result));
}

/// Elements of a vector by index.
static bool foldGather(NodeImport &node, const Inputs &inputs) {
  const Elements &x = *inputs[0];
  if (inputs.size() != 2 || x.shape.size() != 1 || !isInteger(inputs[1]->type))
    return false;
  Elements result{x.type, inputs[1]->shape, {}, {}};
  for (int64_t index : inputs[1]->integers) {
    index += index < 0 ? x.shape[0] : 0;
    if (index < 0 || index >= x.shape[0])
      return false;
    copy(x, index, result);
  }
  return node.set(0, std::move(result));
}

/// A part of a vector.
static bool foldSlice(NodeImport &node, const Inputs &inputs) {
  const Elements &x = *inputs[0];
  if (x.shape.size() != 1)
    return false;
  bool given;
  auto starts = node.integersOf("starts", 1, given);
  auto ends = node.integersOf("ends", 2, given);
  auto steps = node.integersOf("steps", 4, given);
  if (!starts || !ends || !steps || starts->size() != 1 || ends->size() != 1)
    return false;
  int64_t step = steps->empty() ? 1 : steps->front(), n = x.shape[0];
  if (step < 1)
    return false;
  auto bound = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + n : at, 0, n);
  };
  Elements result{x.type, {0}, {}, {}};
  for (int64_t k = bound(starts->front()); k < bound(ends->front()); k += step)
    copy(x, k, result);
  result.shape[0] = result.size();
  return node.set(0, std::move(result));
}

static bool foldProduct(NodeImport &node, const Elements &x) {
  if (!isInteger(x.type) || x.shape.size() > 1)
    return false;
  Elements result{x.type, {}, {}, {1}};
  for (int64_t value : x.integers)
    result.integers[0] = wrap(uint64_t(result.integers[0]) * uint64_t(value));
  if (node.integer("keepdims", 1) && x.shape.size() == 1)
    result.shape = {1};
  return node.set(0, std::move(result));
}

/// The inputs' elements; empty unless all are constants that are folded.
static Inputs constantsOf(NodeImport &node) {
  Inputs inputs;
  for (size_t k = 0; k < node.inputs(); ++k) {
    if (!node.has(k))
      continue;
    Value &value = node.in(k);
    bool isSmall = value.constant && !isReal(value.type);
    bool isNumber = (value.constant || value.weight) &&
                    countOf(value.shape).value_or(0) == 1;
    auto elements =
        isSmall || isNumber ? node.importer.constantOf(value) : nullptr;
    if (!elements || elements->size() > size_t(kMostFolded))
      return {};
    inputs.push_back(std::move(elements));
  }
  return inputs;
}

bool onnx::fold(NodeImport &node) {
  llvm::StringRef op(node.node.op.data(), node.node.op.size());
  bool isFolded =
      isArithmetic(op) || isComparison(op) ||
      llvm::StringSwitch<bool>(op)
          .Cases({"Neg", "Abs", "Floor", "Ceil", "Sqrt", "Reciprocal"}, true)
          .Cases({"Where", "Cast", "Concat", "Gather", "Slice", "ReduceProd"},
                 true)
          .Default(false);
  if (!isFolded)
    return false;
  Inputs inputs = constantsOf(node);
  if (inputs.empty())
    return false;
  if (isArithmetic(op) || isComparison(op))
    return foldBinary(node, op, inputs);
  if (op == "Where")
    return foldWhere(node, inputs);
  if (op == "Cast")
    return foldCast(node, *inputs[0]);
  if (op == "Concat")
    return foldConcat(node, inputs);
  if (op == "Gather")
    return foldGather(node, inputs);
  if (op == "Slice")
    return foldSlice(node, inputs);
  if (op == "ReduceProd")
    return foldProduct(node, *inputs[0]);
  return foldUnary(node, op, *inputs[0]);
}
