//===- Choice.cpp - Booleans, positions, masks ----------------------------===//

#include "Emit.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

/// Imports an op of two booleans.
static bool logical(NodeImport &node,
                    llvm::function_ref<Tensor(Tensor, Tensor)> make) {
  for (size_t k = 0; k < 2; ++k)
    if (node.in(k).type != TensorElement::Bool)
      return node.refuse("its inputs are " + nameOf(node.in(k).type) +
                         ", and only bool is supported");
  std::optional<Unified> unified = unify(node, {0, 1});
  return unified &&
         setUnified(node, *unified,
                    make(unified->operands[0], unified->operands[1]));
}

bool onnx::importAnd(NodeImport &node) {
  return logical(node, [](Tensor x, Tensor y) { return nn::select(x, y, x); });
}

bool onnx::importOr(NodeImport &node) {
  return logical(node, [](Tensor x, Tensor y) { return nn::select(x, x, y); });
}

bool onnx::importXor(NodeImport &node) {
  return logical(node, [](Tensor x, Tensor y) {
    return compare(ComparePredicate::NE, x, y);
  });
}

/// Imports a test of the elements of a tensor.
static bool test(NodeImport &node, llvm::function_ref<Tensor(Tensor)> make) {
  Laid x = laid(node, 0);
  return x.tensor && setLaid(node, x, make(x.tensor));
}

bool onnx::importNot(NodeImport &node) {
  return test(node, [](Tensor x) {
    return compare(ComparePredicate::EQ, x, numberLike(x, 0.0));
  });
}

bool onnx::importIsNaN(NodeImport &node) {
  return test(node,
              [](Tensor x) { return compare(ComparePredicate::NE, x, x); });
}

bool onnx::importIsInf(NodeImport &node) {
  bool above = node.integer("detect_positive", 1) != 0;
  bool below = node.integer("detect_negative", 1) != 0;
  double infinity = std::numeric_limits<double>::infinity();
  return test(node, [&](Tensor x) {
    Tensor size = above && below ? emit<sg::AbsOp>(x)
                  : above        ? x
                                 : emit<sg::NegOp>(x);
    if (!above && !below) // never
      return compare(ComparePredicate::LT, x, x);
    return compare(ComparePredicate::EQ, size, numberLike(x, infinity));
  });
}

