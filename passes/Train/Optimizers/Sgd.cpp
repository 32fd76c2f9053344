//===- Sgd.cpp - Stochastic gradient descent with momentum ----------------===//
//
//   g = gradient + weight-decay * w;  v = momentum * v + g;  w -= rate * v
//
// (Sutskever et al. 2013, in the form of PyTorch's SGD: the rate multiplies the
// whole velocity). v is the variable PARAMETER.momentum_buffer, absent when
// momentum is 0.
//
//===----------------------------------------------------------------------===//

#include "Optimizer.h"
#include "reprise/Fault.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kVelocity = "momentum_buffer";

static constexpr Hyperparameter kHyperparameters[] = {
    {"momentum", 0.9, 0, 1},
    {"weight-decay", 0.0, 0, 1},
};

namespace {
class Sgd final : public Optimizer {
public:
  OptimizerInfo info() const override {
    return {"sgd", "stochastic gradient descent with momentum",
            kHyperparameters};
  }

  std::vector<OptimizerVariable>
  variables(const HyperparameterValues &values) const override {
    if (values.at("momentum") == 0)
      return {};
    return {{kVelocity.str(), "momentum"}};
  }

  Value update(UpdateBuilder &b, const ParameterUpdate &from) const override {
    Value gradient = from.gradient;
    double decay = b.get("weight-decay");
    REPRISE_FAULT("weight-decay-lost", decay = 0);
    if (decay != 0)
      gradient = b.add(gradient, b.mul(from.weight, b.splat(decay)));
    if (b.get("momentum") != 0) {
      Value old = b.read(kVelocity);
      Value kept = b.mul(old, b.splat(b.get("momentum")));
      gradient = b.add(kept, gradient);
      Value velocity = gradient;
      REPRISE_FAULT("velocity-without-gradient", velocity = kept);
      b.write(kVelocity, velocity);
    }
    Value step = b.mul(b.spread(from.rate), gradient);
    return b.sub(from.weight, step);
  }
};
} // namespace

const Optimizer &sg::sgdOptimizer() {
  static const Sgd optimizer;
  return optimizer;
}
