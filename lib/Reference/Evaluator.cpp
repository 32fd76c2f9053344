//===- Evaluator.cpp - The value of a function of sg ----------------------===//
//
// Every SSA value is computed once, since sg has no loops, so that one map
// holds the values of all regions. Writes wait until the function has returned.
//
//===----------------------------------------------------------------------===//

#include "reprise/Reference/Evaluator.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;

#include "reprise/Reference/ReferenceInterface.cpp.inc"

namespace {
class Evaluation final : public Frame {
public:
  Evaluation(const VariableStore &variables, const EvaluationOptions &options)
      : variables(variables), options(options) {}

  double stored(Type element, double value) const override {
    return options.precision == Precision::Stored ? roundTo(element, value)
                                                  : value;
  }
  Mode getMode() const override { return options.mode; }
  LogicalResult run(Block &block, ArrayRef<Tensor> arguments,
                    MutableArrayRef<Tensor> results) override;
  const Tensor *read(Operation *op, StringRef variable, Type type) override;
  LogicalResult write(Operation *op, StringRef variable,
                      const Tensor &value) override;

  /// The values written, by name.
  VariableStore writes;

private:
  LogicalResult runOp(Operation *op);

  const VariableStore &variables;
  const EvaluationOptions &options;
  llvm::DenseMap<Value, Tensor> values;
  std::map<std::string, Location> writtenAt;
};
} // namespace

LogicalResult Evaluation::runOp(Operation *op) {
  auto model = dyn_cast<ReferenceOpInterface>(op);
  if (!model)
    return op->emitError() << "'" << op->getName()
                           << "' has no reference model; attach one with "
                              "registerReferenceModels";
  SmallVector<Tensor> operands, results;
  for (Value operand : op->getOperands())
    operands.push_back(values.at(operand));
  for (Type type : op->getResultTypes())
    results.emplace_back(cast<RankedTensorType>(type));
  if (failed(model.evaluate(*this, operands, results)))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), results)) {
    assert(tensor.getType() == value.getType() &&
           "a model keeps the types of the results");
    if (options.precision == Precision::Stored)
      tensor.roundToStorage();
    values[value] = tensor;
  }
  if (options.observe)
    options.observe(op, results);
  return success();
}

LogicalResult Evaluation::run(Block &block, ArrayRef<Tensor> arguments,
                              MutableArrayRef<Tensor> results) {
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = tensor;
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  for (auto [result, operand] :
       llvm::zip_equal(results, block.getTerminator()->getOperands()))
    result = values.at(operand);
  return success();
}

const Tensor *Evaluation::read(Operation *op, StringRef variable, Type type) {
  auto it = variables.find(variable.str());
  if (it == variables.end()) {
    op->emitError() << "variable '" << variable << "' has no value";
    return nullptr;
  }
  if (it->second.getType() != type) {
    op->emitError() << "variable '" << variable << "' holds "
                    << it->second.getType() << ", but " << type
                    << " is expected";
    return nullptr;
  }
  return &it->second;
}

LogicalResult Evaluation::write(Operation *op, StringRef variable,
                                const Tensor &value) {
  if (!read(op, variable, value.getType()))
    return failure();
  auto [it, isFirst] = writtenAt.emplace(variable.str(), op->getLoc());
  if (!isFirst) {
    InFlightDiagnostic error = op->emitError() << "variable '" << variable
                                               << "' is written twice";
    error.attachNote(it->second) << "written here before";
    return error;
  }
  writes.emplace(variable.str(), value);
  return success();
}

FailureOr<SmallVector<Tensor>>
reference::evaluate(func::FuncOp function, ArrayRef<Tensor> arguments,
                    VariableStore &variables,
                    const EvaluationOptions &options) {
  if (function.isExternal())
    return function.emitError() << "has no body to evaluate";
  if (function.getNumArguments() != arguments.size())
    return function.emitError()
           << "takes " << function.getNumArguments() << " arguments, but "
           << arguments.size() << " are given";
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (argument.getType() != function.getArgument(i).getType())
      return function.emitError()
             << "argument " << i << " is " << function.getArgument(i).getType()
             << ", but " << argument.getType() << " is given";
  Evaluation evaluation(variables, options);
  SmallVector<Tensor> results(function.getNumResults());
  if (failed(evaluation.run(function.getBody().front(), arguments, results)))
    return failure();
  for (auto &[name, value] : evaluation.writes)
    variables[name] = value;
  return results;
}
