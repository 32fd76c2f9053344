//===- Optimizer.h - What an optimizer is -----------------------*- C++ -*-===//
//
// An optimizer says which variables it keeps and how a parameter's next value
// follows from its gradient. Declaring the variables, reading and writing them
// and the parameters is done for all alike (ApplyOptimizer.cpp).
//
// A new one is a file beside this header with a function that returns its only
// object, and a line of Optimizers.def.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_TRAIN_OPTIMIZERS_OPTIMIZER_H
#define REPRISE_PASSES_TRAIN_OPTIMIZERS_OPTIMIZER_H

#include "reprise/IR/Sg.h"
#include "reprise/Passes/Optimizers.h"

namespace reprise::sg {

/// A variable of an optimizer, of role optimizer_state.
struct OptimizerVariable {
  /// Of one for each parameter: PARAMETER.NAME; of a shared one: all of it.
  std::string name;
  std::string purpose; // for a message: "momentum"
  InitKind init = InitKind::Zeros;
  /// Of a shared one, a scalar: its element type. One for each parameter has
  /// the parameter's type.
  mlir::Type element = {};
};

/// Parameters by their weight decay, the numbers being places of what is
/// shared.
enum class DecayGroup : unsigned {
  Weight,   // of a layer: rank 2 and more
  NormBias, // scale or offset of a normalization, bias: rank 0 and 1
  None,     // asked not to decay; nothing is shared for it
};

/// The weight decay of all parameters, or of those of rank 2 and more.
constexpr Hyperparameter weightDecay(double value) {
  return {"weight-decay", value, 0, 1};
}
/// What recipes of transformers and convolutional networks set to 0.
inline constexpr Hyperparameter kNormBiasWeightDecay = {
    "norm-bias-weight-decay",
    0,
    0,
    1,
    Hyperparameter::Kind::Exception,
    "Weight decay of the parameters of rank 0 and 1, which are scales and "
    "offsets of normalizations and biases",
    "weight-decay"};

/// What the update of one parameter starts from.
struct ParameterUpdate {
  mlir::Value weight, gradient; // of the parameter's type
  mlir::Value rate;             // f32 scalar
  llvm::ArrayRef<mlir::Value> shared;
};

/// What an update may ask for and do, at one place of the function.
class UpdateBuilder {
public:
  UpdateBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::RankedTensorType type, const HyperparameterValues &values,
                const mlir::SymbolTable &symbols, std::string prefix,
                bool decays = true)
      : builder(builder), loc(loc), type(type), values(values),
        symbols(symbols), prefix(std::move(prefix)), decays(decays) {}

  double get(llvm::StringRef hyperparameter) const;
  /// Whether a switch is on, or an exception is one.
  bool has(llvm::StringRef hyperparameter) const;

  /// The groups that decay: the second only where it is an exception.
  llvm::ArrayRef<DecayGroup> decayGroups() const;
  /// That of what is updated.
  DecayGroup decayGroup() const;
  double weightDecay(DecayGroup group) const;
  /// The gradient with that of the penalty weight-decay / 2 * w^2.
  mlir::Value addDecay(const ParameterUpdate &from);

  /// The value of the optimizer's variable when the step began.
  mlir::Value read(llvm::StringRef name);
  /// What it will be when the step ends.
  void write(llvm::StringRef name, mlir::Value value);

  /// Of the type of what is updated.
  mlir::Value splat(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value sqrt(mlir::Value a);
  /// A scalar in the element type `element`.
  mlir::Value cast(mlir::Value scalar, mlir::Type element);
  /// A scalar as the tensor of equal elements that is updated.
  mlir::Value spread(mlir::Value scalar);

private:
  mlir::FlatSymbolRefAttr symbolOf(llvm::StringRef name) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;
  const HyperparameterValues &values;
  const mlir::SymbolTable &symbols;
  std::string prefix; // of the names of variables
  bool decays;        // what is updated, by weight decay
};

class Optimizer {
public:
  virtual ~Optimizer() = default;
  virtual OptimizerInfo info() const = 0;

  /// Whether parameters change at all.
  virtual bool updates() const { return true; }

  /// What is wrong with complete values of which each is within its range;
  /// empty when nothing is.
  virtual std::string check(const HyperparameterValues &) const { return ""; }

  /// The variables for each parameter, and those of which there is one.
  virtual std::vector<OptimizerVariable>
  variables(const HyperparameterValues &) const {
    return {};
  }
  virtual std::vector<OptimizerVariable>
  sharedVariables(mlir::MLIRContext *) const {
    return {};
  }

  /// Scalars that all parameters' updates take, made once, f64 as everything
  /// that its builder makes.
  virtual llvm::SmallVector<mlir::Value> share(UpdateBuilder &,
                                               mlir::Value rate) const {
    return {};
  }

  /// The parameter's next value; writes the optimizer's variables.
  virtual mlir::Value update(UpdateBuilder &builder,
                             const ParameterUpdate &from) const = 0;
};

/// By name; null when there is none.
const Optimizer *findOptimizer(llvm::StringRef name);

#define OPTIMIZER(NAME) const Optimizer &NAME##Optimizer();
#include "Optimizers.def"
#undef OPTIMIZER

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_OPTIMIZERS_OPTIMIZER_H
