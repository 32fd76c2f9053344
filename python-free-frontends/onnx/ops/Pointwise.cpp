//===- Pointwise.cpp - Ops element by element -----------------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

template <typename OpTy> static bool unaryOp(NodeImport &node) {
  return unary(node, [](Tensor x) { return emit<OpTy>(x); });
}

bool onnx::importAbs(NodeImport &node) { return unaryOp<sg::AbsOp>(node); }
bool onnx::importErf(NodeImport &node) { return unaryOp<sg::ErfOp>(node); }
bool onnx::importExp(NodeImport &node) { return unaryOp<sg::ExpOp>(node); }
bool onnx::importLog(NodeImport &node) { return unaryOp<sg::LogOp>(node); }
bool onnx::importNeg(NodeImport &node) { return unaryOp<sg::NegOp>(node); }
bool onnx::importRelu(NodeImport &node) { return unaryOp<sg::ReluOp>(node); }
bool onnx::importSqrt(NodeImport &node) { return unaryOp<sg::SqrtOp>(node); }
bool onnx::importTanh(NodeImport &node) { return unaryOp<sg::TanhOp>(node); }
bool onnx::importSigmoid(NodeImport &node) {
  return unaryOp<sg::SigmoidOp>(node);
}

bool onnx::importReciprocal(NodeImport &node) {
  return unary(
      node, [](Tensor x) { return emit<sg::DivOp>({numberLike(x, 1.0), x}); });
}

/// ln(1 + e^x) without overflow: max(x, 0) + ln(1 + e^-|x|).
static Tensor softplus(Tensor x) {
  Tensor tail = nn::exp(emit<sg::NegOp>(emit<sg::AbsOp>(x)));
  return atLeast(x, 0.0) + emit<sg::LogOp>(plus(tail, 1.0));
}

bool onnx::importSoftplus(NodeImport &node) { return unary(node, softplus); }

bool onnx::importSoftsign(NodeImport &node) {
  return unary(node, [](Tensor x) {
    return emit<sg::DivOp>({x, plus(emit<sg::AbsOp>(x), 1.0)});
  });
}

bool onnx::importMish(NodeImport &node) {
  return unary(node, [](Tensor x) { return x * nn::tanh(softplus(x)); });
}

/// x where it is above zero, else `below`.
static Tensor aboveZero(Tensor x, Tensor below) {
  return nn::select(compare(sg::ComparePredicate::GT, x, numberLike(x, 0.0)), x,
                    below);
}

/// scale * (x where x > 0, else alpha (e^x - 1)).
static Tensor elu(Tensor x, double alpha, double scale) {
  Tensor below = nn::scale(plus(nn::exp(atMost(x, 0.0)), -1.0), alpha);
  return nn::scale(aboveZero(x, below), scale);
}

bool onnx::importElu(NodeImport &node) {
  double alpha = node.number("alpha", 1.0);
  return unary(node, [&](Tensor x) { return elu(x, alpha, 1.0); });
}

bool onnx::importSelu(NodeImport &node) {
  double alpha = node.number("alpha", 1.67326319217681884765625);
  double gamma = node.number("gamma", 1.05070102214813232421875);
  return unary(node, [&](Tensor x) { return elu(x, alpha, gamma); });
}

bool onnx::importLeakyRelu(NodeImport &node) {
  double alpha = node.number("alpha", 0.01f);
  return unary(node,
               [&](Tensor x) { return aboveZero(x, nn::scale(x, alpha)); });
}

bool onnx::importThresholdedRelu(NodeImport &node) {
  double alpha = node.number("alpha", 1.0);
  return unary(node, [&](Tensor x) {
    Tensor above = compare(sg::ComparePredicate::GT, x, numberLike(x, alpha));
    return nn::select(above, x, numberLike(x, 0.0));
  });
}

bool onnx::importHardSigmoid(NodeImport &node) {
  float alpha = node.number("alpha", 0.2f), beta = node.number("beta", 0.5);
  return unary(node, [&](Tensor x) {
    if (alpha == 1.0f / 6.0f && beta == 0.5f)
      return nn::hardSigmoid(x);
    return atMost(nn::relu(plus(nn::scale(x, alpha), beta)), 1.0);
  });
}

bool onnx::importHardSwish(NodeImport &node) {
  return unary(node, [](Tensor x) { return nn::hardSwish(x); });
}

/// A bound of a Clip: an attribute before opset 11, then an input. Returns
/// nothing without one and a missing tensor after a failure.
static std::optional<Tensor> boundOf(NodeImport &node, const char *name,
                                     size_t k, Tensor x) {
  if (node.opset < 11)
    return node.find(name)
               ? std::optional<Tensor>(numberLike(x, node.number(name, 0.0)))
               : std::nullopt;
  if (!node.has(k))
    return std::nullopt;
  if (std::optional<double> number = node.number(k))
    return numberLike(x, *number);
  Tensor bound = node.plain(k);
  if (bound && bound.getType().getNumElements() != 1) {
    node.refuse("its bound " + std::string(name) + " is no number");
    return Tensor(node.trace(), nullptr);
  }
  return nn::broadcast(nn::reshape(bound, {}), x.getType().getShape(), {});
}

