//===- Scattering.cpp - Elements to places, and by order ------------------===//
//
// sg has no scatter and no sort. Places are found by comparing each of them
// with each index, as sg.gather_grad does; elements are then gathered.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

/// The limit of comparisons of one node.
static constexpr int64_t kMostComparisons = int64_t(1) << 31;

/// x with a new dimension `d` of an extent, along which it repeats.
static Tensor repeated(Tensor x, int64_t d, int64_t extent) {
  if (!x)
    return x;
  Shape shape(x.getType().getShape()), dims;
  shape.insert(shape.begin() + d, extent);
  for (int64_t k = 0; k < int64_t(shape.size()); ++k)
    if (k != d)
      dims.push_back(k);
  return nn::broadcast(x, shape, dims);
}

/// The number of an element in a row-major tensor of `shape`, whose position is
/// `at` in dimension d and that of the element in the others.
static Tensor numberOf(Tensor at, int64_t d, const Shape &shape) {
  Tensor number = numberLike(at, 0.0);
  int64_t stride = 1;
  for (int64_t k = int64_t(shape.size()) - 1; k >= 0; --k) {
    Tensor place = k == d ? at : iota(at, k);
    number = number + place * numberLike(place, double(stride));
    stride *= shape[k];
  }
  return number;
}

namespace {
/// Updates and the places that they go to: (places, updates, inner...), with
/// `hits` true where the update goes to the place.
struct Scatter {
  Tensor data, updates, hits; // data: (places, inner...)
};
} // namespace

/// Adds the updates to their places, multiplies these, or takes the largest or
/// the smallest.
static std::optional<Tensor> combine(const Scatter &s,
                                     const std::string &reduction) {
  Tensor wide = repeated(s.updates, 0, s.data.dim(0));
  double infinity = std::numeric_limits<double>::infinity();
  if (reduction == "add")
    return s.data + reduce<sg::ReduceSumOp>(
                        nn::select(s.hits, wide, numberLike(wide, 0.0)), {1});
  if (reduction == "mul") {
    Tensor product =
        productAlong(nn::select(s.hits, wide, numberLike(wide, 1.0)), 1);
    return product ? s.data * nn::reshape(product, s.data.getType().getShape())
                   : product;
  }
  if (reduction == "max")
    return emit<sg::MaximumOp>(
        {s.data,
         reduce<sg::ReduceMaxOp>(
             nn::select(s.hits, wide, numberLike(wide, -infinity)), {1})});
  if (reduction == "min") {
    Tensor negative = emit<sg::NegOp>(wide);
    return emit<sg::MinimumOp>(
        {s.data,
         emit<sg::NegOp>(reduce<sg::ReduceMaxOp>(
             nn::select(s.hits, negative, numberLike(wide, -infinity)), {1}))});
  }
  return std::nullopt;
}

/// The last update of each place along dimension 1 of `hits`; -1 where there is
/// none.
static Tensor lastHit(Tensor hits, Builder &builder) {
  Tensor number = iota(hits, 1, builder.getI64Type());
  return reduce<sg::ReduceMaxOp>(
      nn::select(hits, number, numberLike(number, -1.0)), {1});
}

/// Refuses what neither op of scattering takes.
static bool checkScatter(NodeImport &node, int64_t comparisons) {
  for (size_t k : {0, 2})
    if (!onnx::isReal(node.in(k).type))
      return node.refuse("its input " + std::to_string(k) + " is " +
                         nameOf(node.in(k).type) +
                         ", and only float is supported");
  if (!isInteger(node.in(1).type))
    return node.refuse("its indices are " + nameOf(node.in(1).type));
  if (comparisons > kMostComparisons)
    return node.refuse("it compares " + std::to_string(comparisons) +
                       " places with indices; the limit is " +
                       std::to_string(kMostComparisons));
  std::string reduction = node.text("reduction", "none");
  if (!llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction))
    return node.refuse("the reduction '" + reduction + "' is not supported");
  return true;
}

/// Place (a, ...) of the axis gets the update whose index is a, from the same
/// position in the other dimensions.
bool onnx::importScatterElements(NodeImport &node) {
  const Shape shape = node.in(0).shape, from = node.in(1).shape;
  auto axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis)
    return false;
  bool fits = from == node.in(2).shape && from.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = int64_t(d) == *axis || from[d] <= shape[d];
  if (!fits)
    return node.refuse("its indices " + textOf(from) + " do not fit");
  if (!checkScatter(node, *countOf(shape) * from[*axis]))
    return false;
  Tensor data = node.plain(0), index = node.plain(1), updates = node.plain(2);
  if (!data || !index || !updates)
    return false;
  index = wrapped(castTo(index, node.builder().getI64Type()), shape[*axis]);
  // Positions that have no update get the index -1, which is no place.
  Shape low(shape.size(), 0), high(shape.size(), 0), order = {*axis}, back;
  for (size_t d = 0; d < shape.size(); ++d) {
    high[d] = int64_t(d) == *axis ? 0 : shape[d] - from[d];
    if (int64_t(d) != *axis)
      order.push_back(d);
    back.push_back(int64_t(d) == *axis ? 0 : int64_t(d) < *axis ? d + 1 : d);
  }
  index = plus(pad(plus(index, 1.0), low, high, 0.0), -1.0);
  index = permute(index, order);
  Scatter s{permute(data, order), permute(pad(updates, low, high, 0.0), order),
            Tensor(node.trace(), nullptr)};
  Tensor wide = repeated(index, 0, shape[*axis]);
  s.hits = compare(ComparePredicate::EQ, wide, iota(wide, 0));
  if (auto combined = combine(s, node.text("reduction", "none")))
    return node.set(0, permute(*combined, back));
  Tensor last = lastHit(s.hits, node.builder());
  Shape table(s.updates.getType().getShape());
  Tensor picked =
      nn::gather(nn::reshape(s.updates, {s.updates.getType().getNumElements()}),
                 numberOf(last, 0, table));
  Tensor isKept = compare(ComparePredicate::LT, last, numberLike(last, 0.0));
  return node.set(0, permute(nn::select(isKept, s.data, picked), back));
}

