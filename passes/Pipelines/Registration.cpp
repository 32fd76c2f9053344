//===- Registration.cpp - Dialects and passes, all at once ----------------===//
#include "reprise/Passes/Registration.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "reprise/IR/Remat.h"
#include "reprise/IR/Rt.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Algorithms.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Passes/Program.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Passes/StableHlo.h"
#include "reprise/Passes/Train.h"
#include "reprise/Target/Target.h"

using namespace mlir;

void reprise::registerDialects(DialectRegistry &registry) {
  registry.insert<sg::SgDialect, rt_dialect::RtDialect, remat::RematDialect>();
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  tosa::TosaDialect>();
  remat::registerUpstreamModels(registry);
  stablehlo::registerDialects(registry);
}

void reprise::registerPasses() {
  registerAllTargets();
  registerTrainPasses();
  registerCheckpointPasses();
  registerFusePasses();
  registerAlgorithmsPasses();
  registerProgramPasses();
  registerRematPasses();
  registerStableHloPasses();
  registerPipelines();
}
