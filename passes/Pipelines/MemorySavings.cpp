//===- MemorySavings.cpp - Memory saved by checkpointing ------------------===//
//
// Input:   a model.
// Output:  bytes and modelled time of its training step with and without
//          recomputation.
// Method:  both are lowered to programs, whose plans state them.
// Cost:    two compilations without kernels.
// Fails:   where these fail.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/MemorySavings.h"
#include "reprise/IR/BlockRewrite.h"

using namespace mlir;
using namespace reprise;

StepEstimate reprise::estimateStep(rt_dialect::ProgramOp program) {
  StepEstimate estimate;
  for (auto entry : program.getBody().getOps<rt_dialect::EntryOp>()) {
    if (entry.getSymName() != "train_step")
      continue;
    estimate.fixedBytes = program.getFixedBytes();
    estimate.peakBytes = entry.getPeakBytes();
    uint64_t picoseconds = 0;
    for (auto step : entry.getBody().getOps<rt_dialect::StepOpInterface>())
      picoseconds += step.getStepInfo().getPicoseconds();
    estimate.milliseconds = double(picoseconds) * 1e-9;
  }
  return estimate;
}

double MemorySavings::savedShare() const {
  return without.peakBytes ? double(savedBytes()) / double(without.peakBytes)
                           : 0;
}

double MemorySavings::addedTime() const {
  return without.milliseconds > 0 ? with.milliseconds / without.milliseconds - 1
                                  : 0;
}

static FailureOr<StepEstimate> estimateModel(mlir::ModuleOp model,
                                             const CompileOptions &options) {
  OwningOpRef<mlir::ModuleOp> module = model.clone();
  if (failed(lowerModel(*module, options, CompileLevel::Program)))
    return failure();
  return estimateStep(*module->getOps<rt_dialect::ProgramOp>().begin());
}

FailureOr<MemorySavings>
reprise::estimateMemorySavings(mlir::ModuleOp model,
                               const CompileOptions &options) {
  CompileOptions with = options;
  with.training = true;
  with.evaluation = false;
  CompileOptions without = with;
  without.checkpointing = {};
  without.budget.reset();
  without.keep.clear();
  without.recompute.clear();
  OwningOpRef<mlir::ModuleOp> plain = model.clone();
  sg::eraseMarks(*plain);
  FailureOr<StepEstimate> base = estimateModel(*plain, without);
  FailureOr<StepEstimate> other =
      succeeded(base) ? estimateModel(model, with) : FailureOr<StepEstimate>();
  if (failed(other))
    return failure();
  return MemorySavings{*base, *other};
}
