//===- Movement.cpp - Elements in other places ----------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

bool onnx::importTranspose(NodeImport &node) {
  int64_t rank = node.in(0).rank();
  Shape order(rank);
  for (int64_t k = 0; k < rank; ++k)
    order[k] = rank - 1 - k;
  if (auto given = node.integers("perm"))
    order = *given;
  llvm::SmallVector<bool> seen(rank, false);
  bool isGood = int64_t(order.size()) == rank;
  for (int64_t d : order) {
    isGood = isGood && d >= 0 && d < rank && !seen[d];
    if (isGood)
      seen[d] = true;
  }
  if (!isGood)
    return node.refuse("perm is no order of rank " + std::to_string(rank));
  Laid x = laid(node, 0);
  Shape moves;
  for (int64_t d : order)
    moves.push_back(x.at(d));
  // Files that are channels-last move the channels around each layer.
  bool isLast = rank > 2;
  for (int64_t k = 0; isLast && k < rank; ++k)
    isLast = moves[lastOrder(rank)[k]] == k;
  if (isLast && x.tensor)
    return node.setLast(0, x.tensor);
  return x.tensor && node.set(0, permute(x.tensor, moves));
}

/// The dimension along which inputs without samples are repeated: those of a
/// file of one sample have there the extent 1, others the batch.
static std::optional<size_t> samplesOf(NodeImport &node, size_t axis) {
  const Importer &importer = node.importer;
  // Integers may be the numbers of the samples.
  if (importer.fileBatch != 1 || importer.batch == 1 ||
      !onnx::isReal(node.in(0).type))
    return std::nullopt;
  for (size_t d = 0; d < node.in(0).shape.size(); ++d) {
    bool isOne = false, isBatch = false;
    for (size_t k = 0; k < node.inputs() && d != axis; ++k) {
      const Shape &shape = node.in(k).shape;
      isOne |= d < shape.size() && shape[d] == 1;
      isBatch |= d < shape.size() && shape[d] == importer.batch;
    }
    if (isOne && isBatch)
      return d;
  }
  return std::nullopt;
}

/// x, whose dimension d may have the extent 1, with another one.
static Tensor repeatTo(const Tensor &x, int64_t d, int64_t extent) {
  if (x.dim(d) == extent)
    return x;
  Shape shape(x.getType().getShape()), dims;
  for (size_t k = 0; k < shape.size(); ++k)
    dims.push_back(k);
  shape[d] = extent;
  return nn::broadcast(x, shape, dims);
}

bool onnx::importConcat(NodeImport &node) {
  if (node.inputs() == 0)
    return node.refuse("it joins nothing");
  int64_t rank = node.in(0).rank();
  auto axis = node.axis(node.integer("axis", 1), rank);
  if (!axis)
    return false;
  llvm::SmallVector<onnx::Value *> inputs;
  for (size_t k = 0; k < node.inputs(); ++k)
    inputs.push_back(&node.in(k));
  if (llvm::all_of(inputs, [&](const onnx::Value *value) {
        return value->rank() == rank;
      }))
    node.importer.followAll(inputs, *axis);
  std::optional<size_t> samples = samplesOf(node, *axis);
  Shape target = node.in(0).shape;
  bool isLast = false;
  for (size_t k = 0; k < node.inputs(); ++k) {
    const Shape &shape = node.in(k).shape;
    Shape other = shape;
    if (node.in(k).rank() == rank)
      other[*axis] = target[*axis];
    if (samples && node.in(k).rank() == rank)
      other[*samples] = target[*samples] = node.importer.batch;
    if (other != target || node.in(k).type != node.in(0).type)
      return node.refuse("its inputs, " + textOf(node.in(0).shape) + " and " +
                         textOf(shape) + ", differ in other dimensions than " +
                         "axis " + std::to_string(*axis) +
                         (node.in(k).type == node.in(0).type
                              ? node.importer.batchHint()
                              : ", or in type"));
    isLast |= node.in(k).prefersLast();
  }
  llvm::SmallVector<Tensor> tensors;
  for (size_t k = 0; k < node.inputs(); ++k) {
    tensors.push_back(isLast ? node.last(k) : node.plain(k));
    if (!tensors.back())
      return false;
  }
  Laid position{tensors.front(), isLast, rank};
  for (Tensor &tensor : tensors)
    if (samples)
      tensor = repeatTo(tensor, position.at(*samples), node.importer.batch);
  Tensor y = tensors.size() == 1 ? tensors.front()
                                 : nn::concat(tensors, position.at(*axis));
  return setLaid(node, position, y);
}

