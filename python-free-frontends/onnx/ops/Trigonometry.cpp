//===- Trigonometry.cpp - Sines, tangents and their inverses --------------===//
//
// Composed of arithmetic, within some units in the last place of float where
// arguments are below 2^13; larger ones lose the digits that a multiple of pi
// takes.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::onnx;
using nn::Tensor;
using sg::ComparePredicate;

static constexpr double kPi = 3.14159265358979323846;

/// c[0] + c[1] x + c[2] x^2 and so on.
static Tensor polynomial(Tensor x, llvm::ArrayRef<double> c) {
  Tensor y = numberLike(x, c.back());
  for (double next : llvm::reverse(c.drop_back()))
    y = plus(y * x, next);
  return y;
}

namespace {
/// Sine and cosine of an angle.
struct Angle {
  Tensor sine, cosine;
};
} // namespace

/// Both of x = q pi/2 + r with |r| <= pi/4, by Taylor's series of r. The parts
/// of pi/2 have so few bits that their products with q are exact (W. J. Cody
/// and W. Waite, Software Manual for the Elementary Functions, 1980).
static Angle angleOf(Tensor x) {
  Tensor q = rounded(nn::scale(x, 2 / kPi));
  Tensor r = x - nn::scale(q, 1.5703125);
  r = r - nn::scale(q, 4.837512969970703125e-4);
  r = r - nn::scale(q, 7.54978995489188216e-8);
  Tensor s = r * r;
  Tensor sine = r * polynomial(s, {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040,
                                   1.0 / 362880, -1.0 / 39916800});
  Tensor cosine = polynomial(s, {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720,
                                 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600});
  Tensor quarter = q - nn::scale(floorOf(nn::scale(q, 0.25)), 4.0);
  auto is = [&](double number) {
    return compare(ComparePredicate::EQ, quarter, numberLike(quarter, number));
  };
  Tensor one = is(1.0), two = is(2.0), three = is(3.0);
  Tensor odd = nn::select(one, one, three);
  Tensor ofSine = nn::select(odd, cosine, sine);
  Tensor ofCosine = nn::select(odd, sine, cosine);
  return {
      nn::select(nn::select(two, two, three), emit<sg::NegOp>(ofSine), ofSine),
      nn::select(nn::select(one, one, two), emit<sg::NegOp>(ofCosine),
                 ofCosine)};
}

bool onnx::importSin(NodeImport &node) {
  return unary(node, [](Tensor x) { return angleOf(x).sine; });
}

bool onnx::importCos(NodeImport &node) {
  return unary(node, [](Tensor x) { return angleOf(x).cosine; });
}

bool onnx::importTan(NodeImport &node) {
  return unary(node, [](Tensor x) {
    Angle angle = angleOf(x);
    return emit<sg::DivOp>({angle.sine, angle.cosine});
  });
}

/// The tangent of half the angle whose tangent is x.
static Tensor halved(Tensor x) {
  Tensor root = emit<sg::SqrtOp>(plus(x * x, 1.0));
  return emit<sg::DivOp>({x, plus(root, 1.0)});
}

/// Four times the series of a quarter of the angle, whose tangent is below
/// 0.42. Larger tangents than 1e18, whose squares overflow, have the same
/// angle.
static Tensor atanOf(Tensor x) {
  Tensor t = halved(halved(atMost(atLeast(x, -1e18), 1e18)));
  llvm::SmallVector<double> series;
  for (int k = 0; k < 13; ++k)
    series.push_back((k % 2 ? -1.0 : 1.0) / (2 * k + 1));
  return nn::scale(t * polynomial(t * t, series), 4.0);
}

bool onnx::importAtan(NodeImport &node) { return unary(node, atanOf); }

bool onnx::importAsin(NodeImport &node) {
  return unary(node, [](Tensor x) {
    Tensor one = numberLike(x, 1.0);
    Tensor root = emit<sg::SqrtOp>((one - x) * (one + x));
    return atanOf(emit<sg::DivOp>({x, root}));
  });
}

/// Twice the angle whose tangent is sqrt((1 - x) / (1 + x)).
bool onnx::importAcos(NodeImport &node) {
  return unary(node, [](Tensor x) {
    Tensor one = numberLike(x, 1.0);
    Tensor ratio = emit<sg::DivOp>({one - x, one + x});
    return nn::scale(atanOf(emit<sg::SqrtOp>(ratio)), 2.0);
  });
}
