//===- ActivationModels.cpp - Activations of one number -------------------===//

#include "Models.h"
#include "reprise/IR/Activations.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

static double valueOf(sg::GeluOp op, double x) {
  if (!op.getTanh())
    return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
  double inner = std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1.0 + std::tanh(inner));
}

static double valueOf(sg::SiluOp, double x) { return x / (1.0 + std::exp(-x)); }

/// NaN stays: it is neither below 0 nor above 1.
static double valueOf(sg::HardSigmoidOp, double x) {
  double y = (x + 3.0) / 6.0;
  return y < 0.0 ? 0.0 : y > 1.0 ? 1.0 : y;
}

static double valueOf(sg::HardSwishOp, double x) {
  return x * valueOf(sg::HardSigmoidOp(), x);
}

template <typename OpTy>
static void elementwise(OpTy op, Frame &, Operands operands, Results results) {
  for (int64_t i = 0; i < operands[0].size(); ++i)
    results[0].real(i) = valueOf(op, operands[0].real(i));
}

void reference::registerActivationModels(MLIRContext *context) {
  sg::forEachActivation([&](auto op) {
    using OpTy = decltype(op);
    attach<OpTy, elementwise<OpTy>>(context);
  });
}
