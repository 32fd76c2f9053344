//===- Registration.cpp - What every MLIR tool of Reprise knows -----------===//

#include "Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "reprise/IR/Remat.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Memory.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Passes/Train.h"
#include "reprise/Target/Target.h"

void reprise::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<sg::SgDialect, rt_dialect::RtDialect, remat::RematDialect,
                  mlir::func::FuncDialect>();
  remat::registerUpstreamModels(registry);
}

void reprise::registerPasses() {
  registerAllTargets();
  registerTrainPasses();
  registerCheckpointPasses();
  registerFusePasses();
  registerMemoryPasses();
  registerRematPasses();
  registerPipelines();
}
