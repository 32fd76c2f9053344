//===- Optimizer.h - The optimizer's writes ---------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_OPTIMIZER_H
#define REPRISE_PASSES_TRAIN_OPTIMIZER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"

namespace reprise::sg {

struct SgdOptions {
  double momentum;
  double weightDecay;
};

/// Name of the variable with the momentum of `parameter`.
std::string velocityName(VariableOp parameter);

/// Adds the argument `learning_rate` and, for each parameter of `backward`,
/// the writes of stochastic gradient descent:
///   g = gradient + weightDecay * w;  v = momentum * v + g;  w -= rate * v
/// (Sutskever et al. 2013, in the form of PyTorch's SGD: the rate multiplies
/// the whole velocity). v is a new variable PARAMETER.momentum_buffer, absent
/// when momentum is 0.
void emitSgd(mlir::func::FuncOp function, BackwardOp backward,
             mlir::SymbolTable &symbols, SgdOptions options);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_OPTIMIZER_H
