//===- Activation.cpp - Formulas of activations ---------------------------===//
//
// Each activation is two formulas in primitives: the function of x and its
// slope there. Both are computed in f32 if x is bf16 or f16.
//
//===----------------------------------------------------------------------===//

#include "../Models.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Activations.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

/// Returns x, or x as f32 if it is narrower.
static Value widened(Emitter &e, Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  if (element.getIntOrFloatBitWidth() >= 32)
    return x;
  return e.make<CastOp>(tensorOf(x).clone(e.builder.getF32Type()), x);
}

static Value plus(Emitter &e, Value x, double summand) {
  Value splatted = e.splat(x, summand);
  return e.add(x, splatted);
}

//===----------------------------------------------------------------------===//
// The Gaussian error linear unit
//===----------------------------------------------------------------------===//

constexpr double kSqrtHalf = 0.70710678118654752;      // 1 / sqrt 2
constexpr double kDensityAtZero = 0.39894228040143268; // 1 / sqrt(2 pi)
constexpr double kTanhScale = 0.79788456080286536;     // sqrt(2 / pi)
constexpr double kTanhCube = 0.044715;

/// The normal distribution: (1 + erf(x / sqrt 2)) / 2.
static Value distribution(Emitter &e, Value x) {
  Value error = e.make<ErfOp>(e.scale(x, kSqrtHalf));
  return e.scale(plus(e, error, 1.0), 0.5);
}

/// tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
static Value tanhOfCubic(Emitter &e, Value x) {
  Value square = e.mul(x, x);
  Value factor = plus(e, e.scale(square, kTanhCube), 1.0);
  Value cubic = e.mul(x, factor);
  return e.make<TanhOp>(e.scale(cubic, kTanhScale));
}

static Value activation(GeluOp op, Emitter &e, Value x) {
  if (!op.getTanh())
    return e.mul(x, distribution(e, x));
  Value share = e.scale(plus(e, tanhOfCubic(e, x), 1.0), 0.5);
  return e.mul(x, share);
}

/// D(x) + x d(x) for the distribution D and its density d. With t = tanh(u(x)):
/// (1 + t) / 2 + x (1 - t^2) / 2 u'(x).
static Value slope(GeluOp op, Emitter &e, Value x) {
  Value square = e.mul(x, x);
  if (!op.getTanh()) {
    Value bell = e.exp(e.scale(square, -0.5));
    Value density = e.scale(bell, kDensityAtZero);
    Value rise = e.mul(x, density);
    return e.add(distribution(e, x), rise);
  }
  Value t = tanhOfCubic(e, x);
  Value share = e.scale(plus(e, t, 1.0), 0.5);
  Value rest = plus(e, e.neg(e.mul(t, t)), 1.0);
  Value inner = plus(e, e.scale(square, 3.0 * kTanhCube), 1.0);
  Value steep = e.scale(inner, 0.5 * kTanhScale);
  Value rise = e.mul(e.mul(x, rest), steep);
  return e.add(share, rise);
}

//===----------------------------------------------------------------------===//
// Sigmoids
//===----------------------------------------------------------------------===//

static Value activation(SiluOp, Emitter &e, Value x) {
  return e.mul(x, e.make<SigmoidOp>(x));
}

/// s (1 + x (1 - s)), s being the sigmoid of x.
static Value slope(SiluOp, Emitter &e, Value x) {
  Value s = e.make<SigmoidOp>(x);
  Value rest = plus(e, e.neg(s), 1.0);
  Value factor = plus(e, e.mul(x, rest), 1.0);
  return e.mul(s, factor);
}

/// `inner` where x is between the corners -3 and 3, these included or not,
/// `below` and `above` elsewhere; NaN takes `above`.
static Value between(Emitter &e, Value x, bool corners, Value below,
                     Value inner, Value above) {
  auto under = corners ? ComparePredicate::LT : ComparePredicate::LE;
  auto until = corners ? ComparePredicate::LE : ComparePredicate::LT;
  Value low = e.compare(under, x, e.splat(x, -3.0));
  Value inside = e.compare(until, x, e.splat(x, 3.0));
  Value upper = e.select(inside, inner, above);
  return e.select(low, below, upper);
}

/// min(max(x + 3, 0), 6) / 6: NaN stays NaN.
static Value hardSigmoid(Emitter &e, Value x) {
  Value shifted = plus(e, x, 3.0);
  Value floor = e.make<MaximumOp>(shifted, e.zeros(x));
  Value six = e.splat(x, 6.0);
  Value bounded = e.make<MinimumOp>(floor, six);
  return e.div(bounded, six);
}

static Value activation(HardSigmoidOp, Emitter &e, Value x) {
  return hardSigmoid(e, x);
}

static Value slope(HardSigmoidOp, Emitter &e, Value x) {
  Value zero = e.zeros(x);
  return between(e, x, /*corners=*/false, zero, e.splat(x, 1.0 / 6.0), zero);
}

static Value activation(HardSwishOp, Emitter &e, Value x) {
  return e.mul(x, hardSigmoid(e, x));
}

/// x / 3 + 1/2 between the corners.
static Value slope(HardSwishOp, Emitter &e, Value x) {
  Value three = e.splat(x, 3.0);
  Value inner = plus(e, e.div(x, three), 0.5);
  return between(e, x, /*corners=*/true, e.zeros(x), inner, e.splat(x, 1.0));
}

//===----------------------------------------------------------------------===//
// The models of every activation
//===----------------------------------------------------------------------===//

/// dy times the slope at x, which is kept.
template <typename OpTy>
static Value activationGradient(OpTy op, VjpContext &context, Emitter &e,
                                Value dy) {
  Value x = widened(e, context.forward(op.getOperand()));
  Value steepness = slope(op, e, x);
  Value dx = e.mul(e.as(dy, x), steepness);
  return e.as(dx, op.getOperand());
}

template <typename OpTy>
static SmallVector<Value> decomposeActivation(OpTy op, Emitter &e) {
  Value x = widened(e, op.getOperand());
  return {e.as(activation(op, e, x), op.getOperand())};
}

void sg::registerActivationModels(MLIRContext *context) {
  forEachActivation([&](auto op) {
    using OpTy = decltype(op);
    attachUnary<OpTy, activationGradient<OpTy>>(context);
    attachDecomposition<OpTy, decomposeActivation<OpTy>>(context);
    attachPointwiseCost<perResult<5>, OpTy>(context);
    attachAutocast<AutocastRule::First, OpTy>(context);
  });
}
