//===- FlattenOrigins.h - Origins of a flat function's ops ------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_FLATTENORIGINS_H
#define REPRISE_PASSES_TRAIN_FLATTENORIGINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Gives every op that must have one and has none its origin, of what the
/// structure around it and its path say. Ops in kernels have their kernel's.
void markOrigins(mlir::func::FuncOp function);

/// Whether an op of the function says where it comes from: it was flattened.
bool saysOrigins(mlir::func::FuncOp function);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_FLATTENORIGINS_H
