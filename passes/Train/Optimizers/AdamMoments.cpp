//===- AdamMoments.cpp - The common part of Adam and AdamW ----------------===//
//
// See AdamMoments.h for the formulas.
//
//===----------------------------------------------------------------------===//

#include "AdamMoments.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::sg;

static constexpr llvm::StringLiteral kMean = "exp_avg";
static constexpr llvm::StringLiteral kSquare = "exp_avg_sq";

/// Values that the updates share, in the order of `share`.
enum Shared { kStepSize, kRoot };

/// Returns the name of the variable with a power of `beta`.
static std::string powerOf(const Optimizer &optimizer, llvm::StringRef beta) {
  return (optimizer.info().name() + "." + beta + "_power").str();
}

std::vector<OptimizerVariable>
AdamMoments::variables(const HyperparameterValues &) const {
  return {{kMean.str(), "mean of gradients"},
          {kSquare.str(), "mean of squared gradients"}};
}

std::vector<OptimizerVariable>
AdamMoments::sharedVariables(MLIRContext *context) const {
  Type wide = Float64Type::get(context);
  return {{powerOf(*this, "beta1"), "power of beta1", InitKind::Ones, wide},
          {powerOf(*this, "beta2"), "power of beta2", InitKind::Ones, wide}};
}

/// Returns beta^t of this step from the previous step's power.
static Value advance(UpdateBuilder &b, const Optimizer &optimizer,
                     llvm::StringRef beta) {
  std::string variable = powerOf(optimizer, beta);
  Value old = b.read(variable);
  Value power = b.mul(old, b.splat(b.get(beta)));
  b.write(variable, power);
  return power;
}

llvm::SmallVector<Value> AdamMoments::share(UpdateBuilder &b,
                                            Value rate) const {
  Value one = b.splat(1);
  Value wide = b.spread(rate);
  Value left1 = b.sub(one, advance(b, *this, "beta1"));
  Value stepSize = b.div(wide, left1);
  Value left2 = b.sub(one, advance(b, *this, "beta2"));
  llvm::SmallVector<Value> shared = {stepSize, b.sqrt(left2)};
  assert(shared.size() == kFirstDecay && "decay follows what is shared here");
  llvm::append_range(shared, shareDecay(b, wide));
  return shared;
}

/// Returns beta * old + (1 - beta) * next and writes it to the variable.
static Value average(UpdateBuilder &b, llvm::StringRef variable, double beta,
                     Value next) {
  Value old = b.read(variable);
  Value kept = b.mul(old, b.splat(beta));
  Value taken = b.mul(next, b.splat(1 - beta));
  Value sum = b.add(kept, taken);
  b.write(variable, sum);
  return sum;
}

// One statement per op: C++ does not fix the order of a call's arguments.
Value AdamMoments::update(UpdateBuilder &b, const ParameterUpdate &from) const {
  Value gradient = decayGradient(b, from);
  Value mean = average(b, kMean, b.get("beta1"), gradient);
  Value squared = b.mul(gradient, gradient);
  Value square = average(b, kSquare, b.get("beta2"), squared);
  Value root = b.sqrt(square);
  Value spread = b.div(root, b.spread(from.shared[kRoot]));
  Value divisor = b.add(spread, b.splat(b.get("epsilon")));
  Value direction = b.div(mean, divisor);
  Value step = b.mul(b.spread(from.shared[kStepSize]), direction);
  Value weight = decayWeight(b, from);
  return b.sub(weight, step);
}
