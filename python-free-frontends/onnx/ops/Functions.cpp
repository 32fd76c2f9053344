//===- Functions.cpp - Rounding, powers, remainders, hyperbolic functions -===//
//
// Functions that sg does not have, composed of those that it has.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

static Tensor quotient(Tensor x, Tensor y) { return emit<sg::DivOp>({x, y}); }
static Tensor absolute(Tensor x) { return emit<sg::AbsOp>(x); }

static Tensor compareTo(ComparePredicate predicate, Tensor x, double bound) {
  return compare(predicate, x, numberLike(x, bound));
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// x without its fraction. Numbers from 2^(mantissa) on have none, and may lie
/// outside the integers.
static Tensor truncated(Tensor x) {
  if (!x)
    return x;
  bool isDouble = x.getType().getElementType().isF64();
  Builder &builder = x.getTrace().getBuilder();
  Type word = isDouble ? builder.getI64Type() : builder.getI32Type();
  Tensor isSmall =
      compareTo(ComparePredicate::LT, absolute(x), isDouble ? 0x1p52 : 0x1p23);
  Tensor small = nn::select(isSmall, x, numberLike(x, 0.0));
  return nn::select(isSmall, castLike(castTo(small, word), x), x);
}

Tensor onnx::floorOf(Tensor x) {
  Tensor t = truncated(x);
  return t - castLike(compare(ComparePredicate::GT, t, x), x);
}

Tensor onnx::rounded(Tensor x) {
  Tensor low = floorOf(x), rest = x - low;
  Tensor half = nn::scale(low, 0.5);
  Tensor isOdd = compare(ComparePredicate::NE, half, floorOf(half));
  Tensor isTie = compareTo(ComparePredicate::EQ, rest, 0.5);
  Tensor isAbove = compareTo(ComparePredicate::GT, rest, 0.5);
  return low + castLike(nn::select(isTie, isOdd, isAbove), x);
}

bool onnx::importFloor(NodeImport &node) { return unary(node, floorOf); }
bool onnx::importRound(NodeImport &node) { return unary(node, rounded); }
bool onnx::importCeil(NodeImport &node) {
  return unary(node, [](Tensor x) {
    return emit<sg::NegOp>(floorOf(emit<sg::NegOp>(x)));
  });
}

//===----------------------------------------------------------------------===//
// Quotients
//===----------------------------------------------------------------------===//

/// Imports an op of two numbers. Integers of 32 bits are computed in f64, which
/// holds their quotients' whole part exactly.
static bool ofNumbers(NodeImport &node,
                      llvm::function_ref<Tensor(Tensor, Tensor, bool)> make) {
  TensorElement type = node.in(0).type;
  if (type != TensorElement::Float && type != TensorElement::Int32)
    return node.refuse("its inputs are " + nameOf(type) +
                       ", and only float and int32 are supported");
  std::optional<Unified> unified = unify(node, {0, 1});
  if (!unified)
    return false;
  Tensor x = unified->operands[0], y = unified->operands[1];
  if (type == TensorElement::Float)
    return setUnified(node, *unified, make(x, y, false));
  Type wide = node.builder().getF64Type();
  return setUnified(node, *unified,
                    castTo(make(castTo(x, wide), castTo(y, wide), true),
                           node.builder().getI32Type()));
}

bool onnx::importDiv(NodeImport &node) {
  return ofNumbers(node, [](Tensor x, Tensor y, bool isInteger) {
    return isInteger ? truncated(quotient(x, y)) : quotient(x, y);
  });
}

/// The remainder has the sign of the divisor, or with `fmod` of the dividend.
bool onnx::importMod(NodeImport &node) {
  bool truncates = node.integer("fmod", 0) != 0;
  if (!truncates && onnx::isReal(node.in(0).type))
    return node.refuse("the remainder of floats needs fmod = 1");
  return ofNumbers(node, [&](Tensor x, Tensor y, bool) {
    Tensor q = quotient(x, y);
    return x - (truncates ? truncated(q) : floorOf(q)) * y;
  });
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

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
  if (exponent == 4.0)
    return (x * x) * (x * x);
  if (!isa<FloatType>(x.getType().getElementType()))
    return std::nullopt;
  if (exponent == 0.5)
    return emit<sg::SqrtOp>(x);
  if (exponent == -0.5)
    return emit<sg::RsqrtOp>(x);
  if (exponent == -1.0)
    return quotient(numberLike(x, 1.0), x);
  return std::nullopt;
}

/// e^(y ln |x|), negative for a negative x and an odd y, NaN for a negative x
/// and a fraction; 1 for y = 0.
static Tensor powerOf(Tensor x, Tensor y) {
  Tensor one = numberLike(x, 1.0), zero = numberLike(x, 0.0);
  Tensor isZero = compare(ComparePredicate::EQ, y, zero);
  Tensor logarithm = emit<sg::LogOp>(absolute(x));
  Tensor exponent = nn::select(isZero, zero, y * logarithm);
  Tensor size = nn::exp(exponent);
  Tensor half = nn::scale(y, 0.5);
  Tensor isWhole = compare(ComparePredicate::EQ, y, floorOf(y));
  Tensor isEven = compare(ComparePredicate::EQ, half, floorOf(half));
  Tensor nan = numberLike(x, std::nan(""));
  Tensor odd = nn::select(isWhole, emit<sg::NegOp>(size), nan);
  Tensor ofNegative = nn::select(isEven, size, odd);
  Tensor isNegative = compare(ComparePredicate::LT, x, zero);
  return nn::select(isNegative, ofNegative, nn::select(isZero, one, size));
}

bool onnx::importPow(NodeImport &node) {
  std::optional<double> exponent = node.number(1);
  if (exponent && node.in(1).rank() <= node.in(0).rank()) {
    Laid x = laid(node, 0);
    if (!x.tensor)
      return false;
    if (std::optional<Tensor> result = power(x.tensor, *exponent))
      return setLaid(node, x, *result);
  }
  if (node.in(0).type != TensorElement::Float)
    return node.refuse("its base is " + nameOf(node.in(0).type) +
                       ", and its exponent none of 0, 1, 2, 3, 4");
  std::optional<Unified> unified = unify(node, {0, 1}, Mixed::Allowed);
  if (!unified)
    return false;
  Tensor x = unified->operands[0];
  return setUnified(node, *unified,
                    powerOf(x, castLike(unified->operands[1], x)));
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions and activations
//===----------------------------------------------------------------------===//

/// (e^x + e^-x) / 2.
static Tensor coshOf(Tensor x) {
  return nn::scale(nn::exp(x) + nn::exp(emit<sg::NegOp>(x)), 0.5);
}

bool onnx::importCosh(NodeImport &node) { return unary(node, coshOf); }

/// tanh(x) cosh(x) is accurate near zero, where (e^x - e^-x) / 2 is not.
bool onnx::importSinh(NodeImport &node) {
  return unary(node, [](Tensor x) { return nn::tanh(x) * coshOf(x); });
}

/// ln(x + sqrt(x^2 - 1)).
bool onnx::importAcosh(NodeImport &node) {
  return unary(node, [](Tensor x) {
    Tensor root = emit<sg::SqrtOp>(plus(x * x, -1.0));
    return emit<sg::LogOp>(x + root);
  });
}

/// ln(|x| + sqrt(x^2 + 1)) with the sign of x.
bool onnx::importAsinh(NodeImport &node) {
  return unary(node, [](Tensor x) {
    Tensor root = emit<sg::SqrtOp>(plus(x * x, 1.0));
    Tensor size = emit<sg::LogOp>(absolute(x) + root);
    return nn::select(compareTo(ComparePredicate::LT, x, 0.0),
                      emit<sg::NegOp>(size), size);
  });
}

/// ln((1 + x) / (1 - x)) / 2.
bool onnx::importAtanh(NodeImport &node) {
  return unary(node, [](Tensor x) {
    Tensor ratio = quotient(plus(x, 1.0), numberLike(x, 1.0) - x);
    return nn::scale(emit<sg::LogOp>(ratio), 0.5);
  });
}

/// max(0, x) + min(0, alpha (e^(x / alpha) - 1)).
bool onnx::importCelu(NodeImport &node) {
  double alpha = node.number("alpha", 1.0);
  return unary(node, [&](Tensor x) {
    Tensor below = plus(nn::exp(nn::scale(atMost(x, 0.0), 1 / alpha)), -1.0);
    return nn::relu(x) + nn::scale(below, alpha);
  });
}

bool onnx::importShrink(NodeImport &node) {
  double lambda = node.number("lambd", 0.5), bias = node.number("bias", 0.0);
  return unary(node, [&](Tensor x) {
    Tensor above = compareTo(ComparePredicate::GT, x, lambda);
    Tensor below = compareTo(ComparePredicate::LT, x, -lambda);
    return nn::select(above, plus(x, -bias),
                      nn::select(below, plus(x, bias), numberLike(x, 0.0)));
  });
}