/// The last dimension of the indices is a position of the data's first
/// dimensions, whose rows the updates replace.
bool onnx::importScatterND(NodeImport &node) {
  const Shape shape = node.in(0).shape, from = node.in(1).shape;
  int64_t count = from.empty() ? 0 : from.back(), rank = shape.size();
  if (count < 1 || count > rank)
    return node.refuse("its indices " + textOf(from) + " do not fit");
  Shape expected(from.begin(), from.end() - 1);
  expected.insert(expected.end(), shape.begin() + count, shape.end());
  if (expected != node.in(2).shape)
    return node.refuse("its updates " + textOf(node.in(2).shape) +
                       " do not fit");
  Shape leading(shape.begin(), shape.begin() + count);
  int64_t places = *countOf(leading), inner = *countOf(shape) / places;
  int64_t rows = *countOf(from) / count;
  if (!checkScatter(node, places * rows))
    return false;
  Tensor data = node.plain(0), index = node.plain(1), updates = node.plain(2);
  if (!data || !index || !updates)
    return false;
  index =
      nn::reshape(castTo(index, node.builder().getI64Type()), {rows, count});
  Tensor row(node.trace(), nullptr);
  int64_t stride = 1;
  for (int64_t d = count - 1; d >= 0; --d) {
    Tensor at =
        wrapped(nn::reshape(nn::slice(index, 1, d, d + 1), {rows}), shape[d]);
    at = at * numberLike(at, double(stride));
    row = row ? row + at : at;
    stride *= shape[d];
  }
  Tensor wide = repeated(row, 0, places);
  Tensor hits = compare(ComparePredicate::EQ, wide, iota(wide, 0));
  Scatter s{nn::reshape(data, {places, inner}),
            nn::reshape(updates, {rows, inner}), hits};
  std::string reduction = node.text("reduction", "none");
  Tensor result(node.trace(), nullptr);
  if (reduction != "none") {
    if (inner > kMostComparisons / (places * rows))
      return node.refuse("it adds up too many places and indices");
    s.hits = repeated(hits, 2, inner);
    result = *combine(s, reduction);
  } else {
    Tensor last = lastHit(hits, node.builder());
    Tensor isKept = repeated(
        compare(ComparePredicate::LT, last, numberLike(last, 0.0)), 1, inner);
    result = nn::select(isKept, s.data, nn::gather(s.updates, last));
  }
  return node.set(0, nn::reshape(result, shape));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The place of each element along the last dimension by decreasing size, and
/// of equal ones by position.
static Tensor rankOf(Tensor x) {
  int64_t rank = x.getType().getRank(), n = x.dim(rank - 1);
  Tensor own = repeated(x, rank, n), other = repeated(x, rank - 1, n);
  Tensor isAbove = compare(ComparePredicate::GT, other, own);
  Tensor isEqual = compare(ComparePredicate::EQ, other, own);
  Tensor isBefore =
      compare(ComparePredicate::LT, iota(own, rank), iota(own, rank - 1));
  Tensor precedes =
      nn::select(isAbove, isAbove, nn::select(isEqual, isBefore, isEqual));
  return reduce<sg::ReduceSumOp>(castLike(precedes, x), {rank});
}

bool onnx::importTopK(NodeImport &node) {
  if (!onnx::isReal(node.in(0).type))
    return node.refuse("its input is " + nameOf(node.in(0).type) +
                       ", and only float is supported");
  std::optional<double> given =
      node.opset < 10 ? double(node.integer("k", 0)) : node.requiredNumber(1);
  int64_t rank = node.in(0).rank();
  auto axis = node.axis(node.integer("axis", -1), std::max<int64_t>(rank, 1));
  if (!given || !axis)
    return false;
  int64_t n = rank ? node.in(0).shape[*axis] : 0;
  if (!(*given >= 1 && *given <= double(n)))
    return node.refuse("it takes " + std::to_string(int64_t(*given)) + " of " +
                       std::to_string(n) + " elements");
  if (*countOf(node.in(0).shape) > kMostComparisons / n || n > 1 << 24)
    return node.refuse("its axis of " + std::to_string(n) +
                       " elements is too long to be sorted");
  Tensor x = node.plain(0);
  if (!x)
    return false;
  bool isLargest = node.integer("largest", 1) != 0;
  int64_t k = int64_t(*given);
  auto taken = [&](bool positions) {
    return along(x, *axis, [&](Tensor y) {
      Tensor place = rankOf(isLargest ? y : emit<sg::NegOp>(y));
      Tensor wide = repeated(place, rank - 1, k);
      Tensor isHere = compare(ComparePredicate::EQ, wide,
                              castLike(iota(wide, rank - 1), wide));
      if (positions) {
        Tensor number = iota(wide, rank);
        return reduce<sg::ReduceMaxOp>(
            nn::select(isHere, number, numberLike(number, 0.0)), {rank});
      }
      Tensor values = repeated(y, rank - 1, k);
      return reduce<sg::ReduceSumOp>(
          nn::select(isHere, values, numberLike(values, 0.0)), {rank});
    });
  };
  return (!node.hasOutput(0) || node.set(0, taken(false))) &&
         (!node.hasOutput(1) || node.set(1, taken(true)));
}
