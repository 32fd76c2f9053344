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

/// Whether results stay in double precision or are rounded, op by op, to the
/// element type that a kernel would store them in. Constants are what their
/// attribute says in both.
enum class Precision { Double, Stored };

/// What `sg.batch_norm`, which a model has not specialized yet, means.
enum class Mode { Training, Inference };

/// The values of variables, by name.
using VariableStore = std::map<std::string, Tensor>;

struct EvaluationOptions {
  Precision precision = Precision::Double;
  Mode mode = Mode::Training;
  /// Told every op's results, after rounding; may be empty.
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> observe;
};

/// What an op's model sees of the evaluation that runs it.
class Frame {
public:
  virtual ~Frame() = default;

  /// `value` as a result of this element type holds it, for formulas that
  /// round in between.
  virtual double stored(mlir::Type element, double value) const = 0;

  virtual Mode getMode() const = 0;

  /// Runs a block with these arguments; `results` are its terminator's
  /// operands. The block may use values of enclosing blocks.
  virtual llvm::LogicalResult run(mlir::Block &block,
                                  llvm::ArrayRef<Tensor> arguments,
                                  llvm::MutableArrayRef<Tensor> results) = 0;

  /// The value a variable had when the evaluation began; null, with a
  /// diagnostic at `op`, when there is none of the type.
  virtual const Tensor *read(mlir::Operation *op, llvm::StringRef variable,
                             mlir::Type type) = 0;

  /// Sets a variable when the evaluation ends; a second time is an error.
  virtual llvm::LogicalResult
  write(mlir::Operation *op, llvm::StringRef variable, const Tensor &value) = 0;
};

/// Runs a function on `arguments`. Reads see `variables` as they are at the
/// call, writes reach them when it succeeds; on failure they are unchanged.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
         VariableStore &variables, const EvaluationOptions &options = {});

/// What a variable begins with where its declaration alone says it; fails with
/// a diagnostic on random numbers.
llvm::FailureOr<Tensor> initialValue(sg::VariableOp variable);

/// Attaches the reference models to the ops of sg when that dialect is loaded.
void registerReferenceModels(mlir::DialectRegistry &registry);

} // namespace reprise::reference

#include "reprise/Reference/ReferenceInterface.h.inc"

#endif // REPRISE_REFERENCE_EVALUATOR_H
