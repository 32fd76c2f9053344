//===- Elementwise.cpp - Values of elementwise ops ------------------------===//
#include "Models.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::stablehlo;

//===----------------------------------------------------------------------===//
// Scalar functions
//===----------------------------------------------------------------------===//

using RealUnary = double (*)(double);
using RealBinary = double (*)(double, double);
/// The width is that of the type; unsigned values arrive sign-extended.
using IntegerUnary = int64_t (*)(int64_t, unsigned width);
using IntegerBinary = int64_t (*)(int64_t, int64_t, unsigned width);

static double signOf(double x) {
  return x != x || x == 0 ? x : (x < 0 ? -1.0 : 1.0);
}

/// NaN if an operand is, as StableHLO says.
static double maximumOf(double a, double b) {
  if (a != a || b != b)
    return NAN;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
static double minimumOf(double a, double b) { return -maximumOf(-a, -b); }

/// The inverse of erf by Newton's method, from a formula of Winitzki.
static double inverseErf(double y) {
  if (!(std::fabs(y) < 1))
    return std::fabs(y) == 1 ? std::copysign(INFINITY, y) : NAN;
  double l = std::log1p(-y * y), half = 2 / (M_PI * 0.147) + l / 2;
  double x =
      std::copysign(std::sqrt(std::sqrt(half * half - l / 0.147) - half), y);
  for (int k = 0; k < 4; ++k) {
    // Next to 1, erfc keeps the digits that erf has lost.
    double error = y > 0.5    ? (1 - y) - std::erfc(x)
                   : y < -0.5 ? std::erfc(-x) - (1 + y)
                              : std::erf(x) - y;
    x -= error / (2 / std::sqrt(M_PI) * std::exp(-x * x));
  }
  return x;
}

/// The derivative of ln Gamma: by its recurrence to 10 and above, and there by
/// the asymptotic series of Bernoulli's numbers (Abramowitz and
/// Stegun, 6.3.18).
static double digammaOf(double x) {
  if (x <= 0 && x == std::floor(x))
    return NAN;
  if (x < 0.5)
    return digammaOf(1 - x) - M_PI / std::tan(M_PI * x);
  double sum = 0;
  for (; x < 10; x += 1)
    sum -= 1 / x;
  double y = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x -
         y * (1.0 / 12 -
              y * (1.0 / 120 -
                   y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
}

static const llvm::StringMap<RealUnary> &realUnary() {
  static const llvm::StringMap<RealUnary> table = {
      {"abs", [](double x) { return std::fabs(x); }},
      {"cbrt", [](double x) { return std::cbrt(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"acosh", [](double x) { return std::acosh(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"asinh", [](double x) { return std::asinh(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"atanh", [](double x) { return std::atanh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"cosine", [](double x) { return std::cos(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"digamma", digammaOf},
      {"erf_inv", inverseErf},
      {"erfc", [](double x) { return std::erfc(x); }},
      {"exponential", [](double x) { return std::exp(x); }},
      {"exponential_minus_one", [](double x) { return std::expm1(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"lgamma", [](double x) { return std::lgamma(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log_plus_one", [](double x) { return std::log1p(x); }},
      {"logistic", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"negate", [](double x) { return -x; }},
      {"round_nearest_afz", [](double x) { return std::round(x); }},
      {"round_nearest_even", [](double x) { return std::nearbyint(x); }},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"sign", signOf},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"sine", [](double x) { return std::sin(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"square", [](double x) { return x * x; }},
      {"tan", [](double x) { return std::tan(x); }},
      {"tanh", [](double x) { return std::tanh(x); }}};
  return table;
}

using Test = bool (*)(double);

static const llvm::StringMap<Test> &realTests() {
  static const llvm::StringMap<Test> table = {
      {"is_finite", [](double x) { return bool(std::isfinite(x)); }},
      {"is_inf", [](double x) { return bool(std::isinf(x)); }},
      {"is_neg_inf", [](double x) { return x == -INFINITY; }},
      {"is_pos_inf", [](double x) { return x == INFINITY; }}};
  return table;
}

static const llvm::StringMap<RealBinary> &realBinary() {
  static const llvm::StringMap<RealBinary> table = {
      {"add", [](double a, double b) { return a + b; }},
      {"atan2", [](double a, double b) { return std::atan2(a, b); }},
      {"divide", [](double a, double b) { return a / b; }},
      {"maximum", maximumOf},
      {"minimum", minimumOf},
      {"multiply", [](double a, double b) { return a * b; }},
      {"power", [](double a, double b) { return std::pow(a, b); }},
      {"remainder", [](double a, double b) { return std::fmod(a, b); }},
      {"subtract", [](double a, double b) { return a - b; }}};
  return table;
}

static uint64_t maskOf(unsigned width) {
  return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

static const llvm::StringMap<IntegerUnary> &integerUnary() {
  static const llvm::StringMap<IntegerUnary> table = {
      {"abs",
       [](int64_t x, unsigned) -> int64_t { return x < 0 ? -uint64_t(x) : x; }},
      {"count_leading_zeros",
       [](int64_t x, unsigned width) -> int64_t {
         return llvm::countl_zero(uint64_t(x) & maskOf(width)) - 64 +
                int(width);
       }},
      {"negate", [](int64_t x, unsigned) -> int64_t { return -uint64_t(x); }},
      {"not", [](int64_t x, unsigned) { return ~x; }},
      {"popcnt",
       [](int64_t x, unsigned width) -> int64_t {
         return llvm::popcount(uint64_t(x) & maskOf(width));
       }},
      {"sign",
       [](int64_t x, unsigned) -> int64_t { return (x > 0) - (x < 0); }}};
  return table;
}

/// The quotient of signed numbers; -1 by zero, as StableHLO leaves it open.
static int64_t quotient(int64_t a, int64_t b, unsigned) {
  if (b == 0)
    return -1;
  return b == -1 ? -uint64_t(a) : a / b;
}
static int64_t remainder(int64_t a, int64_t b, unsigned) {
  if (b == 0)
    return a;
  return b == -1 ? 0 : a % b;
}

static int64_t powerOf(int64_t base, int64_t exponent, unsigned) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t power = 1, square = base;
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1)
      power *= square;
  return power;
}

/// Functions of unsigned numbers that differ from those of signed ones.
using UnsignedBinary = uint64_t (*)(uint64_t, uint64_t);

static const llvm::StringMap<UnsignedBinary> &unsignedBinary() {
  static const llvm::StringMap<UnsignedBinary> table = {
      {"divide",
       [](uint64_t a, uint64_t b) { return b == 0 ? ~uint64_t(0) : a / b; }},
      {"maximum", [](uint64_t a, uint64_t b) { return std::max(a, b); }},
      {"minimum", [](uint64_t a, uint64_t b) { return std::min(a, b); }},
      {"power",
       [](uint64_t base, uint64_t exponent) {
         uint64_t power = 1;
         for (; exponent; exponent >>= 1, base *= base)
           if (exponent & 1)
             power *= base;
         return power;
       }},
      {"remainder", [](uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }}};
  return table;
}

static const llvm::StringMap<IntegerBinary> &integerBinary() {
  static const llvm::StringMap<IntegerBinary> table = {
      {"add",
       [](int64_t a, int64_t b, unsigned width) -> int64_t {
         return width == 1 ? a | b : int64_t(uint64_t(a) + uint64_t(b));
       }},
      {"and", [](int64_t a, int64_t b, unsigned) { return a & b; }},
      {"divide", quotient},
      {"maximum",
       [](int64_t a, int64_t b, unsigned) { return std::max(a, b); }},
      {"minimum",
       [](int64_t a, int64_t b, unsigned) { return std::min(a, b); }},
      {"multiply",
       [](int64_t a, int64_t b, unsigned) -> int64_t {
         return uint64_t(a) * uint64_t(b);
       }},
      {"or", [](int64_t a, int64_t b, unsigned) { return a | b; }},
      {"power", powerOf},
      {"remainder", remainder},
      {"shift_left",
       [](int64_t a, int64_t b, unsigned width) -> int64_t {
         return uint64_t(b) >= width ? 0 : uint64_t(a) << b;
       }},
      {"shift_right_arithmetic",
       [](int64_t a, int64_t b, unsigned width) -> int64_t {
         return a >> std::min<uint64_t>(b, width - 1);
       }},
      {"shift_right_logical",
       [](int64_t a, int64_t b, unsigned width) -> int64_t {
         return uint64_t(b) >= width ? 0 : (uint64_t(a) & maskOf(width)) >> b;
       }},
      {"subtract",
       [](int64_t a, int64_t b, unsigned) -> int64_t {
         return uint64_t(a) - uint64_t(b);
       }},
      {"xor", [](int64_t a, int64_t b, unsigned) { return a ^ b; }}};
  return table;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool hlo::isElementwise(Operation *op) {
  if (!isa_and_present<HloDialect, chlo::ChloDialect>(op->getDialect()))
    return false;
  StringRef name = op->getName().stripDialect();
  return isa<ConvertOp, ClampOp, CompareOp, SelectOp, ReducePrecisionOp>(op) ||
         realTests().count(name) || realUnary().count(name) ||
         realBinary().count(name) || integerUnary().count(name) ||
         integerBinary().count(name);
}

/// Element `i`, or the only one.
static double realAt(const Tensor &tensor, int64_t i) {
  return tensor.real(tensor.size() == 1 ? 0 : i);
}
static int64_t integerAt(const Tensor &tensor, int64_t i) {
  return tensor.integer(tensor.size() == 1 ? 0 : i);
}

static bool isUnsigned(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.isUnsigned();
}

static hlo::Result evaluateByTable(Operation *op, hlo::Operands operands,
                                   RankedTensorType type) {
  StringRef name = op->getName().stripDialect();
  const Tensor &a = *operands[0];
  if (a.isComplex())
    return hlo::evaluateComplex(op, operands, type);
  Tensor made(type);
  bool isUnary = operands.size() == 1;
  if (a.isReal()) {
    RealUnary unary = realUnary().lookup(name);
    RealBinary binary = realBinary().lookup(name);
    if (!made.isReal() || (isUnary ? !unary : !binary))
      return hlo::misfit(op);
    for (int64_t i = 0; i < made.size(); ++i)
      made.real(i) =
          isUnary ? unary(a.real(i)) : binary(a.real(i), operands[1]->real(i));
    made.roundToStorage();
    return made;
  }
  IntegerUnary unary = integerUnary().lookup(name);
  IntegerBinary binary = integerBinary().lookup(name);
  if (made.isReal() || (isUnary ? !unary : !binary))
    return hlo::misfit(op);
  unsigned width = a.getElementType().getIntOrFloatBitWidth();
  // Tensors hold unsigned numbers sign-extended.
  UnsignedBinary ofUnsigned =
      isUnsigned(a.getElementType()) ? unsignedBinary().lookup(name) : nullptr;
  uint64_t mask = maskOf(width);
  for (int64_t i = 0; i < made.size(); ++i)
    made.integer(i) =
        isUnary      ? unary(a.integer(i), width)
        : ofUnsigned ? int64_t(ofUnsigned(a.integer(i) & mask,
                                          operands[1]->integer(i) & mask))
                     : binary(a.integer(i), operands[1]->integer(i), width);
  made.roundToStorage();
  return made;
}

template <typename T>
static bool compareNumbers(ComparisonDirection direction, T a, T b) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return a == b;
  case ComparisonDirection::NE:
    return a != b;
  case ComparisonDirection::GE:
    return a >= b;
  case ComparisonDirection::GT:
    return a > b;
  case ComparisonDirection::LE:
    return a <= b;
  case ComparisonDirection::LT:
    return a < b;
  }
  return false;
}

int64_t hlo::placeInOrder(double value, bool isWeak) {
  if (isWeak && value != value)
    value = NAN;
  if (isWeak && value == 0)
    value = 0;
  auto bits = llvm::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

static hlo::Result evaluateCompare(CompareOp op, hlo::Operands operands,
                                   RankedTensorType type) {
  const Tensor &a = *operands[0], &b = *operands[1];
  ComparisonDirection direction = op.getComparisonDirection();
  if (!type.getElementType().isInteger(1))
    return hlo::misfit(op);
  Tensor made(type);
  if (a.isComplex()) {
    bool isNot = direction == ComparisonDirection::NE;
    if (!isNot && direction != ComparisonDirection::EQ)
      return hlo::misfit(op);
    for (int64_t i = 0; i < made.size(); ++i)
      made.integer(i) = (a.complex(i) == b.complex(i)) != isNot;
    return made;
  }
  bool isWeak = op.getCompareType() == ComparisonType::WEAKORDER;
  if (isWeak || op.getCompareType() == ComparisonType::TOTALORDER) {
    if (!a.isReal())
      return hlo::misfit(op);
    for (int64_t i = 0; i < made.size(); ++i)
      made.integer(i) =
          compareNumbers(direction, hlo::placeInOrder(a.real(i), isWeak),
                         hlo::placeInOrder(b.real(i), isWeak));
    return made;
  }
  bool isWrapped = isUnsigned(a.getElementType());
  uint64_t mask = maskOf(a.getElementType().getIntOrFloatBitWidth());
  for (int64_t i = 0; i < made.size(); ++i)
    made.integer(i) =
        a.isReal()  ? compareNumbers(direction, a.real(i), b.real(i))
        : isWrapped ? compareNumbers(direction, a.integer(i) & mask,
                                     b.integer(i) & mask)
                    : compareNumbers(direction, a.integer(i), b.integer(i));
  return made;
}

static hlo::Result evaluateSelect(SelectOp op, hlo::Operands operands,
                                  RankedTensorType type) {
  Tensor made(type);
  for (int64_t i = 0; i < made.size(); ++i)
    made.copyElement(i, *operands[integerAt(*operands[0], i) ? 1 : 2], i);
  return made;
}

static hlo::Result evaluateClamp(ClampOp op, hlo::Operands operands,
                                 RankedTensorType type) {
  if (operands[1]->isComplex())
    return hlo::misfit(op);
  Tensor made(type);
  // Flips the order of unsigned numbers, which are held sign-extended.
  int64_t flip = isUnsigned(type.getElementType()) ? INT64_MIN : 0;
  for (int64_t i = 0; i < made.size(); ++i)
    if (made.isReal())
      made.real(i) =
          minimumOf(maximumOf(realAt(*operands[0], i), operands[1]->real(i)),
                    realAt(*operands[2], i));
    else
      made.integer(i) = std::min(std::max(integerAt(*operands[0], i) ^ flip,
                                          operands[1]->integer(i) ^ flip),
                                 integerAt(*operands[2], i) ^ flip) ^
                        flip;
  return made;
}

/// Conversion to integers truncates, saturates, and maps NaN to 0.
static int64_t truncated(double value, IntegerType type) {
  if (value != value)
    return 0;
  value = std::trunc(value);
  unsigned width = type.getWidth();
  double low = type.isUnsigned() ? 0.0 : -std::ldexp(1.0, width - 1);
  double end = std::ldexp(1.0, type.isUnsigned() ? width : width - 1);
  if (value < low)
    return type.isUnsigned() ? 0 : -int64_t(maskOf(width - 1)) - 1;
  if (value >= end)
    return maskOf(type.isUnsigned() ? width : width - 1);
  return type.isUnsigned() ? int64_t(uint64_t(value)) : int64_t(value);
}

static hlo::Result evaluateConvert(ConvertOp op, hlo::Operands operands,
                                   RankedTensorType type) {
  const Tensor &a = *operands[0];
  if (a.isComplex() || isa<ComplexType>(type.getElementType()))
    return hlo::convertComplex(a, type);
  Tensor made(type);
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  bool isTruth = type.getElementType().isInteger(1);
  uint64_t mask = maskOf(a.getElementType().getIntOrFloatBitWidth());
  bool isWrapped = isUnsigned(a.getElementType());
  for (int64_t i = 0; i < made.size(); ++i) {
    if (made.isReal())
      made.real(i) = a.isReal()  ? a.real(i)
                     : isWrapped ? double(uint64_t(a.integer(i)) & mask)
                                 : double(a.integer(i));
    else if (isTruth)
      made.integer(i) = a.number(i) != 0;
    else
      made.integer(i) = a.isReal()  ? truncated(a.real(i), integer)
                        : isWrapped ? int64_t(a.integer(i) & mask)
                                    : a.integer(i);
  }
  made.roundToStorage();
  return made;
}

/// Rounds to a format of fewer bits: to nearest, ties to even.
static double withPrecision(double value, int exponentBits, int mantissaBits) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent;
  double fraction = std::frexp(value, &exponent);
  int most = 1 << (exponentBits - 1);
  double scaled = std::nearbyint(std::ldexp(fraction, mantissaBits + 1));
  value = std::ldexp(scaled, exponent - mantissaBits - 1);
  if (std::fabs(value) >= std::ldexp(1.0, most))
    return std::copysign(INFINITY, value);
  return std::fabs(value) < std::ldexp(1.0, 2 - most)
             ? std::copysign(0.0, value)
             : value;
}

static hlo::Result evaluateReducePrecision(ReducePrecisionOp op,
                                           hlo::Operands operands) {
  if (op.getExponentBits() < 2 || op.getExponentBits() > 11 ||
      op.getMantissaBits() > 52)
    return hlo::misfit(op);
  Tensor made = *operands[0];
  for (int64_t i = 0; i < made.size(); ++i)
    made.real(i) =
        withPrecision(made.real(i), op.getExponentBits(), op.getMantissaBits());
  return made;
}

hlo::Result hlo::evaluateElementwise(Operation *op, Operands operands) {
  RankedTensorType type = typeOf(op->getResult(0));
  // Only conditions and limits may be scalars of their own.
  bool takesScalars = isa<SelectOp, ClampOp>(op);
  for (const Tensor *operand : operands)
    if (operand->getShape() != type.getShape() &&
        !(takesScalars && operand->getRank() == 0))
      return misfit(op);
  if (!isa<ConvertOp, SelectOp>(op))
    for (const Tensor *operand : operands)
      if (operand->getElementType() != operands[0]->getElementType())
        return misfit(op);
  if (auto select = dyn_cast<SelectOp>(op)) {
    if (!operands[0]->getElementType().isInteger(1) ||
        operands[1]->getType() != type || operands[2]->getType() != type)
      return misfit(op);
    return evaluateSelect(select, operands, type);
  }
  if (auto compare = dyn_cast<CompareOp>(op))
    return evaluateCompare(compare, operands, type);
  if (auto convert = dyn_cast<ConvertOp>(op))
    return evaluateConvert(convert, operands, type);
  if (Test test = realTests().lookup(op->getName().stripDialect())) {
    if (!operands[0]->isReal() || !type.getElementType().isInteger(1))
      return misfit(op);
    Tensor made(type);
    for (int64_t i = 0; i < made.size(); ++i)
      made.integer(i) = test(operands[0]->real(i));
    return made;
  }
  if (operands[0]->isComplex() && isa<AbsOp>(op))
    return evaluateComplex(op, operands, type);
  if (type.getElementType() != operands[0]->getElementType())
    return misfit(op);
  if (auto clamp = dyn_cast<ClampOp>(op))
    return evaluateClamp(clamp, operands, type);
  if (auto precision = dyn_cast<ReducePrecisionOp>(op))
    return operands[0]->isReal() ? evaluateReducePrecision(precision, operands)
                                 : Result(misfit(op));
  return evaluateByTable(op, operands, type);
}

hlo::Result hlo::evaluateIota(IotaOp op) {
  Tensor made(typeOf(cast<OpResult>(op.getOutput())));
  int64_t dimension = op.getIotaDimension(), at = 0;
  if (dimension < 0 || dimension >= made.getRank())
    return misfit(op);
  forEachIndex(made.getShape(), [&](ArrayRef<int64_t> index) {
    if (made.isComplex())
      made.setComplex(at++, double(index[dimension]));
    else if (made.isReal())
      made.real(at++) = index[dimension];
    else
      made.integer(at++) = index[dimension];
  });
  made.roundToStorage();
  return made;
}
