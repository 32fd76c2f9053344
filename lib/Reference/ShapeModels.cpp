//===- ShapeModels.cpp - Creating, moving and reducing --------------------===//

#include "Models.h"
#include "reprise/Reference/Philox.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

static void iota(sg::IotaOp op, Frame &, Operands, Results results) {
  Tensor &result = results[0];
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> index) {
    result.integer(result.position(index)) =
        wrapTo(result.getElementType(), index[op.getDim()]);
  });
}

static void randomUniform(sg::RandomUniformOp op, Frame &, Operands operands,
                          Results results) {
  for (int64_t i = 0; i < results[0].size(); ++i)
    results[0].real(i) = uniformElement(
        operands[0].integer(0), operands[1].integer(0), op.getStream(), i);
}

static void broadcast(sg::BroadcastOp op, Frame &, Operands operands,
                      Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  forEachIndex(to.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source;
    for (auto [k, d] : llvm::enumerate(op.getDims()))
      source.push_back(from.getDim(k) == 1 ? 0 : index[d]);
    to.copyElement(to.position(index), from, from.position(source));
  });
}

static void reshape(sg::ReshapeOp op, Frame &, Operands operands,
                    Results results) {
  results[0] = operands[0].reshaped(results[0].getType());
}

template <typename OpTy>
static void copy(OpTy, Frame &, Operands operands, Results results) {
  results[0] = operands[0];
}

static void transpose(sg::TransposeOp op, Frame &, Operands operands,
                      Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  forEachIndex(to.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index.size());
    for (auto [k, d] : llvm::enumerate(op.getPermutation()))
      source[d] = index[k];
    to.copyElement(to.position(index), from, from.position(source));
  });
}

static void slice(sg::SliceOp op, Frame &, Operands operands, Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  forEachIndex(to.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source;
    for (size_t d = 0; d < index.size(); ++d)
      source.push_back(op.getStarts()[d] + op.getStrides()[d] * index[d]);
    to.copyElement(to.position(index), from, from.position(source));
  });
}

static void pad(sg::PadOp op, Frame &, Operands operands, Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  to = Tensor::splat(to.getType(), op.getValue().convertToDouble());
  forEachIndex(from.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> target;
    for (size_t d = 0; d < index.size(); ++d)
      target.push_back(op.getLow()[d] + (op.getInterior()[d] + 1) * index[d]);
    to.copyElement(to.position(target), from, from.position(index));
  });
}

static void concat(sg::ConcatOp op, Frame &, Operands operands,
                   Results results) {
  int64_t dim = op.getDim(), offset = 0;
  Tensor &to = results[0];
  for (const Tensor &from : operands) {
    forEachIndex(from.getShape(), [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> target(index);
      target[dim] += offset;
      to.copyElement(to.position(target), from, from.position(index));
    });
    offset += from.getDim(dim);
  }
}

/// Folds every element into the result's element at its index without `dims`.
static void reduce(
    ArrayRef<int64_t> dims, const Tensor &from, const Tensor &to,
    llvm::function_ref<void(int64_t toPosition, int64_t fromPosition)> fold) {
  forEachIndex(from.getShape(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> kept;
    for (auto [d, i] : llvm::enumerate(index))
      if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
        kept.push_back(i);
    fold(to.position(kept), from.position(index));
  });
}

static void reduceSum(sg::ReduceSumOp op, Frame &, Operands operands,
                      Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  reduce(op.getDims(), from, to, [&](int64_t t, int64_t f) {
    if (to.isReal())
      to.real(t) += from.real(f);
    else
      to.integer(t) =
          wrapTo(to.getElementType(), to.integer(t) + from.integer(f));
  });
}

static void reduceMax(sg::ReduceMaxOp op, Frame &, Operands operands,
                      Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  for (int64_t i = 0; i < to.size(); ++i)
    if (to.isReal())
      to.real(i) = -std::numeric_limits<double>::infinity();
    else
      to.integer(i) = std::numeric_limits<int64_t>::min();
  reduce(op.getDims(), from, to, [&](int64_t t, int64_t f) {
    if (!to.isReal())
      to.integer(t) = std::max(to.integer(t), from.integer(f));
    else if (!std::isnan(to.real(t)) && !(from.real(f) <= to.real(t)))
      to.real(t) = from.real(f);
  });
}

void reference::registerShapeModels(MLIRContext *context) {
  attach<sg::IotaOp, iota>(context);
  attach<sg::RandomUniformOp, randomUniform>(context);
  attach<sg::BroadcastOp, broadcast>(context);
  attach<sg::CopyOp, copy<sg::CopyOp>>(context);
  attach<sg::OffloadOp, copy<sg::OffloadOp>>(context);
  attach<sg::FetchOp, copy<sg::FetchOp>>(context);
  attach<sg::KeepOp, copy<sg::KeepOp>>(context);
  attach<sg::RecomputeOp, copy<sg::RecomputeOp>>(context);
  attach<sg::ReshapeOp, reshape>(context);
  attach<sg::TransposeOp, transpose>(context);
  attach<sg::SliceOp, slice>(context);
  attach<sg::PadOp, pad>(context);
  attach<sg::ConcatOp, concat>(context);
  attach<sg::ReduceSumOp, reduceSum>(context);
  attach<sg::ReduceMaxOp, reduceMax>(context);
}
