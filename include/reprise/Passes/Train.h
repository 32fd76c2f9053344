//===- Train.h - From a model to a training step ----------------*- C++ -*-===//
#ifndef REPRISE_PASSES_TRAIN_H
#define REPRISE_PASSES_TRAIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "reprise/IR/Sg.h"

namespace reprise {

/// The result by which a step says that its variables keep their values; see
/// sg-average-variables.
enum class KeepsBy { None, Skipped, NonFinite };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/TrainPasses.h.inc"

} // namespace reprise

#endif // REPRISE_PASSES_TRAIN_H
