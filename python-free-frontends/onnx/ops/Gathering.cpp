//===- Gathering.cpp - Elements by index ----------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

/// Refuses tables of other types than sg.gather takes, and other indices.
static bool checkGather(NodeImport &node) {
  if (!onnx::isReal(node.in(0).type))
    return node.refuse("its table is " + nameOf(node.in(0).type) +
                       ", and only float is supported");
  if (!isInteger(node.in(1).type))
    return node.refuse("its indices are " + nameOf(node.in(1).type));
  return true;
}

Tensor onnx::takeAlong(const Tensor &x, int64_t d,
                       llvm::ArrayRef<int64_t> order) {
  if (!x)
    return x;
  // Runs of neighbours are slices; many of them are gathered.
  llvm::SmallVector<std::pair<int64_t, int64_t>> runs;
  for (int64_t at : order)
    if (!runs.empty() && runs.back().second == at)
      ++runs.back().second;
    else
      runs.push_back({at, at + 1});
  bool isReal = isa<FloatType>(x.getType().getElementType());
  if (!isReal && runs.size() > 1 << 12)
    return x.getTrace().fail("an axis of " + llvm::Twine(order.size()) +
                             " integers is too long to be reordered");
  if (!isReal || runs.size() <= 16) {
    llvm::SmallVector<Tensor> parts;
    for (auto [begin, end] : runs)
      parts.push_back(nn::slice(x, d, begin, end));
    return parts.size() == 1 ? parts.front() : nn::concat(parts, d);
  }
  int64_t rank = x.getType().getRank();
  Shape first = {d}, back;
  for (int64_t k = 0; k < rank; ++k) {
    back.push_back(k < d ? k + 1 : k == d ? 0 : k);
    if (k != d)
      first.push_back(k);
  }
  llvm::SmallVector<int32_t> indices(order.begin(), order.end());
  return permute(
      nn::gather(permute(x, first), nn::constant(x.getTrace(), indices)), back);
}

/// Takes one element, or consecutive ones, of an axis.
static bool gatherPart(NodeImport &node, int64_t axis, int64_t first,
                       const Shape &indices) {
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  int64_t count = *countOf(indices);
  Tensor part = nn::slice(x.tensor, x.at(axis), first, first + count);
  if (indices.size() == 1)
    return setLaid(node, x, part);
  Shape shape = node.in(0).shape;
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, indices.begin(), indices.end());
  if (x.isLast) {
    onnx::Value whole; // the part in the file's layout
    whole.isGood = true;
    whole.shape = node.in(0).shape;
    whole.shape[axis] = count;
    whole.last = part;
    part = node.importer.plain(whole);
  }
  return node.set(0, nn::reshape(part, shape));
}

/// Returns indices as a tensor, negative ones counted from the end.
static Tensor indicesOf(NodeImport &node, int64_t extent) {
  onnx::Value &value = node.in(1);
  if (!value.constant)
    return wrapped(node.plain(1), extent);
  Elements fixed = *value.constant;
  for (int64_t &index : fixed.integers)
    index += index < 0 ? extent : 0;
  onnx::Value constant;
  constant.isGood = true;
  constant.type = fixed.type;
  constant.shape = fixed.shape;
  constant.constant = std::make_shared<Elements>(std::move(fixed));
  return node.importer.plain(constant);
}

/// Returns true if constant indices are first, first + 1, ...
static bool areConsecutive(const Elements &indices, int64_t extent) {
  for (size_t k = 0; k < indices.size(); ++k) {
    int64_t first =
        indices.integers[0] + (indices.integers[0] < 0 ? extent : 0);
    int64_t at = indices.integers[k] + (indices.integers[k] < 0 ? extent : 0);
    if (at != first + int64_t(k) || at < 0 || at >= extent)
      return false;
  }
  return indices.size() > 0;
}