bool onnx::importSign(NodeImport &node) {
  return test(node, [](Tensor x) {
    Tensor zero = numberLike(x, 0.0);
    Tensor above = castLike(compare(ComparePredicate::GT, x, zero), x);
    Tensor below = castLike(compare(ComparePredicate::LT, x, zero), x);
    return emit<sg::SubOp>({above, below});
  });
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The position along dimension d of the largest element, as i64, without d:
/// the first one of equal elements, or the last one.
static Tensor positionOfLargest(Tensor x, int64_t d, bool last) {
  Tensor top = reduce<sg::ReduceMaxOp>(x, {d});
  Tensor isTop =
      compare(ComparePredicate::EQ, x, repeatAlong(top, x, /*dropped=*/d));
  Tensor number = iota(x, d);
  double highest = x.dim(d) - 1;
  if (!last)
    number = numberLike(number, highest) - number;
  Tensor picked = nn::select(isTop, number, numberLike(number, 0.0));
  Tensor result = reduce<sg::ReduceMaxOp>(picked, {d});
  return last ? result : numberLike(result, highest) - result;
}

/// x in the opposite order.
static Tensor opposite(Tensor x) {
  if (!x || isa<FloatType>(x.getType().getElementType()))
    return emit<sg::NegOp>(x);
  return numberLike(x, -1.0) - x; // does not overflow
}

static bool position(NodeImport &node, bool isLargest) {
  auto axis = node.axis(node.integer("axis", 0), node.in(0).rank());
  if (!axis)
    return false;
  bool keeps = node.integer("keepdims", 1) != 0;
  Laid x = laid(node, 0);
  if (x.isLast && !keeps)
    x = {node.plain(0), false, x.rank};
  if (!x.tensor)
    return false;
  int64_t d = x.at(*axis);
  Tensor y = positionOfLargest(isLargest ? x.tensor : opposite(x.tensor), d,
                               node.integer("select_last_index", 0) != 0);
  if (!keeps || !y)
    return node.set(0, y);
  Shape kept(x.tensor.getType().getShape());
  kept[d] = 1;
  return setLaid(node, x, nn::reshape(y, kept));
}

bool onnx::importArgMax(NodeImport &node) { return position(node, true); }
bool onnx::importArgMin(NodeImport &node) { return position(node, false); }

bool onnx::importHardmax(NodeImport &node) {
  return alongAxis(node, [](Tensor x) {
    int64_t d = x.getType().getRank() - 1;
    Tensor at = positionOfLargest(x, d, /*last=*/false);
    return castLike(
        compare(ComparePredicate::EQ, iota(x, d), repeatAlong(at, x, d)), x);
  });
}

bool onnx::importOneHot(NodeImport &node) {
  std::optional<double> depth = node.requiredNumber(1);
  if (!depth)
    return false;
  if (!(*depth >= 1 && *depth <= INT32_MAX))
    return node.refuse("its depth is " + std::to_string(*depth));
  Tensor index = node.plain(0), values = node.plain(2);
  if (!index || !values)
    return false;
  if (values.getType().getShape() != llvm::ArrayRef<int64_t>({2}))
    return node.refuse("its values are not two numbers");
  int64_t rank = index.getType().getRank();
  auto axis = node.axis(node.integer("axis", -1), rank + 1);
  if (!axis)
    return false;
  Shape shape(index.getType().getShape()), dims;
  shape.insert(shape.begin() + *axis, int64_t(*depth));
  for (int64_t d = 0; d <= rank; ++d)
    if (d != *axis)
      dims.push_back(d);
  Type word = node.builder().getI64Type();
  index = wrapped(castTo(index, word), int64_t(*depth));
  Tensor wide = nn::broadcast(index, shape, dims);
  Tensor isOn = compare(ComparePredicate::EQ, wide, iota(wide, *axis));
  auto part = [&](int64_t k) {
    Tensor one = nn::reshape(nn::slice(values, 0, k, k + 1), {});
    return nn::broadcast(one, shape, {});
  };
  Tensor off = part(0), on = part(1);
  return node.set(0, nn::select(isOn, on, off));
}

//===----------------------------------------------------------------------===//
// Diagonals and running sums
//===----------------------------------------------------------------------===//

/// The number of the column minus that of the row, as i64.
static Tensor diagonalOf(Tensor like) {
  int64_t rank = like.getType().getRank();
  return iota(like, rank - 1) - iota(like, rank - 2);
}

bool onnx::importTrilu(NodeImport &node) {
  Tensor x = node.plain(0);
  if (!x)
    return false;
  if (x.getType().getRank() < 2)
    return node.refuse("its input has a rank below 2");
  Tensor diagonal = diagonalOf(x), bound = numberLike(diagonal, 0.0);
  if (std::optional<double> k = node.has(1) ? node.number(1) : 0.0)
    bound = numberLike(diagonal, *k);
  else if (Tensor given = node.plain(1); given)
    bound = nn::broadcast(
        nn::reshape(castTo(given, node.builder().getI64Type()), {}),
        x.getType().getShape(), {});
  Tensor isKept = compare(node.integer("upper", 1) ? ComparePredicate::GE
                                                   : ComparePredicate::LE,
                          diagonal, bound);
  return node.set(0, nn::select(isKept, x, numberLike(x, 0.0)));
}

bool onnx::importEyeLike(NodeImport &node) {
  auto to = static_cast<TensorElement>(
      node.integer("dtype", int64_t(node.in(0).type)));
  Type element = elementOf(node.builder(), to);
  Tensor x = node.plain(0);
  if (!element || !x || x.getType().getRank() != 2)
    return node.refuse("its result is " + nameOf(to) + " of rank " +
                       std::to_string(node.in(0).rank()));
  Tensor diagonal = diagonalOf(x);
  Tensor isOne = compare(ComparePredicate::EQ, diagonal,
                         numberLike(diagonal, double(node.integer("k", 0))));
  return node.set(0, castTo(isOne, element));
}

/// x moved along dimension d by `by` places, towards the end or the beginning,
/// with zeros in the places that become free.
static Tensor shifted(Tensor x, int64_t d, int64_t by, bool towardsEnd) {
  int64_t n = x.dim(d);
  Shape low(x.getType().getRank(), 0), high = low;
  (towardsEnd ? low : high)[d] = by;
  Tensor rest =
      towardsEnd ? nn::slice(x, d, 0, n - by) : nn::slice(x, d, by, n);
  return pad(rest, low, high, 0.0);
}

/// Adds sums of 1, 2, 4, ... elements, so that a sum has few additions.
bool onnx::importCumSum(NodeImport &node) {
  auto given = node.requiredNumber(1);
  if (!given)
    return false;
  if (!(std::fabs(*given) < 64))
    return node.refuse("its axis is " + std::to_string(*given));
  auto axis = node.axis(int64_t(*given), node.in(0).rank());
  if (!axis)
    return false;
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  int64_t d = x.at(*axis), n = x.tensor.dim(d);
  bool forwards = node.integer("reverse", 0) == 0;
  Tensor y = x.tensor;
  if (node.integer("exclusive", 0))
    y = n == 1 ? numberLike(y, 0.0) : shifted(y, d, 1, forwards);
  for (int64_t by = 1; y && by < n; by *= 2)
    y = y + shifted(y, d, by, forwards);
  return setLaid(node, x, y);
}
