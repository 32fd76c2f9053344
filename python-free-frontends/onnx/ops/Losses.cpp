//===- Losses.cpp - Losses inside a file ----------------------------------===//
//
// The scores are (N,C,...), the targets (N,...). An element's class is found by
// comparing its target with the numbers of the classes.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

/// The sum of x over all dimensions.
static Tensor total(Tensor x) {
  Shape dims;
  for (int64_t d = 0; x && d < x.getType().getRank(); ++d)
    dims.push_back(d);
  return reduce<sg::ReduceSumOp>(x, dims);
}

/// The elements of x along dimension d that the mask chooses, at most one each.
static Tensor pick(Tensor mask, Tensor x, int64_t d) {
  return reduce<sg::ReduceSumOp>(nn::select(mask, x, numberLike(x, 0.0)), {d});
}

static bool checkLoss(NodeImport &node) {
  const onnx::Value &x = node.in(0), &target = node.in(1);
  Shape expected = x.shape;
  if (x.rank() > 1)
    expected.erase(expected.begin() + 1);
  if (!onnx::isReal(x.type) || x.rank() < 2 || !isInteger(target.type) ||
      target.shape != expected)
    return node.refuse("scores are " + nameOf(x.type) + " " + textOf(x.shape) +
                       " and targets " + nameOf(target.type) + " " +
                       textOf(target.shape));
  if (node.has(2) && node.in(2).shape != Shape{x.shape[1]})
    return node.refuse("there is not one weight a class");
  return true;
}

/// Sets output 0 to the loss of log-probabilities in the layout of `x`.
static bool setLoss(NodeImport &node, const Laid &x, Tensor logs) {
  Tensor target = node.plain(1);
  if (!logs || !target)
    return false;
  int64_t d = x.at(1);
  Tensor numbers = iota(logs, d, target.getType().getElementType());
  Tensor isClass =
      compare(ComparePredicate::EQ, repeatAlong(target, logs, d), numbers);
  Tensor loss = emit<sg::NegOp>(pick(isClass, logs, d));
  Tensor weight = numberLike(loss, 1.0);
  if (node.has(2)) {
    Tensor weights =
        nn::broadcast(node.plain(2), logs.getType().getShape(), {d});
    weight = pick(isClass, weights, d);
    loss = loss * weight;
  }
  if (node.find("ignore_index")) {
    Tensor isRead =
        compare(ComparePredicate::NE, target,
                numberLike(target, double(node.integer("ignore_index", 0))));
    Tensor zero = numberLike(loss, 0.0);
    weight = nn::select(isRead, weight, zero);
    loss = nn::select(isRead, loss, zero);
  }
  std::string reduction = node.text("reduction", "mean");
  if (reduction == "none")
    return node.set(0, loss);
  if (reduction == "sum")
    return node.set(0, total(loss));
  if (reduction != "mean")
    return node.refuse("the reduction '" + reduction + "' is unknown");
  Tensor sum = total(loss), count = total(weight);
  return node.set(0, emit<sg::DivOp>({sum, count}));
}

bool onnx::importNegativeLogLikelihoodLoss(NodeImport &node) {
  if (!checkLoss(node))
    return false;
  Laid x = laid(node, 0);
  return setLoss(node, x, x.tensor);
}

bool onnx::importSoftmaxCrossEntropyLoss(NodeImport &node) {
  if (!checkLoss(node))
    return false;
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  Tensor logs = along(x.tensor, x.at(1), logSoftmax);
  if (node.hasOutput(1) &&
      !(x.isLast ? node.setLast(1, logs) : node.set(1, logs)))
    return false;
  return setLoss(node, x, logs);
}
