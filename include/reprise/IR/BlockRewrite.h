//===- BlockRewrite.h - Operands and results of blocks ----------*- C++ -*-===//
//
// sg.module is isolated from above, so that a value crosses its border only as
// an operand or a result. These functions add such crossings and remove unused
// ones. They replace the module op (its results get new types): hold on to its
// body's Block, which stays, and not to the op or its results.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_BLOCKREWRITE_H
#define REPRISE_IR_BLOCKREWRITE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// The module whose body is `block`; asserts that there is one.
SgModuleOp moduleOf(mlir::Block *block);

/// A result of the module around `value`'s block that carries `value`; adds a
/// residual result if there is none.
mlir::OpResult exposeResult(mlir::Value value);

/// Returns each of `values` of module body `block` that is not yet a result, as
/// residuals.
void exposeResults(mlir::Block *block, mlir::ValueRange values);

/// `value`, defined in a block nested in `level`, as a value of `level`.
mlir::Value exposeAt(mlir::Value value, mlir::Block *level);

/// The argument of module body `block` that carries `outer`; adds an input if
/// there is none.
mlir::BlockArgument exposeInput(mlir::Block *block, mlir::Value outer);

/// Inlines a module in its place. Its ops keep its path, unless they have one
/// of their own.
void inlineModule(SgModuleOp module);

/// Removes dead pure ops, unused residual results (every unused result of
/// mirrors and clones) and unused inputs, from outside in, until none is left.
void pruneModules(mlir::func::FuncOp function);

/// A value may have several names: inside a block its inputs are the block's
/// arguments, and outside its outputs are the block's results. Returns the op's
/// result or the function's argument that all these names refer to, as if there
/// were no blocks.
mlir::Value definitionOf(mlir::Value value);

/// The same, through marks: a mark is another name of its tensor.
mlir::Value unmarkedDefinitionOf(mlir::Value value);

/// Removes the marks on tensors, sg.keep and sg.recompute.
void eraseMarks(mlir::Operation *root);

/// The same, and sets an attribute (SgDialect::kKeepAttr) on each op that
/// computes a tensor marked by sg.keep; for a view, on the op that computes the
/// viewed tensor.
void settleMarks(mlir::Operation *root);

/// Returns true if a value costs nothing to recompute: a variable's snapshot or
/// a constant.
bool isFree(mlir::Value value);

/// Returns true if a value is one of an op's statistics, which have a few
/// values per channel, or is marked to be kept, directly or through blocks'
/// results.
bool isStatistics(mlir::Value value);

} // namespace reprise::sg

#endif // REPRISE_IR_BLOCKREWRITE_H
