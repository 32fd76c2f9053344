//===- Fold.cpp - Arithmetic on shapes ------------------------------------===//
//
// Exporters compute shapes by ops: Shape, Gather, Mul, Concat, Reshape. Such
// nodes become constants if their inputs are constants or single numbers that
// are no parameters.
// Floating-point tensors of the file are folded only on the way to an input
// that must be constant, such as the scales of Resize: others are weights.
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
         : op == "Mod" ? std::fmod(a, b)
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
  // C's remainder is only folded for floats, the other one for integers.
  if (op == "Mod" && (node.integer("fmod", 0) != 0) != isReal(a.type))
    return false;
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

/// Sets the output to elements of `x`: `source` gives the position of each
/// element in a row-major result of `shape`.
template <typename Source>
static bool setMoved(NodeImport &node, const Elements &x, const Shape &shape,
                     Source source) {
  std::optional<int64_t> count = countOf(shape);
  if (!count || *count > kMostFolded)
    return false;
  Elements result{x.type, shape, {}, {}};
  for (int64_t k = 0; k < *count; ++k)
    copy(x, source(k), result);
  return node.set(0, std::move(result));
}

/// The elements before an axis, along it, and after it.
struct Around {
  int64_t before = 1, along = 1, after = 1;
};
static Around around(const Shape &shape, size_t axis) {
  Around result;
  for (size_t d = 0; d < shape.size(); ++d)
    (d < axis    ? result.before
     : d == axis ? result.along
                 : result.after) *= shape[d];
  return result;
}

/// An axis, counted from the beginning; nothing if there is none.
static std::optional<size_t> axisOf(int64_t axis, const Shape &shape) {
  int64_t rank = shape.size();
  axis += axis < 0 ? rank : 0;
  return axis >= 0 && axis < rank ? std::optional<size_t>(axis) : std::nullopt;
}

static bool foldConcat(NodeImport &node, const Inputs &inputs) {
  Shape shape = inputs.front()->shape;
  auto axis = axisOf(node.integer("axis", 1), shape);
  if (!axis)
    return false;
  shape[*axis] = 0;
  int64_t extent = 0;
  for (const auto &input : inputs) {
    Shape other = input->shape;
    if (input->type != inputs.front()->type || other.size() != shape.size())
      return false;
    extent += std::exchange(other[*axis], 0);
    if (other != shape)
      return false;
  }
  shape[*axis] = extent;
  Elements result{inputs.front()->type, shape, {}, {}};
  for (int64_t k = 0, n = around(shape, *axis).before; k < n; ++k)
    for (const auto &input : inputs)
      for (size_t size = input->size() / n, j = 0; j < size; ++j)
        copy(*input, k * size + j, result);
  return node.set(0, std::move(result));
}

static bool foldGather(NodeImport &node, const Inputs &inputs) {
  if (inputs.size() != 2 || !isInteger(inputs[1]->type))
    return false;
  const Elements &x = *inputs[0], &at = *inputs[1];
  auto axis = axisOf(node.integer("axis", 0), x.shape);
  if (!axis)
    return false;
  Around parts = around(x.shape, *axis);
  for (int64_t index : at.integers)
    if (index < -parts.along || index >= parts.along)
      return false;
  Shape shape = x.shape;
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, at.shape.begin(), at.shape.end());
  int64_t n = at.size();
  return setMoved(node, x, shape, [&](int64_t k) {
    int64_t index = at.integers[k / parts.after % n];
    index += index < 0 ? parts.along : 0;
    return (k / parts.after / n * parts.along + index) * parts.after +
           k % parts.after;
  });
}

static bool foldTranspose(NodeImport &node, const Elements &x) {
  size_t rank = x.shape.size();
  Shape order = node.integers("perm").value_or(Shape());
  if (order.empty())
    for (size_t d = rank; d-- > 0;)
      order.push_back(d);
  Shape sorted = order, shape;
  llvm::sort(sorted);
  for (size_t d = 0; d < sorted.size(); ++d)
    if (sorted.size() != rank || sorted[d] != int64_t(d))
      return false;
  for (int64_t d : order)
    shape.push_back(x.shape[d]);
  return setMoved(node, x, shape, [&](int64_t k) {
    Shape index(rank);
    for (size_t d = rank; d-- > 0; k /= shape[d])
      index[order[d]] = k % shape[d];
    int64_t at = 0;
    for (size_t d = 0; d < rank; ++d)
      at = at * x.shape[d] + index[d];
    return at;
  });
}

namespace {
/// A part of an axis.
struct Part {
  int64_t start = 0, step = 1, count = 0;
};
} // namespace

static Part partOf(int64_t start, int64_t end, int64_t step, int64_t n) {
  auto bound = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + n : at, step < 0 ? -1 : 0,
                               step < 0 ? n - 1 : n);
  };
  int64_t from = bound(start), to = bound(end);
  int64_t length = step < 0 ? from - to : to - from;
  step = std::clamp(step, -n - 1, n + 1);
  return {from, step, length <= 0 ? 0 : (length - 1) / std::abs(step) + 1};
}

