//===- Trace.h - Emitting a network as sg ops -------------------*- C++ -*-===//
//
// The state of one emission. A module that defines an op of its own emits it
// through `create`, which infers and checks the result type and reports a
// mismatch as an error at the module instead of aborting.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_TRACE_H
#define REPRISE_NN_TRACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "reprise/NN/Module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace reprise::nn {

class Trace {
public:
  /// Declares the variables of `root` and of all modules below it in `module`.
  /// `builder` is where the first op is inserted.
  Trace(mlir::OpBuilder &builder, mlir::ModuleOp module, const Module &root);

  mlir::OpBuilder &getBuilder() { return builder; }
  /// The name of the module that is running, as "layer1.0.conv1".
  mlir::Location getLocation() const;
  bool hasFailed() const { return failedFlag; }

  /// Reports a mistake in the model, at the module that is running. Returns a
  /// missing tensor.
  Tensor fail(const llvm::Twine &message);

  /// Emits an op that infers its results. It is skipped if an operand is
  /// missing.
  template <typename OpTy>
  Tensors create(llvm::ArrayRef<Tensor> operands,
                 typename OpTy::Properties properties = {});
  /// Emits an op of one result, of type `type`.
  template <typename OpTy>
  Tensor createAs(mlir::RankedTensorType type, llvm::ArrayRef<Tensor> operands,
                  typename OpTy::Properties properties = {});
  /// Emits a constant, each of whose elements is `value`.
  Tensor splat(mlir::RankedTensorType type, double value);

  /// Runs `module`, as a block if it is configured as one.
  Tensors call(Module &module, llvm::ArrayRef<Tensor> inputs);
  /// The same for a chain that is split; see checkpointSequential.
  Tensor callInSegments(Module &module, int64_t segments, const Tensor &input);
  /// Emits the results of `body` on `inputs` as an `sg.module`.
  Tensors block(llvm::StringRef path, bool checkpointed,
                llvm::ArrayRef<Tensor> inputs,
                llvm::function_ref<Tensors(llvm::ArrayRef<Tensor>)> body);

  /// Declares a variable by its full name while ops are emitted, for front ends
  /// that learn of variables from a file.
  void declare(const VariableSpec &variable) {
    declare(variable, variable.name);
  }
  /// The value of a variable by its full name at the beginning of the step.
  Tensor read(llvm::StringRef variable) { return readSymbol(variable); }
  /// The value of a module's variable at the beginning of the step.
  Tensor read(const Module &module, llvm::StringRef name);
  /// The full name of a module's variable, if the module is in the graph.
  std::optional<std::string> nameOf(const Module &module,
                                    llvm::StringRef variable) const;
  /// Claims the only write of a variable in a step; false if it is already
  /// claimed.
  bool claimWrite(llvm::StringRef variable);

  /// The generator's seed and step, declared on first use.
  Tensor readSeed();
  Tensor readStep();
  /// A number for an op that draws: each has its own stream.
  int64_t nextStream() { return streams++; }
  /// Advances the generator's step, if any op drew.
  void finish();

private:
  using Body = llvm::function_ref<Tensors(llvm::ArrayRef<Tensor>)>;

  Tensors run(Module &module, llvm::ArrayRef<Tensor> inputs, Body body);
  Tensor runInSegments(Module &module, int64_t segments, Tensor x);
  void declare(const Module &module, const std::string &path);
  void declare(const VariableSpec &variable, llvm::StringRef name);
  void declareGenerator();
  Tensor readSymbol(llvm::StringRef name);
  llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<Tensor> tensors);

  mlir::OpBuilder &builder;
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  mlir::Operation *lastVariable = nullptr;
  llvm::DenseMap<const Module *, std::string> paths;
  llvm::DenseSet<mlir::StringAttr> written;
  llvm::SmallVector<std::string> running;
  int64_t streams = 0;
  bool failedFlag = false;
};

template <typename OpTy>
Tensors Trace::create(llvm::ArrayRef<Tensor> operands,
                      typename OpTy::Properties properties) {
  Tensors missing(1, Tensor(*this, nullptr));
  for (const Tensor &operand : operands)
    if (!operand)
      return missing;
  llvm::SmallVector<mlir::Value> values = valuesOf(operands);
  llvm::SmallVector<mlir::Type> types;
  if (failed(OpTy::inferReturnTypes(
          builder.getContext(), getLocation(), values, mlir::DictionaryAttr(),
          mlir::OpaqueProperties(&properties), {}, types))) {
    failedFlag = true;
    return missing;
  }
  auto op = OpTy::create(builder, getLocation(), mlir::TypeRange(types),
                         mlir::ValueRange(values), properties);
  Tensors results;
  for (mlir::Value result : op->getResults())
    results.push_back(Tensor(*this, result));
  return results;
}

template <typename OpTy>
Tensor Trace::createAs(mlir::RankedTensorType type,
                       llvm::ArrayRef<Tensor> operands,
                       typename OpTy::Properties properties) {
  for (const Tensor &operand : operands)
    if (!operand)
      return operand;
  auto op = OpTy::create(builder, getLocation(), mlir::TypeRange(type),
                         mlir::ValueRange(valuesOf(operands)), properties);
  return Tensor(*this, op->getResult(0));
}

} // namespace reprise::nn

#endif // REPRISE_NN_TRACE_H
