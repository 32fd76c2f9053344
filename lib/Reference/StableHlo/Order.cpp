//===- Order.cpp - Values of sorting ops ----------------------------------===//
#include "Models.h"

#include <numeric>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

/// Sorts by merging, stably. Unlike std::stable_sort, it stays inside the list
/// whatever `isBefore`, which the program defines, answers.
static void mergeSort(MutableArrayRef<int64_t> list,
                      llvm::function_ref<bool(int64_t, int64_t)> isBefore) {
  if (list.size() < 2)
    return;
  size_t half = list.size() / 2;
  mergeSort(list.take_front(half), isBefore);
  mergeSort(list.drop_front(half), isBefore);
  SmallVector<int64_t> left(list.take_front(half)),
      right(list.drop_front(half));
  size_t l = 0, r = 0;
  for (int64_t &place : list) {
    bool takesRight =
        l == left.size() || (r < right.size() && isBefore(right[r], left[l]));
    place = takesRight ? right[r++] : left[l++];
  }
}

/// Calls `visit` with the position of the first element of each line along
/// dimension d.
static void forEachLine(ArrayRef<int64_t> shape, int64_t d,
                        llvm::function_ref<void(int64_t)> visit) {
  SmallVector<int64_t> lines(shape), strides = hlo::stridesOf(shape);
  if (!lines[d])
    return;
  lines[d] = 1;
  forEachIndex(lines, [&](ArrayRef<int64_t> index) {
    int64_t at = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      at += i * stride;
    visit(at);
  });
}

static Tensor elementOf(const Tensor &tensor, int64_t i) {
  Tensor scalar(RankedTensorType::get({}, tensor.getElementType()));
  scalar.copyElement(0, tensor, i);
  return scalar;
}

hlo::Results hlo::evaluateSort(SortOp op, Operands operands, Body body) {
  SmallVector<Tensor> made;
  for (const Tensor *operand : operands) {
    if (operand->getShape() != operands.front()->getShape())
      return misfit(op);
    made.push_back(*operand);
  }
  if (made.empty() || op.getNumResults() != made.size())
    return misfit(op);
  int64_t rank = made.front().getRank();
  int64_t d = op.getDimension().value_or(-1);
  d += d < 0 ? rank : 0;
  if (d < 0 || d >= rank)
    return misfit(op);
  int64_t step = stridesOf(made.front().getShape())[d];
  bool isGood = true;
  auto isBefore = [&](int64_t a, int64_t b) {
    if (!isGood)
      return false;
    SmallVector<Tensor> arguments;
    for (const Tensor *operand : operands)
      for (int64_t at : {a, b})
        arguments.push_back(elementOf(*operand, at));
    Results answer = body(op.getComparator(), arguments);
    isGood = succeeded(answer) && answer->size() == 1 &&
             answer->front().getElementType().isInteger(1);
    return isGood && answer->front().integer(0) != 0;
  };
  SmallVector<int64_t> order(made.front().getDim(d));
  forEachLine(made.front().getShape(), d, [&](int64_t first) {
    for (auto [k, at] : llvm::enumerate(order))
      at = first + int64_t(k) * step;
    mergeSort(order, isBefore);
    for (auto [tensor, operand] : llvm::zip(made, operands))
      for (auto [k, from] : llvm::enumerate(order))
        tensor.copyElement(first + int64_t(k) * step, *operand, from);
  });
  return isGood ? Results(made) : Results(misfit(op));
}

/// Equal numbers keep their order, which is the total one: NaNs come first, and
/// negative ones last.
hlo::Results hlo::evaluateTopK(chlo::TopKOp op, Operands operands) {
  const Tensor &from = *operands[0];
  Tensor values(typeOf(cast<OpResult>(op.getValues())));
  Tensor indices(typeOf(cast<OpResult>(op.getIndices())));
  SmallVector<int64_t> shape(from.getShape());
  if (shape.empty() || op.getK() > uint64_t(shape.back()) || from.isComplex() ||
      indices.isReal() || indices.isComplex() ||
      values.getElementType() != from.getElementType())
    return misfit(op);
  int64_t extent = std::exchange(shape.back(), op.getK()), to = 0;
  if (values.getShape() != ArrayRef(shape) ||
      indices.getShape() != ArrayRef(shape))
    return misfit(op);
  auto integer = dyn_cast<IntegerType>(from.getElementType());
  int64_t flip = integer && integer.isUnsigned() ? INT64_MIN : 0;
  auto isAbove = [&](int64_t a, int64_t b) {
    if (!from.isReal())
      return (from.integer(a) ^ flip) > (from.integer(b) ^ flip);
    return placeInOrder(from.real(a)) > placeInOrder(from.real(b));
  };
  SmallVector<int64_t> order(extent);
  forEachLine(from.getShape(), from.getRank() - 1, [&](int64_t first) {
    std::iota(order.begin(), order.end(), first);
    mergeSort(order, isAbove);
    for (int64_t k = 0; k < shape.back(); ++k, ++to) {
      values.copyElement(to, from, order[k]);
      indices.integer(to) = order[k] - first;
    }
  });
  return SmallVector<Tensor>{values, indices};
}
