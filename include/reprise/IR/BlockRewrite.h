//===- BlockRewrite.h - Changing the seams of blocks ------------*- C++ -*-===//
//
// sg.module is isolated from above, so that a value crosses its border only as
// an operand or a result. These functions open such crossings and close those
// that nobody uses. They replace the module op (its results get new types):
// hold on to its body's Block, which stays, and not to the op or its results.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_BLOCKREWRITE_H
#define REPRISE_IR_BLOCKREWRITE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Sg.h"

namespace reprise::sg {

/// The module whose body `block` is; asserts that it is one.
BlockOp moduleOf(mlir::Block *block);

/// A result of the module around `value`'s block that carries `value`; adds a
/// residual result when there is none.
mlir::OpResult exposeResult(mlir::Value value);

/// Hands out each of `values` of module body `block` that is no result yet, as
/// residuals.
void exposeResults(mlir::Block *block, mlir::ValueRange values);

/// `value`, defined somewhere within blocks nested in `level`, as a value of
/// `level`.
mlir::Value exposeAt(mlir::Value value, mlir::Block *level);

/// The argument of module body `block` that carries `outer`; adds an input
/// when there is none.
mlir::BlockArgument exposeInput(mlir::Block *block, mlir::Value outer);

/// Inlines a module at its place. Its ops keep its path, unless they have one
/// of their own.
void inlineModule(BlockOp module);

/// Removes dead pure ops, unused residual results (every unused result of
/// mirrors and clones) and unused inputs, from outside in, until none is left.
void pruneModules(mlir::func::FuncOp function);

/// A value may have several names: a block calls what it takes by its
/// arguments, and what it hands out by its results. This is the op's result or
/// the function's argument that they all mean, as if there were no blocks.
mlir::Value definitionOf(mlir::Value value);

/// The same, past marks: a mark is another name of its tensor.
mlir::Value unmarkedDefinitionOf(mlir::Value value);

/// Takes the marks on tensors away, sg.keep and sg.recompute.
void eraseMarks(mlir::Operation *root);

/// The same, and says by an attribute of its own (SgDialect::kKeepAttr) that an
/// op makes a tensor which sg.keep marked; of views what is viewed makes it.
void settleMarks(mlir::Operation *root);

/// Whether a value costs nothing to have again: a variable's snapshot or a
/// constant.
bool isFree(mlir::Value value);

/// Whether a value is one of an op's statistics, some values a channel, or
/// marked to be kept, handed out by blocks or not.
bool isStatistics(mlir::Value value);

} // namespace reprise::sg

#endif // REPRISE_IR_BLOCKREWRITE_H
