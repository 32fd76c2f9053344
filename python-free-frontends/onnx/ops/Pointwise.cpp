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

/// Imports an op of one operand of floating type.
static bool unary(NodeImport &node, llvm::function_ref<Tensor(Tensor)> make) {
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  if (!x.tensor.getType().getElementType().isF32())
    return node.refuse("its input is " + nameOf(node.in(0).type) +
                       ", and only float is supported");
  return setLaid(node, x, make(x.tensor));
}

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

/// The bound of a Clip: an attribute before opset 11, then a constant input.
static bool boundOf(NodeImport &node, const char *name, size_t k,
                    std::optional<double> &bound) {
  if (node.opset < 11) {
    if (node.find(name))
      bound = node.number(name, 0.0);
    return true;
  }
  if (!node.has(k))
    return true;
  bound = node.number(k);
  return bound || node.refuse("its bound " + std::string(name) +
                              " must be a constant of the file");
}

bool onnx::importClip(NodeImport &node) {
  std::optional<double> low, high;
  if (!boundOf(node, "min", 1, low) || !boundOf(node, "max", 2, high))
    return false;
  return unary(node, [&](Tensor x) {
    if (low)
      x = *low == 0.0 ? nn::relu(x) : atLeast(x, *low);
    if (high)
      x = atMost(x, *high);
    return x;
  });
}

bool onnx::importCast(NodeImport &node) {
  auto to = static_cast<TensorElement>(node.integer("to", 0));
  Builder &builder = node.builder();
  Type element = to == TensorElement::Float   ? Type(builder.getF32Type())
                 : to == TensorElement::Bool  ? Type(builder.getI1Type())
                 : to == TensorElement::Int32 ? Type(builder.getI32Type())
                 : to == TensorElement::Int64 ? Type(builder.getI64Type())
                                              : Type();
  if (!element)
    return node.refuse("a cast to " + nameOf(to) + " is not supported");
  if (node.in(0).type == to)
    return node.alias(0, node.in(0));
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  auto type = RankedTensorType::get(x.tensor.getType().getShape(), element);
  return setLaid(node, x, node.trace().createAs<sg::CastOp>(type, x.tensor));
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

/// Refuses operands that are not floating-point.
static bool areReal(NodeImport &node) {
  for (size_t k = 0; k < node.inputs(); ++k)
    if (!onnx::isReal(node.in(k).type))
      return node.refuse("its inputs are " + nameOf(node.in(k).type) +
                         ", and only float is supported");
  return true;
}

bool onnx::importAdd(NodeImport &node) { return joinOp<sg::AddOp>(node); }
bool onnx::importSub(NodeImport &node) { return joinOp<sg::SubOp>(node); }
bool onnx::importMul(NodeImport &node) { return joinOp<sg::MulOp>(node); }
bool onnx::importMax(NodeImport &node) { return joinOp<sg::MaximumOp>(node); }
bool onnx::importMin(NodeImport &node) { return joinOp<sg::MinimumOp>(node); }
bool onnx::importSum(NodeImport &node) { return joinOp<sg::AddOp>(node); }
bool onnx::importDiv(NodeImport &node) {
  return areReal(node) && joinOp<sg::DivOp>(node);
}

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

/// x to a constant power that needs no logarithm; missing for others.
static std::optional<Tensor> power(Tensor x, double exponent) {
  if (exponent == 0.0)
    return numberLike(x, 1.0);
  if (exponent == 1.0)
    return x;
  if (exponent == 2.0)
    return x * x;
  if (exponent == 3.0)
    return x * x * x;
  if (exponent == 0.5)
    return emit<sg::SqrtOp>(x);
  if (exponent == -0.5)
    return emit<sg::RsqrtOp>(x);
  if (exponent == -1.0)
    return emit<sg::DivOp>({numberLike(x, 1.0), x});
  if (exponent == 4.0)
    return (x * x) * (x * x);
  return std::nullopt;
}

bool onnx::importPow(NodeImport &node) {
  std::optional<double> exponent = node.number(1);
  if (!exponent)
    return node.refuse("its exponent must be one constant number");
  if (node.in(1).rank() > node.in(0).rank())
    return node.refuse("its exponent has a higher rank than its base");
  if (!onnx::isReal(node.in(0).type))
    return node.refuse("its base is " + nameOf(node.in(0).type) +
                       ", and only float is supported");
  Laid x = laid(node, 0);
  if (!x.tensor)
    return false;
  std::optional<Tensor> result = power(x.tensor, *exponent);
  if (!result)
    return node.refuse("its exponent is none of 0, 1, 2, 3, 4, -1, 0.5, -0.5");
  return setLaid(node, x, *result);
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
  std::optional<Unified> unified = unify(node, {0, 1});
  if (!unified || !areReal(node))
    return false;
  Tensor x = unified->operands[0], slope = unified->operands[1];
  return setUnified(node, *unified, aboveZero(x, slope * x));
}
