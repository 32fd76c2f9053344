//===- Checkpoint.h - Annotated checkpointing -------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_CHECKPOINT_H
#define REPRISE_PASSES_CHECKPOINT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "reprise/IR/Sg.h"

namespace reprise {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "reprise/Passes/CheckpointPasses.h.inc"

} // namespace reprise

#endif // REPRISE_PASSES_CHECKPOINT_H
