//===- Evaluator.h - The value of a function of sg --------------*- C++ -*-===//
//
// The oracle of the tests: evaluates functions of sg, at the levels model,
// train and remat and after kernels are formed, op by op with the models that
// `registerReferenceModels` attaches.
//
//   mlir::DialectRegistry registry;
//   registry.insert<reprise::sg::SgDialect, mlir::func::FuncDialect>();
//   reprise::reference::registerReferenceModels(registry);
//   ...
//   VariableStore variables = ...;            // a value for each sg.variable
//   auto results = evaluate(function, arguments, variables);
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REFERENCE_EVALUATOR_H
#define REPRISE_REFERENCE_EVALUATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"
#include "reprise/IR/Sg.h"
#include "reprise/Reference/Tensor.h"
#include <functional>
#include <map>
#include <string>

namespace reprise::reference {

/// Double keeps results in double precision; Stored rounds them, op by op, to
/// the element type that a kernel would store them in. Constants have the
/// values of their attributes in both.
enum class Precision { Double, Stored };

/// The meaning of `sg.batch_norm` in a model that is not specialized yet.
enum class Mode { Training, Inference };

/// The values of variables, by name.
using VariableStore = std::map<std::string, Tensor>;

struct EvaluationOptions {
  Precision precision = Precision::Double;
  Mode mode = Mode::Training;
  /// Called with every op's results, after rounding; may be empty.
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> observe;
};

/// The interface between an op's model and the evaluation that runs it.
class Frame {
public:
  virtual ~Frame() = default;

  /// `value` rounded to this element type, for formulas with intermediate
  /// rounding.
  virtual double stored(mlir::Type element, double value) const = 0;

  virtual Mode getMode() const = 0;

  /// Runs a block with these arguments; `results` are its terminator's
  /// operands. The block may use values of enclosing blocks.
  virtual llvm::LogicalResult run(mlir::Block &block,
                                  llvm::ArrayRef<Tensor> arguments,
                                  llvm::MutableArrayRef<Tensor> results) = 0;

  /// The value a variable had when the evaluation began; null, with a
  /// diagnostic at `op`, if none of that type exists.
  virtual const Tensor *read(mlir::Operation *op, llvm::StringRef variable,
                             mlir::Type type) = 0;

  /// Sets a variable when the evaluation ends; setting it twice is an error.
  virtual llvm::LogicalResult
  write(mlir::Operation *op, llvm::StringRef variable, const Tensor &value) = 0;
};

/// Runs a function on `arguments`. Reads see `variables` as they are at the
/// call, writes take effect when it succeeds; on failure they are unchanged.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
         VariableStore &variables, const EvaluationOptions &options = {});

/// The initial value of a variable if its declaration alone determines it;
/// fails with a diagnostic on random numbers.
llvm::FailureOr<Tensor> initialValue(sg::VariableOp variable);

/// Attaches the reference models to the ops of sg when that dialect is loaded.
void registerReferenceModels(mlir::DialectRegistry &registry);

} // namespace reprise::reference

#include "reprise/Reference/ReferenceInterface.h.inc"

#endif // REPRISE_REFERENCE_EVALUATOR_H
