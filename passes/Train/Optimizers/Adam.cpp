//===- Adam.cpp - Adam ----------------------------------------------------===//
//
//   g = gradient + weight-decay * w, and then Adam's step
//
// (Kingma and Ba 2015, arXiv 1412.6980), in the form and with the defaults of
// PyTorch's Adam: weight decay is the gradient of an L2 penalty. See
// AdamMoments.h for the step.
//
//===----------------------------------------------------------------------===//

#include "AdamMoments.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr Hyperparameter kHyperparameters[] = {
    kBeta1, kBeta2, kEpsilon, weightDecay(0), kNormBiasWeightDecay,
};

namespace {
class Adam final : public AdamMoments {
public:
  OptimizerInfo info() const override {
    return {OptimizerKind::Adam, "Adam, with weight decay by the gradient",
            kHyperparameters};
  }

private:
  Value decayGradient(UpdateBuilder &b,
                      const ParameterUpdate &from) const override {
    return b.addDecay(from);
  }
};
} // namespace

const Optimizer &sg::adamOptimizer() {
  static const Adam optimizer;
  return optimizer;
}
