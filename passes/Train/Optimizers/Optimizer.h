//===- Optimizer.h - The interface of an optimizer --------------*- C++ -*-===//
//
// An optimizer defines its variables and a parameter's next value given its
// gradient. ApplyOptimizer.cpp declares, reads and writes the variables and
// parameters of all optimizers.
//
// A new one is a file in this folder with a function that returns its only
// object, and a line of reprise/Optimizers.def.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_OPTIMIZERS_OPTIMIZER_H
#define REPRISE_PASSES_TRAIN_OPTIMIZERS_OPTIMIZER_H

#include "reprise/IR/Sg.h"
#include "reprise/Passes/Optimizers.h"

namespace reprise::sg {

/// A variable of an optimizer, of role optimizer_state.
struct OptimizerVariable {
  /// The part NAME of PARAMETER.NAME for a variable of each parameter; the
  /// whole name of a shared one.
  std::string name;
  std::string purpose; // for a message: "momentum"
  InitKind init = InitKind::Zeros;
  /// The element type of a shared variable, a scalar. A variable of each
  /// parameter has the parameter's type.
  mlir::Type element = {};
};

/// Groups of parameters by their weight decay; the numbers are indices of
/// shared values.
enum class DecayGroup : unsigned {
  Weight,   // of a layer: rank 2 and more
  NormBias, // scale or offset of a normalization, bias: rank 0 and 1
  None,     // the user excluded it; nothing is shared for it
};

/// Declares the weight decay of all parameters, or of those of rank 2 and more.
constexpr Hyperparameter weightDecay(double value) {
  return {"weight-decay", value, 0, 1};
}
/// Recipes of transformers and convolutional networks set this to 0.
inline constexpr Hyperparameter kNormBiasWeightDecay = {
    "norm-bias-weight-decay",
    0,
    0,
    1,
    Hyperparameter::Kind::Exception,
    "Weight decay of the parameters of rank 0 and 1, which are scales and "
    "offsets of normalizations and biases",
    "weight-decay"};

/// The inputs of one parameter's update.
struct ParameterUpdate {
  mlir::Value weight, gradient; // of the parameter's type
  mlir::Value rate;             // f32 scalar
  llvm::ArrayRef<mlir::Value> shared;
};

/// The values and actions available to an update, at one place in the function.
class UpdateBuilder {
public:
  UpdateBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::RankedTensorType type, const HyperparameterValues &values,
                const mlir::SymbolTable &symbols, std::string prefix,
                bool decays = true, bool isRepeated = false)
      : builder(builder), loc(loc), type(type), values(values),
        symbols(symbols), prefix(std::move(prefix)), decays(decays),
        isRepeated(isRepeated) {}

  double get(llvm::StringRef hyperparameter) const;
  /// Returns true if a switch is on, or an optional hyperparameter is set.
  bool has(llvm::StringRef hyperparameter) const;

  /// Returns the groups that decay: the second only if it has its own decay.
  llvm::ArrayRef<DecayGroup> decayGroups() const;
  /// Returns the group of the updated parameter.
  DecayGroup decayGroup() const;
  double weightDecay(DecayGroup group) const;
  /// Returns the gradient plus that of the penalty weight-decay / 2 * w^2.
  mlir::Value addDecay(const ParameterUpdate &from);

  /// Returns the value of the optimizer's variable at the beginning of the
  /// step.
  mlir::Value read(llvm::StringRef name);
  /// Sets its value at the end of the step.
  void write(llvm::StringRef name, mlir::Value value);

  /// Returns a constant of the type of the updated tensor.
  mlir::Value splat(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value sqrt(mlir::Value a);
  /// Returns a scalar in the element type `element`.
  mlir::Value cast(mlir::Value scalar, mlir::Type element);
  /// Returns a tensor of the updated parameter's type with the scalar as every
  /// element.
  mlir::Value spread(mlir::Value scalar);

private:
  mlir::FlatSymbolRefAttr symbolOf(llvm::StringRef name) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
  const HyperparameterValues &values;
  const mlir::SymbolTable &symbols;
  std::string prefix; // of the names of variables
  bool decays;        // the updated parameter, by weight decay
  bool isRepeated;    // the writes were emitted before
};

class Optimizer {
public:
  virtual ~Optimizer() = default;
  virtual OptimizerInfo info() const = 0;

  /// Returns true if parameters change at all.
  virtual bool updates() const { return true; }

  /// Returns the error in complete values that are each within their range;
  /// empty if there is none.
  virtual std::string check(const HyperparameterValues &) const { return ""; }

  /// Returns the variables of each parameter, and the shared ones.
  virtual std::vector<OptimizerVariable>
  variables(const HyperparameterValues &) const {
    return {};
  }
  virtual std::vector<OptimizerVariable>
  sharedVariables(mlir::MLIRContext *) const {
    return {};
  }

  /// Returns scalars that the updates of all parameters with the learning rate
  /// `rate` use, in f64 like everything that its builder emits.
  virtual llvm::SmallVector<mlir::Value> share(UpdateBuilder &,
                                               mlir::Value rate) const {
    return {};
  }

  /// Returns the parameter's next value; writes the optimizer's variables.
  virtual mlir::Value update(UpdateBuilder &builder,
                             const ParameterUpdate &from) const = 0;
};

const Optimizer &optimizerOf(OptimizerKind kind);

#define OPTIMIZER(KIND, NAME) const Optimizer &NAME##Optimizer();
#include "reprise/Optimizers.def"
#undef OPTIMIZER

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_OPTIMIZERS_OPTIMIZER_H
