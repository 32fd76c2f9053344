//===- Shapes.cpp - Constants and shapes ----------------------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool onnx::importConstant(NodeImport &node) {
  if (const onnx::Attribute *value = node.find("value"); value && value->tensor)
    return node.importer.define(node.importer.value(node.node.outputs[0]),
                                *value->tensor);
  if (const onnx::Attribute *value = node.find("value_int"))
    return node.set(0, {TensorElement::Int64, {}, {}, {value->integer}});
  if (const onnx::Attribute *value = node.find("value_float"))
    return node.set(0, {TensorElement::Float, {}, {value->number}, {}});
  if (const onnx::Attribute *value = node.find("value_ints"))
    return node.set(0, {TensorElement::Int64,
                        {int64_t(value->integers.size())},
                        {},
                        value->integers});
  if (const onnx::Attribute *value = node.find("value_floats"))
    return node.set(0, {TensorElement::Float,
                        {int64_t(value->numbers.size())},
                        value->numbers,
                        {}});
  return node.refuse("its value is neither a tensor nor numbers");
}

bool onnx::importConstantOfShape(NodeImport &node) {
  bool given;
  auto shape = node.integersOf("", 0, given);
  if (!shape)
    return false;
  Elements one{TensorElement::Float, {}, {0}, {}};
  if (const onnx::Attribute *value = node.find("value");
      value && value->tensor) {
    std::string error;
    auto decoded = decode(*value->tensor, nullptr, error);
    if (!decoded || decoded->size() != 1)
      return node.refuse("its value is not one number");
    one = *decoded;
  }
  std::optional<int64_t> count = countOf(*shape);
  if (!count)
    return node.refuse("its shape " + textOf(*shape) + " is impossible");
  onnx::Value &value = node.importer.value(node.node.outputs[0]);
  // Parameters have a shape that the file holds.
  if (onnx::isReal(one.type) && node.in(0).isComputed) {
    if (*count > kMostComputed)
      return node.refuse("it repeats a number " + std::to_string(*count) +
                         " times");
    return node.set(0, {TensorElement::Float,
                        *shape,
                        std::vector<float>(*count, one.reals[0]),
                        {}});
  }
  if (onnx::isReal(one.type)) {
    value.isGood = true;
    value.type = TensorElement::Float;
    value.shape = *shape;
    node.importer.addWeight(value).splat = one.reals[0];
    return true;
  }
  if (*count > 1 << 20)
    return node.refuse("it has " + std::to_string(*count) + " integers");
  return node.set(0, {one.type, *shape, {}, Shape(*count, one.integers[0])});
}

