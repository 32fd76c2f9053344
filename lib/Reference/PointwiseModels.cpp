//===- PointwiseModels.cpp - Element by element ---------------------------===//

#include "Models.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static double negate(double x) { return -x; }
static double absolute(double x) { return std::fabs(x); }
static double exponential(double x) { return std::exp(x); }
static double logarithm(double x) { return std::log(x); }
static double squareRoot(double x) { return std::sqrt(x); }
static double hyperbolicTangent(double x) { return std::tanh(x); }
static double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
static double errorFunction(double x) { return std::erf(x); }
static double relu(double x) { return x < 0.0 ? 0.0 : x; }

template <typename OpTy, double (*function)(double)>
static void unary(OpTy op, Frame &, Operands operands, Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].real(i) = function(operands[0].real(i));
}

static void rsqrt(sg::RsqrtOp op, Frame &frame, Operands operands,
                  Results results) {
  Type element = operands[0].getElementType();
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].real(i) =
        1.0 / frame.stored(element, std::sqrt(operands[0].real(i)));
}

//===----------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------===//

// Integer arithmetic in 64 bits, unsigned so that it wraps around.
struct Add {
  static double real(double x, double y) { return x + y; }
  static uint64_t integer(uint64_t x, uint64_t y) { return x + y; }
};
struct Sub {
  static double real(double x, double y) { return x - y; }
  static uint64_t integer(uint64_t x, uint64_t y) { return x - y; }
};
struct Mul {
  static double real(double x, double y) { return x * y; }
  static uint64_t integer(uint64_t x, uint64_t y) { return x * y; }
};
struct Maximum {
  static double real(double x, double y) {
    return std::isnan(x) || (!std::isnan(y) && x >= y) ? x : y;
  }
  static int64_t integer(int64_t x, int64_t y) { return std::max(x, y); }
};
struct Minimum {
  static double real(double x, double y) {
    return std::isnan(x) || (!std::isnan(y) && x <= y) ? x : y;
  }
  static int64_t integer(int64_t x, int64_t y) { return std::min(x, y); }
};

template <typename OpTy, typename Function>
static void binary(OpTy op, Frame &, Operands operands, Results results) {
  const Tensor &x = operands[0], &y = operands[1];
  for (int64_t i = 0; i < x.size(); ++i)
    if (x.isReal())
      results[0].real(i) = Function::real(x.real(i), y.real(i));
    else
      results[0].integer(i) = wrapTo(
          x.getElementType(), Function::integer(x.integer(i), y.integer(i)));
}

static void divide(sg::DivOp op, Frame &, Operands operands, Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].real(i) = operands[0].real(i) / operands[1].real(i);
}

template <typename T>
static bool holds(sg::ComparePredicate predicate, T x, T y) {
  switch (predicate) {
  case sg::ComparePredicate::EQ:
    return x == y;
  case sg::ComparePredicate::NE:
    return x != y;
  case sg::ComparePredicate::LT:
    return x < y;
  case sg::ComparePredicate::LE:
    return x <= y;
  case sg::ComparePredicate::GT:
    return x > y;
  case sg::ComparePredicate::GE:
    return x >= y;
  }
  llvm_unreachable("every predicate is listed");
}

static void compare(sg::CompareOp op, Frame &, Operands operands,
                    Results results) {
  const Tensor &x = operands[0], &y = operands[1];
  for (int64_t i = 0; i < x.size(); ++i)
    results[0].integer(i) =
        x.isReal() ? holds(op.getPredicate(), x.real(i), y.real(i))
                   : holds(op.getPredicate(), x.integer(i), y.integer(i));
}

//===----------------------------------------------------------------------===//
// Choice and conversion
//===----------------------------------------------------------------------===//

static void selectElements(sg::SelectOp op, Frame &, Operands operands,
                           Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].copyElement(
        i, operands[0].integer(i) ? operands[1] : operands[2], i);
}

/// Truncates towards zero. Numbers outside the type, which are undefined in
/// compiled code, go to its nearest end, and NaN goes to 0.
static int64_t truncateTo(IntegerType type, double value) {
  if (type.getWidth() == 1)
    return value != 0.0;
  if (std::isnan(value))
    return 0;
  int64_t highest =
      std::numeric_limits<int64_t>::max() >> (64 - type.getWidth());
  int64_t lowest = -highest - 1;
  double truncated = std::trunc(value);
  if (truncated >= static_cast<double>(highest))
    return highest;
  if (truncated <= static_cast<double>(lowest))
    return lowest;
  return static_cast<int64_t>(truncated);
}