bool onnx::importClip(NodeImport &node) {
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  Tensor y = x.tensor;
  // The usual lower bound is a relu.
  if (onnx::isReal(node.in(0).type) &&
      (node.opset < 11 ? node.find("min") && node.number("min", 1.0) == 0.0
                       : node.has(1) && node.number(1) == 0.0))
    y = nn::relu(y);
  else if (auto low = boundOf(node, "min", 1, y))
    y = emit<sg::MaximumOp>({y, *low});
  if (auto high = boundOf(node, "max", 2, x.tensor))
    y = emit<sg::MinimumOp>({y, *high});
  return setLaid(node, x, y);
}

static bool castInput(NodeImport &node, TensorElement to) {
  Type element = elementOf(node.builder(), to);
  if (!element || to == TensorElement::BFloat16)
    return node.refuse("a cast to " + nameOf(to) + " is not supported");
  bool isRounded = to == TensorElement::Float16;
  if (node.in(0).type == node.importer.computedType(to) && !isRounded)
    return node.alias(0, node.in(0));
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  if (isRounded)
    x.tensor = castTo(x.tensor, node.builder().getF16Type());
  return setLaid(node, x, castTo(x.tensor, element));
}

bool onnx::importCast(NodeImport &node) {
  return castInput(node, static_cast<TensorElement>(node.integer("to", 0)));
}

bool onnx::importCastLike(NodeImport &node) {
  onnx::Value &like = node.in(1);
  bool isKnown = like.fileType != TensorElement::Undefined;
  if (!isKnown && onnx::isReal(like.type))
    return node.refuse("the floating type of its input 1 is not known");
  return castInput(node, isKnown ? like.fileType : like.type);
}

//===----------------------------------------------------------------------===//
// Several operands
//===----------------------------------------------------------------------===//

/// Inputs 0 to the last one.
static llvm::SmallVector<size_t> allInputs(NodeImport &node) {
  llvm::SmallVector<size_t> inputs;
  for (size_t k = 0; k < node.inputs(); ++k)
    inputs.push_back(k);
  return inputs;
}

/// Imports an op that joins its operands from the left to the right.
static bool join(NodeImport &node,
                 llvm::function_ref<Tensor(Tensor, Tensor)> make) {
  std::optional<Unified> unified = unify(node, allInputs(node));
  if (!unified)
    return false;
  Tensor result = unified->operands.front();
  for (const Tensor &next : llvm::drop_begin(unified->operands))
    result = make(result, next);
  return setUnified(node, *unified, result);
}

template <typename OpTy> static bool joinOp(NodeImport &node) {
  return join(node, [](Tensor x, Tensor y) { return emit<OpTy>({x, y}); });
}

bool onnx::importAdd(NodeImport &node) { return joinOp<sg::AddOp>(node); }
bool onnx::importSub(NodeImport &node) { return joinOp<sg::SubOp>(node); }
bool onnx::importMul(NodeImport &node) { return joinOp<sg::MulOp>(node); }
bool onnx::importMax(NodeImport &node) { return joinOp<sg::MaximumOp>(node); }
bool onnx::importMin(NodeImport &node) { return joinOp<sg::MinimumOp>(node); }
bool onnx::importSum(NodeImport &node) { return joinOp<sg::AddOp>(node); }

bool onnx::importMean(NodeImport &node) {
  std::optional<Unified> unified = unify(node, allInputs(node));
  if (!unified || !areReal(node))
    return false;
  Tensor sum = unified->operands.front();
  for (const Tensor &next : llvm::drop_begin(unified->operands))
    sum = sum + next;
  double count = unified->operands.size();
  return setUnified(node, *unified,
                    emit<sg::DivOp>({sum, numberLike(sum, count)}));
}

/// Imports a comparison.
static bool comparison(NodeImport &node, sg::ComparePredicate predicate) {
  return join(node,
              [&](Tensor x, Tensor y) { return compare(predicate, x, y); });
}

bool onnx::importEqual(NodeImport &node) {
  return comparison(node, sg::ComparePredicate::EQ);
}
bool onnx::importGreater(NodeImport &node) {
  return comparison(node, sg::ComparePredicate::GT);
}
bool onnx::importGreaterOrEqual(NodeImport &node) {
  return comparison(node, sg::ComparePredicate::GE);
}
bool onnx::importLess(NodeImport &node) {
  return comparison(node, sg::ComparePredicate::LT);
}
bool onnx::importLessOrEqual(NodeImport &node) {
  return comparison(node, sg::ComparePredicate::LE);
}

bool onnx::importWhere(NodeImport &node) {
  std::optional<Unified> unified = unify(node, {0, 1, 2});
  if (!unified)
    return false;
  llvm::ArrayRef<Tensor> operands = unified->operands;
  return setUnified(node, *unified,
                    nn::select(operands[0], operands[1], operands[2]));
}

bool onnx::importPRelu(NodeImport &node) {
  // Opset 6 has a slope of each channel.
  if (node.importer.fileOpset < 7 && node.in(0).rank() > 1 &&
      node.in(1).shape == Shape{node.in(0).shape[1]}) {
    Laid x = laid(node, 0);
    if (!x.tensor || !areReal(node))
      return false;
    Tensor slope = node.plain(1);
    return setLaid(
        node, x, aboveZero(x.tensor, nn::mulAlong(x.tensor, slope, {x.at(1)})));
  }
  std::optional<Unified> unified = unify(node, {0, 1});
  if (!unified || !areReal(node))
    return false;
  Tensor x = unified->operands[0], slope = unified->operands[1];
  return setUnified(node, *unified, aboveZero(x, slope * x));
}