/// Returns true if `count` constants are as many as the file's samples, and the
/// table's `extent` is the model's number, which differs.
static bool readsSamples(NodeImport &node, int64_t extent, int64_t count) {
  Importer &importer = node.importer;
  return importer.batches.standsForSamples(
      node.node, importer.batch != importer.fileBatch &&
                     extent == importer.batch && count == importer.fileBatch);
}

bool onnx::importGather(NodeImport &node) {
  if (!checkGather(node))
    return false;
  auto axis = node.axis(node.integer("axis", 0), node.in(0).rank());
  if (!axis)
    return false;
  Shape shape = node.in(0).shape;
  int64_t extent = shape[*axis];
  const auto &constant = node.in(1).constant;
  if (constant && isInteger(constant->type) &&
      areConsecutive(*constant, extent)) {
    int64_t first = constant->integers[0], count = constant->size();
    // All samples of the file are all samples of the model.
    bool areAll = constant->shape.size() == 1 && first == 0 &&
                  readsSamples(node, extent, count);
    if (areAll)
      return node.alias(0, node.in(0));
    return gatherPart(node, *axis, first + (first < 0 ? extent : 0),
                      constant->shape);
  }
  if (constant)
    for (int64_t index : constant->integers)
      if (index < -extent || index >= extent)
        return node.refuse("index " + std::to_string(index) + " lies outside " +
                           std::to_string(extent) + " elements");
  Tensor x = node.plain(0), indices = indicesOf(node, extent);
  if (!x || !indices)
    return false;
  // The axis first; its indices' dimensions take its place afterwards.
  int64_t rank = shape.size(), count = indices.getType().getRank();
  Shape order = {*axis}, back;
  for (int64_t d = 0; d < rank; ++d)
    if (d != *axis)
      order.push_back(d);
  for (int64_t d = 0; d < *axis; ++d)
    back.push_back(count + d);
  for (int64_t d = 0; d < count; ++d)
    back.push_back(d);
  for (int64_t d = *axis; d + 1 < rank; ++d)
    back.push_back(count + d);
  return node.set(0, permute(nn::gather(permute(x, order), indices), back));
}

/// The distance of neighbours along a dimension of a row-major tensor.
static int64_t strideOf(const Shape &shape, size_t d) {
  int64_t stride = 1;
  for (size_t k = d + 1; k < shape.size(); ++k)
    stride *= shape[k];
  return stride;
}

/// Element (i, j, ...) of the result is that of the table at the index that
/// stands at (i, j, ...), and at (i, j, ...) in the other dimensions.
bool onnx::importGatherElements(NodeImport &node) {
  if (!checkGather(node))
    return false;
  const Shape shape = node.in(0).shape;
  auto axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis)
    return false;
  Tensor x = node.plain(0), index = node.plain(1);
  if (!x || !index)
    return false;
  if (index.getType().getRank() != int64_t(shape.size()))
    return node.refuse("its indices have another rank than its table");
  for (size_t d = 0; d < shape.size(); ++d)
    if (int64_t(d) != *axis && index.dim(d) > shape[d])
      return node.refuse("its indices " + textOf(node.in(1).shape) +
                         " exceed its table " + textOf(shape));
  index = wrapped(castTo(index, node.builder().getI64Type()), shape[*axis]);
  Tensor row = numberLike(index, 0.0);
  for (size_t d = 0; d < shape.size(); ++d) {
    Tensor at = int64_t(d) == *axis ? index : iota(index, d);
    row = row + at * numberLike(at, double(strideOf(shape, d)));
  }
  Tensor table = nn::reshape(x, {x.getType().getNumElements()});
  return node.set(0, nn::gather(table, row));
}

