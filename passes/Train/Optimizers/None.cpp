//===- None.cpp - No optimizer: gradients alone ---------------------------===//

#include "Optimizer.h"

using namespace reprise;
using namespace reprise::sg;

namespace {
class None final : public Optimizer {
public:
  OptimizerInfo info() const override {
    return {OptimizerKind::None, "gradients without updates", {}};
  }
  bool updates() const override { return false; }
  mlir::Value update(UpdateBuilder &,
                     const ParameterUpdate &from) const override {
    return from.weight;
  }
};
} // namespace

const Optimizer &sg::noneOptimizer() {
  static const None optimizer;
  return optimizer;
}