bool onnx::importShape(NodeImport &node) {
  const Shape &shape = node.in(0).shape;
  int64_t rank = shape.size();
  auto bound = [&](const char *name, int64_t otherwise) {
    int64_t at = node.integer(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t begin = bound("start", 0), end = bound("end", rank);
  Shape part;
  for (int64_t d = begin; d < end; ++d)
    part.push_back(shape[d]);
  return node.set(0, {TensorElement::Int64, {int64_t(part.size())}, {}, part});
}

bool onnx::importSize(NodeImport &node) {
  return node.set(0,
                  {TensorElement::Int64, {}, {}, {*countOf(node.in(0).shape)}});
}

/// Floats are start + k step, so that rounding does not add up.
static bool rangeOfFloats(NodeImport &node, double start, double limit,
                          double step) {
  double count = std::ceil((limit - start) / step);
  if (!(count <= 1 << 20))
    return node.refuse("it has more than 1048576 numbers");
  Elements result{TensorElement::Float, {0}, {}, {}};
  for (double k = 0; k < count; ++k)
    result.reals.push_back(static_cast<float>(start + k * step));
  result.shape[0] = result.reals.size();
  return node.set(0, std::move(result));
}

bool onnx::importRange(NodeImport &node) {
  Shape numbers;
  llvm::SmallVector<double> reals;
  for (size_t k = 0; k < 3; ++k) {
    auto elements = node.constant(k);
    if (!elements)
      return false;
    if (elements->size() != 1)
      return node.refuse("input " + std::to_string(k) + " is not one number");
    if (onnx::isReal(elements->type))
      reals.push_back(elements->reals[0]);
    else
      numbers.push_back(elements->integers[0]);
  }
  if (reals.size() == 3)
    return rangeOfFloats(node, reals[0], reals[1], reals[2]);
  if (numbers.size() != 3)
    return node.refuse("its inputs have several types");
  auto [start, limit, step] = std::array{numbers[0], numbers[1], numbers[2]};
  if (step == 0)
    return node.refuse("its step is 0");
  Elements result{node.in(0).type, {0}, {}, {}};
  for (int64_t at = start; step > 0 ? at < limit : at > limit;) {
    result.integers.push_back(at);
    if (result.integers.size() > 1 << 20)
      return node.refuse("it has more than 1048576 numbers");
    if (__builtin_add_overflow(at, step, &at))
      break;
  }
  result.shape[0] = result.integers.size();
  return node.set(0, std::move(result));
}

bool onnx::importIdentity(NodeImport &node) {
  return node.alias(0, node.in(0));
}

//===----------------------------------------------------------------------===//
// Reshaping
//===----------------------------------------------------------------------===//

/// Sets the output to input 0 in another shape of as many elements.
static bool setReshaped(NodeImport &node, const Shape &shape) {
  onnx::Value &value = node.in(0);
  if (value.constant || (value.weight && node.mustBeConstant())) {
    auto elements = node.importer.constantOf(value);
    if (!elements)
      return false;
    Elements moved = *elements;
    moved.shape = shape;
    return node.set(0, std::move(moved));
  }
  if (shape == value.shape)
    return node.alias(0, value);
  // Weights are variables of the file's shape.
  Tensor x = node.plain(0);
  return x && node.set(0, nn::reshape(x, shape));
}

/// A constant shape in the file's extents, without 0 and -1; empty if it has
/// not the elements of `from`, the extents of the first import.
static Shape inFile(const Importer &importer, Shape from, Shape to) {
  for (int64_t &extent : from)
    if (extent % BatchShapes::kProbe == 0)
      extent = extent / BatchShapes::kProbe * importer.fileBatch;
  int64_t count = *countOf(from), known = 1, rest = -1;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 0 && d < from.size())
      to[d] = from[d];
    if (to[d] == -1 && rest < 0)
      rest = d;
    else if (to[d] < 1 || __builtin_mul_overflow(known, to[d], &known))
      return {};
  }
  if (rest >= 0 && count % known == 0)
    known *= to[rest] = count / known;
  return known == count ? to : Shape();
}

/// Lets the extent of a constant shape that names the file's batch follow.
static void followBatch(NodeImport &node, Shape &shape) {
  Importer &importer = node.importer;
  if (importer.batch == importer.fileBatch)
    return;
  auto isComputed = [](int64_t extent) {
    return extent > 0 && extent % BatchShapes::kProbe == 0;
  };
  const Shape &from = node.in(0).shape;
  if (importer.batches.isProbe && llvm::none_of(shape, isComputed))
    importer.batches.learn(node.node, from, inFile(importer, from, shape),
                           importer.fileBatch);
  auto d = importer.batches.dimension(node.node);
  if (d && *d < shape.size() && shape[*d] > 0)
    shape[*d] = shape[*d] / importer.fileBatch * importer.batch;
}

/// Replaces 0, an input's extent, and -1, the rest. Returns nothing after a
/// refusal.
static std::optional<Shape> resolve(NodeImport &node, Shape shape) {
  const Shape &from = node.in(0).shape;
  followBatch(node, shape);
  int64_t count = *countOf(from), known = 1, rest = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && !node.integer("allowzero", 0) && d < from.size())
      shape[d] = from[d];
    if (shape[d] == -1 && rest < 0)
      rest = d;
    else if (shape[d] < 1 || __builtin_mul_overflow(known, shape[d], &known)) {
      node.refuse("the shape " + textOf(shape) + " is impossible");
      return std::nullopt;
    }
  }
  if (rest >= 0 && count % known == 0)
    known *= shape[rest] = count / known;
  if (known != count) {
    node.refuse("a tensor of shape " + textOf(from) + " has no shape " +
                textOf(shape) + node.importer.batchHint());
    return std::nullopt;
  }
  return shape;
}

bool onnx::importReshape(NodeImport &node) {
  bool given;
  auto wanted = node.integersOf("shape", 1, given);
  if (!wanted)
    return false;
  if (!given)
    return node.refuse("it gives no shape");
  auto shape = resolve(node, *wanted);
  return shape && setReshaped(node, *shape);
}

