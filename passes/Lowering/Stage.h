//===- Stage.h - Runs of passes on a module ---------------------*- C++ -*-===//
#ifndef REPRISE_PASSES_STAGE_H
#define REPRISE_PASSES_STAGE_H

#include "KernelFormation.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Memory.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Passes/Train.h"

namespace reprise {

/// Runs passes on a module and verifies levels of its functions.
class Stage {
public:
  Stage(mlir::ModuleOp module, const CompileOptions &options)
      : module(module), manager(module.getContext()) {
    if (options.configure)
      options.configure(manager);
  }

  Stage &add(std::unique_ptr<mlir::Pass> pass) {
    manager.addPass(std::move(pass));
    return *this;
  }
  Stage &addToFunctions(std::unique_ptr<mlir::Pass> pass) {
    manager.addNestedPass<mlir::func::FuncOp>(std::move(pass));
    return *this;
  }
  Stage &verify(llvm::StringRef level) {
    addLevelVerifiers(manager, level);
    return *this;
  }
  Stage &formKernels(const CompileOptions &options,
                     const KernelChoice &choice = {}) {
    addKernelFormation(manager,
                       {options.keep, options.target, !options.amp.empty(),
                        options.fuse, choice.mostReads, choice.addGradients});
    return *this;
  }
  Stage &chooseAttention(const CompileOptions &options) {
    SgChooseAttentionOptions choose;
    choose.target = options.target;
    choose.form = options.attention;
    choose.gflops = options.roofline.gflops;
    choose.gbytesPerSecond = options.roofline.gigabytesPerSecond;
    choose.narrowGflops = options.roofline.narrowGflops;
    choose.narrow = !options.amp.empty();
    return addToFunctions(createSgChooseAttention(choose));
  }
  /// Runs in f32: halves in bf16 would be rounded before they are added.
  Stage &halveHidden(const CompileOptions &options) {
    if (!options.amp.empty())
      return *this;
    SgHalveHiddenOptions halve;
    halve.target = options.target;
    halve.leastBytes = options.halvedBytes;
    return addToFunctions(createSgHalveHidden(halve));
  }
  /// Runs in f32: sums of bf16 products would be rounded before they are
  /// subtracted.
  Stage &spareNormOperands(const CompileOptions &options) {
    if (!options.amp.empty())
      return *this;
    SgSpareNormOperandsOptions spare;
    spare.target = options.target;
    spare.leastBytes = options.sparedBytes;
    return addToFunctions(createSgSpareNormOperands(spare));
  }
  /// Converts to mixed precision if requested.
  Stage &autocast(const CompileOptions &options) {
    if (options.amp.empty())
      return *this;
    SgAutocastOptions autocast;
    autocast.type = options.amp;
    return addToFunctions(createSgAutocast(autocast));
  }
  /// Replaces the model's loss by the training loss, if they differ.
  Stage &changeLoss(const LossSettings &loss) {
    if (!loss.changes())
      return *this;
    SgChangeLossOptions change;
    change.labelSmoothing = loss.labelSmoothing;
    change.classWeights.assign(loss.classWeights.begin(),
                               loss.classWeights.end());
    change.mixup = loss.mixup != 0;
    if (loss.ignoreIndex)
      change.ignoreIndex = *loss.ignoreIndex;
    return addToFunctions(createSgChangeLoss(change));
  }
  Stage &boundIndices() { return addToFunctions(createSgBoundIndices()); }
  mlir::LogicalResult run() { return manager.run(module); }

private:
  mlir::ModuleOp module;
  mlir::PassManager manager;
};

} // namespace reprise

#endif // REPRISE_PASSES_STAGE_H
