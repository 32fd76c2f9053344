//===- AdamW.cpp - Adam with decoupled weight decay -----------------------===//
//
//   m = beta1 * m + (1 - beta1) * g          v = beta2 * v + (1 - beta2) * g^2
//   w -= rate * weight-decay * w
//   w -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//
// after t steps (Kingma and Ba 2015, arXiv 1412.6980; Loshchilov and Hutter
// 2019, arXiv 1711.05101), in the form and with the defaults of PyTorch's
// AdamW. m and v are the variables PARAMETER.exp_avg and PARAMETER.exp_avg_sq.
// The powers of beta are variables of their own, multiplied once a step in f64:
// f32 would take five digits of 1 - beta2^t in the first steps.
//
//===----------------------------------------------------------------------===//

#include "Optimizer.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kMean = "exp_avg";
static constexpr llvm::StringLiteral kSquare = "exp_avg_sq";
static constexpr llvm::StringLiteral kPower1 = "adamw.beta1_power";
static constexpr llvm::StringLiteral kPower2 = "adamw.beta2_power";

// Below the least epsilon a parameter whose gradient is 0 would become 0 / 0 in
// f32.
static constexpr Hyperparameter kHyperparameters[] = {
    {"beta1", 0.9, 0, 1},
    {"beta2", 0.999, 0, 1},
    {"epsilon", 1e-8, 1e-30, 1},
    {"weight-decay", 0.01, 0, 1},
};

/// What the updates share, in the order of `share`.
enum Shared { kDecay, kStepSize, kRoot };

namespace {
class AdamW final : public Optimizer {
public:
  OptimizerInfo info() const override {
    return {"adamw", "Adam with decoupled weight decay", kHyperparameters};
  }

  std::vector<OptimizerVariable>
  variables(const HyperparameterValues &) const override {
    return {{kMean.str(), "mean of gradients"},
            {kSquare.str(), "mean of squared gradients"}};
  }

  std::vector<OptimizerVariable>
  sharedVariables(MLIRContext *context) const override {
    Type wide = Float64Type::get(context);
    return {{kPower1.str(), "power of beta1", InitKind::Ones, wide},
            {kPower2.str(), "power of beta2", InitKind::Ones, wide}};
  }

  llvm::SmallVector<Value> share(UpdateBuilder &b, Value rate) const override {
    Value one = b.splat(1);
    Value wide = b.spread(rate);
    Value lost = b.mul(wide, b.splat(b.get("weight-decay")));
    Value decay = b.sub(one, lost);
    Value left1 = b.sub(one, advance(b, kPower1, "beta1"));
    Value stepSize = b.div(wide, left1);
    Value left2 = b.sub(one, advance(b, kPower2, "beta2"));
    return {decay, stepSize, b.sqrt(left2)};
  }

  // A statement an op: the order of a call's arguments is the compiler's.
  Value update(UpdateBuilder &b, const ParameterUpdate &from) const override {
    Value mean = average(b, kMean, b.get("beta1"), from.gradient);
    Value squared = b.mul(from.gradient, from.gradient);
    Value square = average(b, kSquare, b.get("beta2"), squared);
    Value root = b.sqrt(square);
    Value spread = b.div(root, b.spread(from.shared[kRoot]));
    Value divisor = b.add(spread, b.splat(b.get("epsilon")));
    Value direction = b.div(mean, divisor);
    Value step = b.mul(b.spread(from.shared[kStepSize]), direction);
    Value decayed = b.mul(from.weight, b.spread(from.shared[kDecay]));
    return b.sub(decayed, step);
  }

private:
  /// beta * old + (1 - beta) * next, which becomes the variable's value.
  static Value average(UpdateBuilder &b, llvm::StringRef variable, double beta,
                       Value next) {
    Value old = b.read(variable);
    Value kept = b.mul(old, b.splat(beta));
    Value taken = b.mul(next, b.splat(1 - beta));
    Value sum = b.add(kept, taken);
    b.write(variable, sum);
    return sum;
  }

  /// beta^t of this step, from that of the one before.
  static Value advance(UpdateBuilder &b, llvm::StringRef variable,
                       llvm::StringRef beta) {
    Value old = b.read(variable);
    Value power = b.mul(old, b.splat(b.get(beta)));
    b.write(variable, power);
    return power;
  }
};
} // namespace

const Optimizer &sg::adamwOptimizer() {
  static const AdamW optimizer;
  return optimizer;
}