/// Returns the sizes of a split; nothing after a refusal.
static std::optional<Shape> partsOf(NodeImport &node, int64_t extent) {
  bool given;
  auto sizes = node.integersOf("split", 1, given);
  if (!sizes)
    return std::nullopt;
  int64_t count = node.node.outputs.size();
  if (!given) {
    int64_t size = llvm::divideCeil(extent, std::max<int64_t>(count, 1));
    for (int64_t k = 0, rest = extent; k < count; ++k, rest -= size)
      sizes->push_back(std::min(size, rest));
  }
  int64_t sum = 0;
  bool isGood = int64_t(sizes->size()) == count;
  for (int64_t size : *sizes) {
    isGood = isGood && size >= 1 && size <= extent;
    sum += isGood ? size : 0;
  }
  if (isGood && sum == extent)
    return sizes;
  node.refuse("its parts do not add up to " + std::to_string(extent));
  return std::nullopt;
}

bool onnx::importSplit(NodeImport &node) {
  auto axis = node.axis(node.integer("axis", 0), node.in(0).rank());
  if (!axis)
    return false;
  auto sizes = partsOf(node, node.in(0).shape[*axis]);
  Laid x = laid(node, 0);
  if (!sizes || !x.tensor)
    return false;
  int64_t begin = 0;
  for (auto [k, size] : llvm::enumerate(*sizes)) {
    Tensor part = nn::slice(x.tensor, x.at(*axis), begin, begin + size);
    begin += size;
    if (!(x.isLast ? node.setLast(k, part) : node.set(k, part)))
      return false;
  }
  return true;
}

bool onnx::importSlice(NodeImport &node) {
  bool given;
  auto starts = node.integersOf("starts", 1, given);
  auto ends = node.integersOf("ends", 2, given);
  auto axes = node.integersOf("axes", 3, given);
  auto steps = node.integersOf("steps", 4, given);
  if (!starts || !ends || !axes || !steps)
    return false;
  const Shape shape = node.in(0).shape;
  if (axes->empty())
    for (size_t d = 0; d < starts->size(); ++d)
      axes->push_back(d);
  if (steps->empty())
    steps->assign(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size())
    return node.refuse("its lists have different lengths");
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  Shape from(shape.size(), 0), by(shape.size(), 1), reversed;
  Shape to(x.tensor.getType().getShape());
  for (size_t k = 0; k < starts->size(); ++k) {
    auto axis = node.axis((*axes)[k], shape.size());
    if (!axis)
      return false;
    int64_t n = shape[*axis], d = x.at(*axis);
    int64_t step = (*steps)[k];
    if (step == 0 || step == INT64_MIN)
      return node.refuse("its step is " + std::to_string(step));
    // Steps towards the beginning count from the end of the reversed axis.
    if (step < 0)
      reversed.push_back(d);
    if (step < 0 && n > 1 << 20)
      return node.refuse("an axis of " + std::to_string(n) +
                         " elements is too long to be reversed");
    auto bound = [&](int64_t at) {
      int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
      int64_t positive = std::clamp(at < 0 ? at + n : at, low, high);
      return step < 0 ? n - 1 - positive : positive;
    };
    from[d] = bound((*starts)[k]);
    to[d] = bound((*ends)[k]);
    by[d] = std::min(std::abs(step), n);
    if (from[d] >= to[d])
      return node.refuse("its result has no elements");
  }
  Tensor whole = x.tensor;
  for (int64_t d : reversed) {
    Shape order;
    for (int64_t k = whole ? whole.dim(d) : 0; k-- > 0;)
      order.push_back(k);
    whole = takeAlong(whole, d, order);
  }
  return setLaid(node, x, strided(whole, from, to, by));
}

/// Returns the padding of each dimension: all beginnings, then all ends.
static std::optional<Shape> paddingOf(NodeImport &node) {
  bool given;
  auto pads = node.integersOf("pads", 1, given);
  if (!pads)
    return std::nullopt;
  size_t rank = node.in(0).rank();
  if (node.has(3)) {
    bool hasAxes;
    auto axes = node.integersOf("", 3, hasAxes);
    if (!axes || pads->size() != 2 * axes->size()) {
      if (axes)
        node.refuse("its pads and axes have different lengths");
      return std::nullopt;
    }
    Shape whole(2 * rank, 0);
    for (size_t k = 0; k < axes->size(); ++k) {
      auto axis = node.axis((*axes)[k], rank);
      if (!axis)
        return std::nullopt;
      whole[*axis] = (*pads)[k];
      whole[rank + *axis] = (*pads)[axes->size() + k];
    }
    return whole;
  }
  if (pads->size() == 2 * rank)
    return pads;
  node.refuse("it gives " + std::to_string(pads->size()) + " pads for rank " +
              std::to_string(rank));
  return std::nullopt;
}

/// The element that a place outside an axis repeats: the nearest one, the one
/// at the other end, or the mirrored one.
static int64_t repeated(llvm::StringRef mode, int64_t at, int64_t n) {
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, n - 1);
  if (mode == "wrap")
    return ((at % n) + n) % n;
  int64_t period = std::max<int64_t>(2 * (n - 1), 1);
  at = ((at % period) + period) % period;
  return at < n ? at : period - at;
}

