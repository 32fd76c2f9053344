//===- FlattenOrigins.h - Origins of a flat function's ops ------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_FLATTENORIGINS_H
#define REPRISE_PASSES_TRAIN_FLATTENORIGINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Gives every op that must have one and has none its origin, of what the
/// structure around it and its path say. Ops in kernels have their kernel's.
void markOrigins(mlir::func::FuncOp function);

/// Whether every op of the function that has an origin says it, as after
/// sg-flatten. A step whose loss is a parameter has no such op.
bool saysOrigins(mlir::func::FuncOp function);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_FLATTENORIGINS_H
