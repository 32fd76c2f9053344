//===- OwnStreams.h - Random streams of micro-batches -----------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_OWNSTREAMS_H
#define REPRISE_PASSES_TRAIN_OWNSTREAMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Returns the stream of micro-batch `k`. It depends only on the stream and the
/// number, so that a model's other draws, used or not, do not matter.
int64_t ownStream(int64_t stream, uint64_t k);

/// Checks that the draws of `count` micro-batches are from different streams.
mlir::LogicalResult checkOwnStreams(mlir::func::FuncOp function,
                                    unsigned count);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_OWNSTREAMS_H
