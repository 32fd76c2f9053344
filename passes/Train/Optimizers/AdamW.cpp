//===- AdamW.cpp - Adam with decoupled weight decay -----------------------===//
//
//   w -= rate * weight-decay * w, and then Adam's step without decay
//
// (Loshchilov and Hutter 2019, arXiv 1711.05101), in the form and with the
// defaults of PyTorch's AdamW. See AdamMoments.h for the step.
//
//===----------------------------------------------------------------------===//

#include "AdamMoments.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr Hyperparameter kHyperparameters[] = {
    kBeta1, kBeta2, kEpsilon, weightDecay(0.01), kNormBiasWeightDecay,
};

namespace {
class AdamW final : public AdamMoments {
public:
  OptimizerInfo info() const override {
    return {OptimizerKind::AdamW, "Adam with decoupled weight decay",
            kHyperparameters};
  }

private:
  /// Returns 1 - rate * decay for each existing group.
  llvm::SmallVector<Value> shareDecay(UpdateBuilder &b,
                                      Value rate) const override {
    llvm::SmallVector<Value> factors;
    for (DecayGroup group : b.decayGroups()) {
      Value lost = b.mul(rate, b.splat(b.weightDecay(group)));
      factors.push_back(b.sub(b.splat(1), lost));
    }
    return factors;
  }

  Value decayWeight(UpdateBuilder &b,
                    const ParameterUpdate &from) const override {
    DecayGroup group = b.decayGroup();
    if (b.weightDecay(group) == 0)
      return from.weight;
    Value factor = from.shared[kFirstDecay + unsigned(group)];
    return b.mul(from.weight, b.spread(factor));
  }
};
} // namespace

const Optimizer &sg::adamwOptimizer() {
  static const AdamW optimizer;
  return optimizer;
}