bool onnx::importFlatten(NodeImport &node) {
  const Shape &from = node.in(0).shape;
  int64_t rank = from.size(), axis = node.integer("axis", 1);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis > rank)
    return node.refuse("axis " + std::to_string(axis) + " of rank " +
                       std::to_string(rank) + " does not exist");
  Shape shape = {1, 1};
  for (int64_t d = 0; d < rank; ++d)
    shape[d < axis ? 0 : 1] *= from[d];
  return setReshaped(node, shape);
}

bool onnx::importSqueeze(NodeImport &node) {
  bool given;
  auto axes = node.integersOf("axes", 1, given);
  if (!axes)
    return false;
  const Shape &from = node.in(0).shape;
  llvm::SmallVector<bool> drops(from.size(), false);
  for (size_t d = 0; !given && d < from.size(); ++d)
    drops[d] = from[d] == 1;
  for (int64_t listed : *axes) {
    auto axis = node.axis(listed, from.size());
    if (!axis)
      return false;
    if (from[*axis] != 1)
      return node.refuse("axis " + std::to_string(listed) + " has the extent " +
                         std::to_string(from[*axis]));
    drops[*axis] = true;
  }
  Shape shape;
  for (size_t d = 0; d < from.size(); ++d)
    if (!drops[d])
      shape.push_back(from[d]);
  return setReshaped(node, shape);
}

bool onnx::importUnsqueeze(NodeImport &node) {
  bool given;
  auto axes = node.integersOf("axes", 1, given);
  if (!axes)
    return false;
  const Shape &from = node.in(0).shape;
  size_t rank = from.size() + axes->size();
  llvm::SmallVector<bool> isNew(rank, false);
  for (int64_t listed : *axes) {
    auto axis = node.axis(listed, rank);
    if (!axis)
      return false;
    if (isNew[*axis])
      return node.refuse("axis " + std::to_string(listed) + " is given twice");
    isNew[*axis] = true;
  }
  Shape shape;
  for (size_t d = 0, k = 0; d < rank; ++d)
    shape.push_back(isNew[d] ? 1 : from[k++]);
  return setReshaped(node, shape);
}

/// x (N,C,H,W) with its dimensions split, permuted and joined.
static bool rearrange(NodeImport &node, const Shape &split,
                      llvm::ArrayRef<int64_t> order, const Shape &joined) {
  Tensor x = node.plain(0);
  return x &&
         node.set(0, nn::reshape(nn::transpose(nn::reshape(x, split), order),
                                 joined));
}

/// Returns the block size of an image; nothing after a refusal.
static std::optional<int64_t> blockOf(NodeImport &node) {
  int64_t block = node.integer("blocksize", 0);
  if (node.in(0).rank() == 4 && block >= 1 && block <= 1024)
    return block;
  node.refuse("its input has rank " + std::to_string(node.in(0).rank()) +
              " and its blocks the size " + std::to_string(block));
  return std::nullopt;
}

bool onnx::importDepthToSpace(NodeImport &node) {
  auto block = blockOf(node);
  if (!block)
    return false;
  int64_t b = *block;
  const Shape s = node.in(0).shape;
  if (s[1] % (b * b))
    return node.refuse("blocks of " + std::to_string(b) + " do not divide " +
                       std::to_string(s[1]) + " channels");
  int64_t c = s[1] / (b * b);
  Shape joined = {s[0], c, s[2] * b, s[3] * b};
  if (node.text("mode", "DCR") == "DCR")
    return rearrange(node, {s[0], b, b, c, s[2], s[3]}, {0, 3, 4, 1, 5, 2},
                     joined);
  return rearrange(node, {s[0], c, b, b, s[2], s[3]}, {0, 1, 4, 2, 5, 3},
                   joined);
}

bool onnx::importSpaceToDepth(NodeImport &node) {
  auto block = blockOf(node);
  if (!block)
    return false;
  int64_t b = *block;
  const Shape s = node.in(0).shape;
  if (s[2] % b || s[3] % b)
    return node.refuse("blocks of " + std::to_string(b) +
                       " do not divide the image");
  return rearrange(node, {s[0], s[1], s[2] / b, b, s[3] / b, b},
                   {0, 3, 5, 1, 2, 4},
                   {s[0], s[1] * b * b, s[2] / b, s[3] / b});
}
