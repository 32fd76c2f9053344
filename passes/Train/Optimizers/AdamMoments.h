//===- AdamMoments.h - The common part of Adam and AdamW --------*- C++ -*-===//
//
//   m = beta1 * m + (1 - beta1) * g          v = beta2 * v + (1 - beta2) * g^2
//   w -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//
// after t steps (Kingma and Ba 2015, arXiv 1412.6980), in the form of PyTorch's
// Adam and AdamW. m and v are the variables PARAMETER.exp_avg and
// PARAMETER.exp_avg_sq. The powers of beta are variables of their own,
// NAME.beta1_power and NAME.beta2_power, multiplied once per step in f64: f32
// would lose five digits of 1 - beta2^t in the first steps. Each optimizer
// defines its weight decay: its effect on the gradient and on the weight.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_OPTIMIZERS_ADAMMOMENTS_H
#define REPRISE_PASSES_TRAIN_OPTIMIZERS_ADAMMOMENTS_H

#include "Optimizer.h"

namespace reprise::sg {

inline constexpr Hyperparameter kBeta1 = {"beta1", 0.9, 0, 1};
inline constexpr Hyperparameter kBeta2 = {"beta2", 0.999, 0, 1};
// Below this smallest epsilon, a parameter whose gradient is 0 would become 0 /
// 0 in f32.
inline constexpr Hyperparameter kEpsilon = {"epsilon", 1e-8, 1e-30, 1};

class AdamMoments : public Optimizer {
public:
  std::vector<OptimizerVariable>
  variables(const HyperparameterValues &) const final;
  std::vector<OptimizerVariable>
  sharedVariables(mlir::MLIRContext *context) const final;
  llvm::SmallVector<mlir::Value> share(UpdateBuilder &b,
                                       mlir::Value rate) const final;
  mlir::Value update(UpdateBuilder &b, const ParameterUpdate &from) const final;

protected:
  /// The index of the first result of shareDecay among the shared values.
  static constexpr unsigned kFirstDecay = 2;

private:
  /// Returns scalars of weight decay that all updates use; `rate` and they are
  /// f64.
  virtual llvm::SmallVector<mlir::Value> shareDecay(UpdateBuilder &,
                                                    mlir::Value rate) const {
    return {};
  }
  /// Returns the gradient, including weight decay that acts through it.
  virtual mlir::Value decayGradient(UpdateBuilder &,
                                    const ParameterUpdate &from) const {
    return from.gradient;
  }
  /// Returns the weight from which the step is subtracted.
  virtual mlir::Value decayWeight(UpdateBuilder &,
                                  const ParameterUpdate &from) const {
    return from.weight;
  }
};

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_OPTIMIZERS_ADAMMOMENTS_H
