//===- Marks.h - Tensors marked sg.recompute --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_MARKS_H
#define REPRISE_PASSES_CHECKPOINT_MARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Fails with an error at a mark on a value that no op of the model computes,
/// or that sg.keep marks as well. Changes no IR.
mlir::LogicalResult checkMarks(mlir::func::FuncOp function);

/// Removes the marks within checkpointed blocks, which are recomputed as a
/// whole.
void dropMarksInSegments(mlir::func::FuncOp function);

} // namespace reprise::sg

#endif // REPRISE_PASSES_CHECKPOINT_MARKS_H
