//===- FlattenOrigins.h - Origins of a flat function's ops ------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_FLATTENORIGINS_H
#define REPRISE_PASSES_TRAIN_FLATTENORIGINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace reprise::sg {

/// Sets the missing origins of ops that must have one, from the structure
/// around them and their path. Ops in kernels have their kernel's origin.
void markOrigins(mlir::func::FuncOp function);

/// Returns true if every op that needs an origin has one, as after sg-flatten.
/// A step whose loss is a parameter has no such op.
bool saysOrigins(mlir::func::FuncOp function);

} // namespace reprise::sg

#endif // REPRISE_PASSES_TRAIN_FLATTENORIGINS_H
