//===- LossModels.cpp - Activations' gradients, losses and dropout --------===//

#include "Models.h"
#include "reprise/Reference/Philox.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

static void reluGrad(sg::ReluGradOp op, Frame &, Operands operands,
                     Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].real(i) = operands[0].real(i) > 0.0 ? operands[1].real(i) : 0.0;
}

/// log sum e^x over the `length` elements from `begin`, without overflow.
static double logSumExp(const Tensor &x, int64_t begin, int64_t length) {
  ArrayRef<double> row = x.getReals().slice(begin, length);
  double largest = *llvm::max_element(row);
  if (std::isinf(largest))
    return largest;
  double sum = 0.0;
  for (double value : row)
    sum += std::exp(value - largest);
  return largest + std::log(sum);
}

static void softmax(sg::SoftmaxOp op, Frame &, Operands operands,
                    Results results) {
  const Tensor &x = operands[0];
  int64_t length = x.getRank() ? x.getShape().back() : 1;
  for (int64_t begin = 0; begin < x.size(); begin += length) {
    double largest = *llvm::max_element(x.getReals().slice(begin, length));
    double sum = 0.0;
    for (int64_t i = begin; i < begin + length; ++i)
      sum += std::exp(x.real(i) - largest);
    for (int64_t i = begin; i < begin + length; ++i)
      results[0].real(i) = std::exp(x.real(i) - largest) / sum;
  }
}

static void softmaxGrad(sg::SoftmaxGradOp op, Frame &, Operands operands,
                        Results results) {
  const Tensor &y = operands[0], &dy = operands[1];
  int64_t length = y.getRank() ? y.getShape().back() : 1;
  for (int64_t begin = 0; begin < y.size(); begin += length) {
    double sum = 0.0;
    for (int64_t i = begin; i < begin + length; ++i)
      sum += y.real(i) * dy.real(i);
    for (int64_t i = begin; i < begin + length; ++i)
      results[0].real(i) = y.real(i) * (dy.real(i) - sum);
  }
}

static void crossEntropy(sg::CrossEntropyOp op, Frame &, Operands operands,
                         Results results) {
  const Tensor &logits = operands[0], &labels = operands[1];
  int64_t classes = logits.getDim(1);
  for (int64_t n = 0; n < logits.getDim(0); ++n) {
    double lse = logSumExp(logits, n * classes, classes);
    int64_t label = labels.integer(n);
    bool isInside = label >= 0 && label < classes;
    results[0].real(n) = label == op.getIgnoreIndex() ? 0.0
                         : isInside ? lse - logits.real({n, label})
                                    : lse;
    results[1].real(n) = lse;
  }
}

/// e^(logits - lse) is divided by its row's sum, which is 1 except for the
/// rounding of lse: the lse of large logits is kept in f32 with few digits.
static void crossEntropyGrad(sg::CrossEntropyGradOp op, Frame &,
                             Operands operands, Results results) {
  const Tensor &logits = operands[0], &labels = operands[1], &lse = operands[2],
               &dlosses = operands[3];
  SmallVector<double> sums(lse.size(), 0.0);
  forEachIndex(logits.getShape(), [&](ArrayRef<int64_t> at) {
    sums[at[0]] += std::exp(logits.real(at) - lse.real(at[0]));
  });
  forEachIndex(logits.getShape(), [&](ArrayRef<int64_t> at) {
    double onehot = labels.integer(at[0]) == at[1] ? 1.0 : 0.0;
    double probability =
        std::exp(logits.real(at) - lse.real(at[0])) / sums[at[0]];
    results[0].real(at) = labels.integer(at[0]) == op.getIgnoreIndex()
                              ? 0.0
                              : (probability - onehot) * dlosses.real(at[0]);
  });
}

static void auxiliaryLoss(sg::AuxiliaryLossOp op, Frame &, Operands operands,
                          Results results) {
  double weight = op.getWeight().convertToDouble();
  results[0].real(0) = operands[0].real(0) + weight * operands[1].real(0);
}

static void dropout(sg::DropoutOp op, Frame &, Operands operands,
                    Results results) {
  double probability = op.getProbability().convertToDouble();
  // The random number is an f32, and so is the threshold.
  double threshold = static_cast<float>(probability);
  int64_t drawn = op.getPerSample() ? operands[0].size() / operands[0].getDim(0)
                                    : 1; // elements per draw
  for (int64_t i = 0; i < operands[0].size(); ++i) {
    double u = uniformElement(operands[1].integer(0), operands[2].integer(0),
                              op.getStream(), i / drawn);
    results[0].real(i) =
        u >= threshold ? operands[0].real(i) / (1.0 - probability) : 0.0;
  }
}

void reference::registerLossModels(MLIRContext *context) {
  attach<sg::ReluGradOp, reluGrad>(context);
  attach<sg::SoftmaxOp, softmax>(context);
  attach<sg::SoftmaxGradOp, softmaxGrad>(context);
  attach<sg::CrossEntropyOp, crossEntropy>(context);
  attach<sg::CrossEntropyGradOp, crossEntropyGrad>(context);
  attach<sg::AuxiliaryLossOp, auxiliaryLoss>(context);
  attach<sg::DropoutOp, dropout>(context);
}
