//===- Graph.h - A training graph -------------------------------*- C++ -*-===//
//
// The root of a tree of modules, with the inputs and outputs of a step. `emit`
// writes it as an MLIR module: an sg.variable for each variable and one
// func.func.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_NN_GRAPH_H
#define REPRISE_NN_GRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/NN/Module.h"
#include "reprise/ProgramTerms.h"

namespace reprise::nn {

class Graph : public Module {
public:
  explicit Graph(std::string name) : name(std::move(name)) {}

  /// A result with its name and role. Training needs one loss, a scalar;
  /// accuracy needs logits.
  struct Output {
    std::string name;
    Tensor tensor;
    sg::BindingRole role = sg::BindingRole::Data;
  };

  /// Returns null after an error, which the context's diagnostics report.
  /// Registers the dialects that it needs.
  mlir::OwningOpRef<mlir::ModuleOp> emit(mlir::MLIRContext &context);

protected:
  /// Declares the next input of a step.
  void input(std::string inputName, llvm::ArrayRef<int64_t> shape,
             ElementType type = ElementType::F32,
             sg::BindingRole role = sg::BindingRole::Data);

  /// Computes a step's outputs from its inputs, in the order of declaration.
  virtual std::vector<Output> build(llvm::ArrayRef<Tensor> inputs) = 0;

private:
  struct Input {
    std::string name;
    llvm::SmallVector<int64_t> shape;
    ElementType type;
    sg::BindingRole role;
  };

  std::string name;
  std::vector<Input> inputs;
};

} // namespace reprise::nn

#endif // REPRISE_NN_GRAPH_H
