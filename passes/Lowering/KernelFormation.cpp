//===- KernelFormation.cpp - From flat functions to kernels ---------------===//

#include "KernelFormation.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Memory.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Passes/Train.h"

using namespace mlir;
using namespace reprise;

void reprise::addLevelVerifiers(OpPassManager &passes, StringRef level) {
  SgVerifyLevelOptions options;
  options.level = level.str();
  passes.addNestedPass<func::FuncOp>(createSgVerifyLevel(options));
  passes.addNestedPass<func::FuncOp>(createSgVerifyEffects());
}

void reprise::addKernelFormation(OpPassManager &passes,
                                 const KernelFormation &how) {
  if (how.isMixed) {
    SgWidenCallsOptions widen;
    widen.target = how.target.str();
    passes.addNestedPass<func::FuncOp>(createSgWidenCalls(widen));
  }
  // No common-subexpression elimination: it would make the backward pass read a
  // value that the forward pass happens to compute too, and so keep it. The
  // work on images that sg-decompose shares is cheap, so sharing it remains a
  // choice.
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  SgDecomposeOptions decompose;
  decompose.fuse = how.fuse;
  decompose.target = how.target.str();
  decompose.addGradients = how.addGradients;
  passes.addNestedPass<func::FuncOp>(createSgDecompose(decompose));
  passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  if (how.fuse) {
    SgRecomputeCheapOptions cheap;
    cheap.keep.assign(how.keep.begin(), how.keep.end());
    cheap.target = how.target.str();
    cheap.mostReads = how.mostReads;
    passes.addNestedPass<func::FuncOp>(createSgRecomputeCheap(cheap));
  }
  passes.addNestedPass<func::FuncOp>(
      createSgFormKernels({how.fuse, how.target.str()}));
  addLevelVerifiers(passes, "flat");
}