/// Keeps the elements of an axis, or of all in a row, where a constant is true.
bool onnx::importCompress(NodeImport &node) {
  auto condition = node.constant(1);
  if (!condition)
    return false;
  Tensor x = node.plain(0);
  if (!x)
    return false;
  std::optional<int64_t> axis = 0;
  if (node.find("axis"))
    axis = node.axis(node.integer("axis", 0), x.getType().getRank());
  else
    x = nn::reshape(x, {x.getType().getNumElements()});
  if (!axis)
    return false;
  Shape order;
  for (size_t k = 0; k < condition->size(); ++k)
    if (isInteger(condition->type) || condition->type == TensorElement::Bool)
      if (condition->integers[k] && int64_t(k) < x.dim(*axis))
        order.push_back(k);
  if (order.empty())
    return node.refuse("it keeps no elements");
  return node.set(0, takeAlong(x, *axis, order));
}

/// Reverses the first `lengths[b]` elements of sequence b.
bool onnx::importReverseSequence(NodeImport &node) {
  if (!checkGather(node))
    return false;
  const Shape shape = node.in(0).shape;
  int64_t time = node.integer("time_axis", 0);
  int64_t batch = node.integer("batch_axis", 1);
  if (shape.size() < 2 || time + batch != 1 || time * batch != 0 ||
      node.in(1).shape != Shape{shape[batch]})
    return node.refuse("its sequences " + textOf(shape) + " have the lengths " +
                       textOf(node.in(1).shape));
  Tensor x = node.plain(0), lengths = node.plain(1);
  if (!x || !lengths)
    return false;
  lengths = castTo(lengths, node.builder().getI64Type());
  // The number of a row among the pairs of the first two dimensions.
  Tensor length = nn::broadcast(lengths, {shape[0], shape[1]}, {batch});
  Tensor at = iota(length, time), other = iota(length, batch);
  Tensor from = nn::select(compare(ComparePredicate::LT, at, length),
                           plus(length - at, -1.0), at);
  Tensor row = time == 0 ? from * numberLike(from, double(shape[1])) + other
                         : other * numberLike(other, double(shape[1])) + from;
  Shape table = {shape[0] * shape[1]};
  table.insert(table.end(), shape.begin() + 2, shape.end());
  return node.set(0, nn::gather(nn::reshape(x, table), row));
}

/// The last dimension of the indices holds the first positions in the table,
/// after the batch's dimensions, which both share.
bool onnx::importGatherND(NodeImport &node) {
  if (!checkGather(node))
    return false;
  if (node.in(0).rank() > 0 && node.in(1).rank() > 0 && node.in(1).constant &&
      node.integer("batch_dims", 0) == 0 &&
      readsSamples(node, node.in(0).shape.front(), node.in(1).shape.front()) &&
      !node.importer.follow(node.in(1), 0))
    return node.refuse("its indices are those of the file's samples" +
                       node.importer.batchHint());
  const Shape shape = node.in(0).shape, indices = node.in(1).shape;
  int64_t batch = node.integer("batch_dims", 0);
  int64_t count = indices.empty() ? 0 : indices.back();
  if (batch < 0 || batch >= int64_t(indices.size()) || count < 1 ||
      batch + count > int64_t(shape.size()) ||
      !std::equal(shape.begin(), shape.begin() + batch, indices.begin()))
    return node.refuse("its indices " + textOf(indices) +
                       " do not fit its table " + textOf(shape));
  Tensor x = node.plain(0), index = node.plain(1);
  if (!x || !index)
    return false;
  index = castTo(index, node.builder().getI64Type());
  Shape rows(indices.begin(), indices.end() - 1);
  Shape leading(shape.begin(), shape.begin() + batch + count);
  Shape table = {*countOf(leading)};
  table.insert(table.end(), shape.begin() + batch + count, shape.end());
  Tensor row(node.trace(), nullptr);
  for (size_t d = 0; d < leading.size(); ++d) {
    Tensor at = row;
    if (int64_t(d) < batch)
      at = iota(nn::splat(node.trace(), rows, 0.0), d);
    else
      at = wrapped(nn::reshape(nn::slice(index, indices.size() - 1, d - batch,
                                         d - batch + 1),
                               rows),
                   shape[d]);
    at = at * numberLike(at, double(strideOf(leading, d)));
    row = row ? row + at : at;
  }
  return node.set(0, nn::gather(nn::reshape(x, table), row));
}