static bool foldSlice(NodeImport &node, const Elements &x) {
  bool given;
  auto starts = node.integersOf("starts", 1, given);
  auto ends = node.integersOf("ends", 2, given);
  auto axes = node.integersOf("axes", 3, given);
  auto steps = node.integersOf("steps", 4, given);
  if (!starts || !ends || !axes || !steps)
    return false;
  size_t count = starts->size();
  for (size_t k = 0; axes->empty() && k < count; ++k)
    axes->push_back(k);
  if (steps->empty())
    steps->assign(count, 1);
  if (ends->size() != count || axes->size() != count || steps->size() != count)
    return false;
  std::vector<Part> parts;
  for (int64_t extent : x.shape)
    parts.push_back({0, 1, extent});
  for (size_t k = 0; k < count; ++k) {
    auto axis = axisOf((*axes)[k], x.shape);
    if (!axis || (*steps)[k] == 0)
      return false;
    parts[*axis] =
        partOf((*starts)[k], (*ends)[k], (*steps)[k], x.shape[*axis]);
  }
  Shape shape;
  for (const Part &part : parts)
    shape.push_back(part.count);
  return setMoved(node, x, shape, [&](int64_t k) {
    int64_t at = 0, stride = 1;
    for (size_t d = parts.size(); d-- > 0; k /= shape[d]) {
      at += (parts[d].start + k % shape[d] * parts[d].step) * stride;
      stride *= x.shape[d];
    }
    return at;
  });
}

/// Repeats elements to the shape that input 1 gives.
static bool foldExpand(NodeImport &node, const Inputs &inputs) {
  if (inputs.size() != 2 || !isInteger(inputs[1]->type) ||
      inputs[1]->shape.size() != 1)
    return false;
  Elements wanted{TensorElement::Bool, inputs[1]->integers, {}, {}};
  auto shape = broadcastShape(
      {inputs[0], std::make_shared<Elements>(std::move(wanted))});
  return shape && setMoved(node, *inputs[0], *shape, [&](int64_t k) {
           return positionIn(inputs[0]->shape, *shape, k);
         });
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
  bool isNeeded = node.mustBeConstant();
  Inputs inputs;
  for (size_t k = 0; k < node.inputs(); ++k) {
    if (!node.has(k))
      continue;
    Value &value = node.in(k);
    int64_t count = countOf(value.shape).value_or(kMostFolded + 1);
    bool isConstant = value.constant || node.importer.isNumber(value) ||
                      (value.weight && isNeeded);
    auto elements = isConstant && count <= kMostFolded
                        ? node.importer.constantOf(value)
                        : nullptr;
    if (!elements)
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
          .Cases({"Where", "Cast", "Concat", "Gather", "Slice"}, true)
          .Cases({"Transpose", "Expand", "ReduceProd"}, true)
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
    return foldSlice(node, *inputs[0]);
  if (op == "Transpose")
    return foldTranspose(node, *inputs[0]);
  if (op == "Expand")
    return foldExpand(node, inputs);
  if (op == "ReduceProd")
    return foldProduct(node, *inputs[0]);
  return foldUnary(node, op, *inputs[0]);
}

/// The first input that must be a constant of the file, or none.
static size_t firstConstant(llvm::StringRef op) {
  return llvm::StringSwitch<size_t>(op)
      .Cases({"ConstantOfShape", "Range"}, 0)
      .Cases({"Expand", "Pad", "Reshape", "Resize", "Slice"}, 1)
      .Cases({"Split", "Tile", "Upsample"}, 1)
      .Default(SIZE_MAX);
}

/// The inputs of a node whose elements are those of its outputs, if these are
/// initial states, or which are initial states themselves.
static std::pair<size_t, size_t> stateInputs(llvm::StringRef op,
                                             bool makesStates) {
  using Range = std::pair<size_t, size_t>;
  return llvm::StringSwitch<Range>(op)
      .Cases({"GRU", "LSTM", "RNN"}, Range(5, 7))
      .Case("Concat", Range(0, makesStates ? SIZE_MAX : 0))
      .Cases({"Expand", "Gather", "Identity", "Reshape", "Slice", "Squeeze"},
             Range(0, makesStates))
      .Cases({"Transpose", "Unsqueeze"}, Range(0, makesStates))
      .Default(Range(0, 0));
}

void Importer::markConstants(const Graph &graph) {
  auto ref = [](std::string_view text) {
    return llvm::StringRef(text.data(), text.size());
  };
  for (const Node &node : llvm::reverse(graph.nodes)) {
    bool isMarked = llvm::any_of(node.outputs, [&](std::string_view output) {
      return constants.contains(ref(output));
    });
    bool makesStates = llvm::any_of(node.outputs, [&](std::string_view output) {
      return states.contains(ref(output));
    });
    auto [begin, end] = stateInputs(ref(node.op), makesStates);
    for (size_t k = begin; k < std::min(end, node.inputs.size()); ++k)
      states.insert(ref(node.inputs[k]));
    // The elements of what Shape reads do not matter.
    bool isOfShape = node.op == "Shape" || node.op == "Size";
    size_t first = isOfShape  ? SIZE_MAX
                   : isMarked ? 0
                              : firstConstant(ref(node.op));
    for (size_t k = first; k < node.inputs.size(); ++k)
      constants.insert(ref(node.inputs[k]));
  }
}