static bool padByElements(NodeImport &node, const std::string &mode,
                          const Shape &pads) {
  if (mode != "edge" && mode != "wrap" && mode != "reflect")
    return node.refuse("mode '" + mode + "' is unknown");
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  Tensor y = x.tensor;
  for (int64_t axis = 0; y && axis < x.rank; ++axis) {
    int64_t low = pads[axis], high = pads[x.rank + axis];
    int64_t d = x.at(axis), n = y.dim(d);
    if (low == 0 && high == 0)
      continue;
    int64_t most = 1 << 20;
    if (low < -most || low > most || high < -most || high > most || n > most ||
        n + low + high < 1)
      return node.refuse("its padding is " + std::to_string(low) + " and " +
                         std::to_string(high));
    Shape order;
    for (int64_t at = -low; at < n + high; ++at)
      order.push_back(repeated(mode, at, n));
    y = takeAlong(y, d, order);
  }
  return setLaid(node, x, y);
}

bool onnx::importPad(NodeImport &node) {
  std::string mode = node.text("mode", "constant");
  auto pads = paddingOf(node);
  if (!pads)
    return false;
  if (mode != "constant")
    return padByElements(node, mode, *pads);
  std::optional<double> value = node.opset < 11 ? node.number("value", 0.0)
                                : node.has(2)   ? node.requiredNumber(2)
                                                : 0.0;
  if (!value)
    return false;
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  Shape low(x.rank), high(x.rank), from(x.rank), ones(x.rank, 1);
  for (int64_t d = 0; d < x.rank; ++d) {
    low[x.at(d)] = (*pads)[d];
    high[x.at(d)] = (*pads)[x.rank + d];
  }
  // Negative padding cuts.
  Shape to(x.tensor.getType().getShape());
  for (int64_t d = 0; d < x.rank; ++d) {
    from[d] = std::max<int64_t>(-low[d], 0);
    to[d] += std::min<int64_t>(high[d], 0);
    if (low[d] < -INT32_MAX || from[d] >= to[d])
      return node.refuse("its result has no elements");
    low[d] = std::max<int64_t>(low[d], 0);
    high[d] = std::max<int64_t>(high[d], 0);
  }
  Tensor y = strided(x.tensor, from, to, ones);
  return setLaid(node, x, pad(y, low, high, *value));
}

bool onnx::importExpand(NodeImport &node) {
  bool given;
  auto wanted = node.integersOf("", 1, given);
  Importer &importer = node.importer;
  for (size_t d = 0;
       wanted && importer.fileBatch > 1 &&
       wanted->size() == node.in(0).shape.size() && d < wanted->size();
       ++d)
    if ((*wanted)[d] == importer.batch &&
        node.in(0).shape[d] == importer.fileBatch &&
        importer.batch != importer.fileBatch)
      (void)importer.follow(node.in(0), d);
  Tensor x = wanted ? node.plain(0) : Tensor(node.trace(), nullptr);
  if (!x)
    return false;
  Shape from(x.getType().getShape()), dims;
  size_t rank = std::max(from.size(), wanted->size());
  from.insert(from.begin(), rank - from.size(), 1);
  wanted->insert(wanted->begin(), rank - wanted->size(), 1);
  // A constant that is repeated for each of the file's samples.
  int64_t samples = node.importer.fileBatch;
  if (samples > 1 && !wanted->empty() && wanted->front() == samples &&
      from.front() == 1)
    wanted->front() = node.importer.batch;
  for (size_t d = 0; d < rank; ++d) {
    dims.push_back(d);
    int64_t &extent = (*wanted)[d];
    if (extent < 1 || (extent != 1 && from[d] != 1 && extent != from[d]))
      return node.refuse("shape " + textOf(from) + " does not broadcast to " +
                         textOf(*wanted) + node.importer.batchHint());
    extent = std::max(extent, from[d]);
  }
  return node.set(0, nn::broadcast(nn::reshape(x, from), *wanted, dims));
}

bool onnx::importTile(NodeImport &node) {
  bool given;
  auto repeats = node.integersOf("", 1, given);
  Tensor x = repeats ? node.plain(0) : Tensor(node.trace(), nullptr);
  if (!x)
    return false;
  llvm::ArrayRef<int64_t> shape = x.getType().getShape();
  if (repeats->size() != shape.size())
    return node.refuse("it gives " + std::to_string(repeats->size()) +
                       " repeats for rank " + std::to_string(shape.size()));
  Shape from, to, joined, dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t count = (*repeats)[d], samples = node.importer.fileBatch;
    if (d == 0 && samples > 1 && count == samples && shape[d] == 1)
      count = node.importer.batch;
    if (count < 1 || count > INT32_MAX)
      return node.refuse("its result has no elements, or too many");
    from.insert(from.end(), {1, shape[d]});
    to.insert(to.end(), {count, shape[d]});
    joined.push_back(count * shape[d]);
  }
  for (size_t d = 0; d < to.size(); ++d)
    dims.push_back(d);
  return node.set(
      0, nn::reshape(nn::broadcast(nn::reshape(x, from), to, dims), joined));
}
