//===- Sgd.cpp - Stochastic gradient descent with momentum ----------------===//
//
//   g = gradient + weight-decay * w;  v = momentum * v + g;  w -= rate * v
//   with nesterov:                          w -= rate * (g + momentum * v)
//
// (Sutskever et al. 2013, in the form of PyTorch's SGD: the rate multiplies the
// whole velocity, and Nesterov's step looks ahead from the new one). v is the
// variable PARAMETER.momentum_buffer, absent when momentum is 0.
//
//===----------------------------------------------------------------------===//

#include "Optimizer.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kVelocity = "momentum_buffer";

static constexpr Hyperparameter kHyperparameters[] = {
    {"momentum", 0.9, 0, 1},
    weightDecay(0),
    kNormBiasWeightDecay,
    {"nesterov", 0, 0, 2, Hyperparameter::Kind::Switch,
     "Nesterov's momentum, in PyTorch's form"},
};

namespace {
class Sgd final : public Optimizer {
public:
  OptimizerInfo info() const override {
    return {OptimizerKind::Sgd, "stochastic gradient descent with momentum",
            kHyperparameters};
  }

  std::string check(const HyperparameterValues &values) const override {
    if (values.count("nesterov") && values.at("momentum") == 0)
      return "nesterov of sgd needs a momentum, which is 0";
    return "";
  }

  std::vector<OptimizerVariable>
  variables(const HyperparameterValues &values) const override {
    if (values.at("momentum") == 0)
      return {};
    return {{kVelocity.str(), "momentum"}};
  }

  Value update(UpdateBuilder &b, const ParameterUpdate &from) const override {
    Value direction = b.addDecay(from);
    if (b.get("momentum") != 0)
      direction = accelerate(b, direction);
    Value step = b.mul(b.spread(from.rate), direction);
    return b.sub(from.weight, step);
  }

private:
  /// Returns the new velocity, or Nesterov's look-ahead from it.
  static Value accelerate(UpdateBuilder &b, Value gradient) {
    double momentum = b.get("momentum");
    Value old = b.read(kVelocity);
    Value kept = b.mul(old, b.splat(momentum));
    Value next = b.add(kept, gradient);
    Value velocity = next;
    b.write(kVelocity, velocity);
    if (!b.has("nesterov"))
      return next;
    Value ahead = b.mul(next, b.splat(momentum));
    return b.add(gradient, ahead);
  }
};
} // namespace

const Optimizer &sg::sgdOptimizer() {
  static const Sgd optimizer;
  return optimizer;
}