/// In double precision a float is unchanged: rounding to the new type is the
/// part of the evaluation that Precision::Stored adds.
static void castElements(sg::CastOp op, Frame &, Operands operands,
                         Results results) {
  const Tensor &from = operands[0];
  Tensor &to = results[0];
  auto toInteger = dyn_cast<IntegerType>(to.getElementType());
  for (int64_t i = 0; i < from.size(); ++i)
    if (!toInteger)
      to.real(i) = from.number(i);
    else if (from.isReal())
      to.integer(i) = truncateTo(toInteger, from.real(i));
    else if (toInteger.getWidth() == 1)
      to.integer(i) = from.integer(i) != 0;
    else
      to.integer(i) = wrapTo(toInteger, from.integer(i));
}

/// The number that a byte of E4M3 without infinities says: sign, four bits of
/// exponent, three of fraction. https://arxiv.org/abs/2209.05433, table 1.
static double decodeFp8(int64_t byte) {
  int exponent = int(byte >> 3) & 15, fraction = int(byte) & 7;
  double size = exponent == 15 && fraction == 7 ? NAN
                : exponent == 0 ? std::ldexp(fraction, -9)
                                : std::ldexp(8 + fraction, exponent - 10);
  return byte & 0x80 ? -size : size;
}

/// Chooses the nearest of all numbers, and of two equally near ones the even
/// one.
static int64_t encodeFp8(double x) {
  constexpr int64_t nan = 0x7f, most = 0x7e;
  int64_t sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x))
    return nan;
  double size = std::min(std::abs(x), decodeFp8(most));
  int64_t best = 0;
  for (int64_t code = 1; code <= most; ++code) {
    double now = std::abs(decodeFp8(code) - size),
           before = std::abs(decodeFp8(best) - size);
    if (now < before || (now == before && code % 2 == 0))
      best = code;
  }
  return sign | best;
}

static void encodeElements(sg::EncodeFp8Op op, Frame &, Operands operands,
                           Results results) {
  auto byte = cast<IntegerType>(results[0].getElementType());
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].integer(i) = wrapTo(byte, encodeFp8(operands[0].real(i)));
}

static void decodeElements(sg::DecodeFp8Op op, Frame &, Operands operands,
                           Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].real(i) = decodeFp8(operands[0].integer(i));
}

void reference::registerPointwiseModels(MLIRContext *context) {
  attach<sg::NegOp, unary<sg::NegOp, negate>>(context);
  attach<sg::AbsOp, unary<sg::AbsOp, absolute>>(context);
  attach<sg::ExpOp, unary<sg::ExpOp, exponential>>(context);
  attach<sg::LogOp, unary<sg::LogOp, logarithm>>(context);
  attach<sg::SqrtOp, unary<sg::SqrtOp, squareRoot>>(context);
  attach<sg::RsqrtOp, rsqrt>(context);
  attach<sg::TanhOp, unary<sg::TanhOp, hyperbolicTangent>>(context);
  attach<sg::SigmoidOp, unary<sg::SigmoidOp, sigmoid>>(context);
  attach<sg::ErfOp, unary<sg::ErfOp, errorFunction>>(context);
  attach<sg::ReluOp, unary<sg::ReluOp, relu>>(context);
  attach<sg::AddOp, binary<sg::AddOp, Add>>(context);
  attach<sg::SubOp, binary<sg::SubOp, Sub>>(context);
  attach<sg::MulOp, binary<sg::MulOp, Mul>>(context);
  attach<sg::MaximumOp, binary<sg::MaximumOp, Maximum>>(context);
  attach<sg::MinimumOp, binary<sg::MinimumOp, Minimum>>(context);
  attach<sg::DivOp, divide>(context);
  attach<sg::CompareOp, compare>(context);
  attach<sg::SelectOp, selectElements>(context);
  attach<sg::CastOp, castElements>(context);
  attach<sg::EncodeFp8Op, encodeElements>(context);
  attach<sg::DecodeFp8Op, decodeElements>(context);
}
