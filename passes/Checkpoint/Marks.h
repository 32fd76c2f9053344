//===- Marks.h - Tensors marked sg.recompute --------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_MARKS_H
#define REPRISE_PASSES_CHECKPOINT_MARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Looks only. Fails with an error at a mark on what no op of the model
/// computes, or on what sg.keep marks as well.
mlir::LogicalResult checkMarks(mlir::func::FuncOp function);

/// Takes away the marks on what stands in a checkpointed block, which runs
/// again as a whole.
void dropMarksInSegments(mlir::func::FuncOp function);

} // namespace reprise::sg

#endif // REPRISE_PASSES_CHECKPOINT_MARKS_H
