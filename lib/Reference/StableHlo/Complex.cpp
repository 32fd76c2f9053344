//===- Complex.cpp - Values of ops on complex numbers, and bits -----------===//
#include "Models.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

using Number = std::complex<double>;
using Unary = Number (*)(Number);
using Binary = Number (*)(Number, Number);

/// exp(z) - 1 without the cancellation of its real part at small z:
/// e^a cos b - 1 = (e^a - 1) cos b - 2 sin^2(b / 2).
static Number expMinusOne(Number z) {
  double sine = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * sine * sine,
          std::exp(z.real()) * std::sin(z.imag())};
}

/// ln(1 + z), whose real part is ln(1 + a (2 + a) + b^2) / 2.
static Number logPlusOne(Number z) {
  double a = z.real(), b = z.imag();
  return {0.5 * std::log1p(a * (2 + a) + b * b), std::atan2(b, 1 + a)};
}

static bool precedes(Number a, Number b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

static const llvm::StringMap<Unary> &unaryTable() {
  static const llvm::StringMap<Unary> table = {
      {"acos", [](Number z) { return std::acos(z); }},
      {"acosh", [](Number z) { return std::acosh(z); }},
      {"asin", [](Number z) { return std::asin(z); }},
      {"asinh", [](Number z) { return std::asinh(z); }},
      {"atan", [](Number z) { return std::atan(z); }},
      {"atanh", [](Number z) { return std::atanh(z); }},
      {"cbrt", [](Number z) { return std::pow(z, 1.0 / 3); }},
      {"cosh", [](Number z) { return std::cosh(z); }},
      {"cosine", [](Number z) { return std::cos(z); }},
      {"exponential", [](Number z) { return std::exp(z); }},
      {"exponential_minus_one", expMinusOne},
      {"log", [](Number z) { return std::log(z); }},
      {"log_plus_one", logPlusOne},
      {"logistic", [](Number z) { return 1.0 / (1.0 + std::exp(-z)); }},
      {"negate", [](Number z) { return -z; }},
      {"rsqrt", [](Number z) { return 1.0 / std::sqrt(z); }},
      {"sign", [](Number z) { return z == 0.0 ? z : z / std::abs(z); }},
      {"sine", [](Number z) { return std::sin(z); }},
      {"sinh", [](Number z) { return std::sinh(z); }},
      {"sqrt", [](Number z) { return std::sqrt(z); }},
      {"square", [](Number z) { return z * z; }},
      {"tan", [](Number z) { return std::tan(z); }},
      {"tanh", [](Number z) { return std::tanh(z); }}};
  return table;
}

static const llvm::StringMap<Binary> &binaryTable() {
  static const llvm::StringMap<Binary> table = {
      {"add", [](Number a, Number b) { return a + b; }},
      {"divide", [](Number a, Number b) { return a / b; }},
      {"maximum", [](Number a, Number b) { return precedes(a, b) ? b : a; }},
      {"minimum", [](Number a, Number b) { return precedes(b, a) ? b : a; }},
      {"multiply", [](Number a, Number b) { return a * b; }},
      {"power", [](Number a, Number b) { return std::pow(a, b); }},
      {"subtract", [](Number a, Number b) { return a - b; }}};
  return table;
}

hlo::Result hlo::evaluateComplex(Operation *op, Operands operands,
                                 RankedTensorType type) {
  StringRef name = op->getName().stripDialect();
  const Tensor &a = *operands[0];
  Tensor made(type);
  if (isa<AbsOp>(op)) {
    if (!made.isReal())
      return misfit(op);
    for (int64_t i = 0; i < made.size(); ++i)
      made.real(i) = std::abs(a.complex(i));
    made.roundToStorage();
    return made;
  }
  bool isUnary = operands.size() == 1;
  Unary unary = unaryTable().lookup(name);
  Binary binary = binaryTable().lookup(name);
  if (!made.isComplex() || (isUnary ? !unary : !binary))
    return misfit(op);
  for (int64_t i = 0; i < made.size(); ++i)
    made.setComplex(i, isUnary ? unary(a.complex(i))
                               : binary(a.complex(i), operands[1]->complex(i)));
  made.roundToStorage();
  return made;
}

/// The real part is what is converted.
hlo::Result hlo::convertComplex(const Tensor &from, RankedTensorType type) {
  Tensor made(type);
  auto integer = dyn_cast<IntegerType>(from.getElementType());
  uint64_t mask = integer && integer.isUnsigned() && integer.getWidth() < 64
                      ? (uint64_t(1) << integer.getWidth()) - 1
                      : ~uint64_t(0);
  for (int64_t i = 0; i < made.size(); ++i) {
    Number value = from.isComplex() ? from.complex(i)
                   : integer && integer.isUnsigned()
                       ? double(uint64_t(from.integer(i)) & mask)
                       : from.number(i);
    if (made.isComplex())
      made.setComplex(i, value);
    else if (made.isReal())
      made.real(i) = value.real();
    else if (type.getElementType().isInteger(1))
      made.integer(i) = value.real() != 0;
    else if (std::fabs(value.real()) < 9223372036854775808.0)
      made.integer(i) = int64_t(value.real());
  }
  made.roundToStorage();
  return made;
}

hlo::Result hlo::evaluateMakeComplex(ComplexOp op, Operands operands) {
  RankedTensorType type = typeOf(cast<OpResult>(op.getResult()));
  const Tensor &real = *operands[0], &imaginary = *operands[1];
  if (real.getType() != imaginary.getType() ||
      real.getShape() != type.getShape() ||
      type.getElementType() != ComplexType::get(real.getElementType()))
    return misfit(op);
  Tensor made(type);
  for (int64_t i = 0; i < made.size(); ++i)
    made.setComplex(i, {real.real(i), imaginary.real(i)});
  return made;
}

hlo::Result hlo::evaluatePart(Operation *op, Operands operands) {
  RankedTensorType type = typeOf(op->getResult(0));
  const Tensor &from = *operands[0];
  auto complex = dyn_cast<ComplexType>(from.getElementType());
  if (from.getShape() != type.getShape() ||
      type.getElementType() !=
          (complex ? complex.getElementType() : from.getElementType()) ||
      !isa<FloatType>(type.getElementType()))
    return misfit(op);
  // The imaginary part of a real number is zero.
  Tensor made(type);
  for (int64_t i = 0; i < made.size(); ++i)
    made.real(i) = isa<RealOp>(op)
                       ? (complex ? from.complex(i).real() : from.real(i))
                       : (complex ? from.complex(i).imag() : 0.0);
  return made;
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static uint64_t bitsOfReal(FloatType type, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static double realOfBits(FloatType type, uint64_t bits) {
  return llvm::APFloat(type.getFloatSemantics(),
                       llvm::APInt(type.getWidth(), bits))
      .convertToDouble();
}

uint64_t hlo::bitsOf(Type element, const Tensor &tensor, int64_t i) {
  if (auto real = dyn_cast<FloatType>(element))
    return bitsOfReal(real, tensor.getReals()[i]);
  unsigned width = element.getIntOrFloatBitWidth();
  uint64_t bits = tensor.integer(i);
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

/// Elements of different widths are equal bits, the lowest first.
hlo::Result hlo::evaluateBitcast(BitcastConvertOp op, Operands operands) {
  const Tensor &from = *operands[0];
  Tensor made(typeOf(cast<OpResult>(op.getResult())));
  // Complex numbers are two words.
  auto wordOf = [](const Tensor &tensor) {
    auto complex = dyn_cast<ComplexType>(tensor.getElementType());
    return complex ? complex.getElementType() : tensor.getElementType();
  };
  Type source = wordOf(from), target = wordOf(made);
  if (!source.isIntOrFloat() || !target.isIntOrFloat())
    return misfit(op);
  unsigned width = source.getIntOrFloatBitWidth(),
           to = target.getIntOrFloatBitWidth();
  int64_t words = from.size() * (from.isComplex() ? 2 : 1);
  int64_t needed = made.size() * (made.isComplex() ? 2 : 1);
  if (width > 64 || to > 64 || words * width != needed * to ||
      from.isComplex() != made.isComplex())
    return misfit(op);
  llvm::APInt bits(64, 0);
  unsigned step = std::min(width, to);
  for (int64_t at = 0; at < words * width; at += step) {
    uint64_t word = bitsOf(source, from, at / width) >> (at % width);
    llvm::APInt piece(64, word);
    bits.insertBits(piece.trunc(step), at % to);
    if ((at + step) % to)
      continue;
    uint64_t value = bits.extractBitsAsZExtValue(to, 0);
    if (auto real = dyn_cast<FloatType>(target))
      made.setWord(at / to, realOfBits(real, value));
    else
      made.integer(at / to) = wrapTo(target, value);
  }
  return made;
}
