//===- RegisterPipelines.cpp - Pipelines by name --------------------------===//
//
// The stages of Pipelines.cpp for tools that know passes by name only. Each
// ends with its level's verifiers.
//
//===----------------------------------------------------------------------===//
#include "Lowering/KernelFormation.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Fuse.h"
#include "reprise/Passes/Memory.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Passes/Remat.h"
#include "reprise/Passes/Train.h"

using namespace mlir;
using namespace reprise;

namespace {

struct TrainOptions : PassPipelineOptions<TrainOptions> {
  Option<std::string> checkpointing{
      *this, "checkpointing", llvm::cl::init("annotated"),
      llvm::cl::desc("mode, as of sg-assign-checkpointing")};
  Option<std::string> optimizer{*this, "optimizer", llvm::cl::init("sgd"),
                                llvm::cl::desc("as of sg-differentiate")};
  ListOption<std::string> hyperparameters{
      *this, "hyperparameters",
      llvm::cl::desc("of the optimizer, as NAME=VALUE")};
  Option<std::string> clipMode{*this, "clip-mode",
                               llvm::cl::init("pre_defined"),
                               llvm::cl::desc("as of sg-differentiate")};
  Option<double> clipNorm{*this, "clip-norm", llvm::cl::init(0),
                          llvm::cl::desc("as of sg-differentiate")};
  Option<double> clipTolerance{*this, "clip-tolerance", llvm::cl::init(1),
                               llvm::cl::desc("as of sg-differentiate")};
  Option<double> clipMomentum{*this, "clip-momentum", llvm::cl::init(0),
                              llvm::cl::desc("as of sg-differentiate")};
  Option<std::string> clipNormType{*this, "clip-norm-type", llvm::cl::init("2"),
                                   llvm::cl::desc("as of sg-differentiate")};
  Option<std::string> target{*this, "target", llvm::cl::init("cpu:native"),
                             llvm::cl::desc("as of sg-choose-attention")};
};

struct ProgramPipelineOptions : PassPipelineOptions<ProgramPipelineOptions> {
  Option<std::string> model{*this, "model", llvm::cl::init("model"),
                            llvm::cl::desc("name of the program")};
  Option<std::string> target{*this, "target", llvm::cl::init("cpu:native"),
                             llvm::cl::desc("as of sg-lower-to-rt")};
  Option<unsigned> threads{*this, "threads", llvm::cl::init(2),
                           llvm::cl::desc("that the program runs on")};
};

} // namespace

static void buildTrain(OpPassManager &passes, const TrainOptions &options) {
  SgChooseAttentionOptions attention;
  attention.target = options.target;
  passes.addNestedPass<func::FuncOp>(createSgChooseAttention(attention));
  SgHalveHiddenOptions halve;
  halve.target = options.target;
  passes.addNestedPass<func::FuncOp>(createSgHalveHidden(halve));
  SgSpareNormOperandsOptions spare;
  spare.target = options.target;
  passes.addNestedPass<func::FuncOp>(createSgSpareNormOperands(spare));
  SgAssignCheckpointingOptions assign;
  assign.mode = options.checkpointing;
  passes.addNestedPass<func::FuncOp>(createSgAssignCheckpointing(assign));
  addLevelVerifiers(passes, "model");
  SgDifferentiateOptions differentiate;
  differentiate.optimizer = options.optimizer;
  differentiate.hyperparameters.assign(options.hyperparameters.begin(),
                                       options.hyperparameters.end());
  differentiate.clipMode = options.clipMode;
  differentiate.clipNorm = options.clipNorm;
  differentiate.clipTolerance = options.clipTolerance;
  differentiate.clipMomentum = options.clipMomentum;
  differentiate.clipNormType = options.clipNormType;
  passes.addPass(createSgDifferentiate(differentiate));
  addLevelVerifiers(passes, "train");
}

static void buildKernels(OpPassManager &passes, const TrainOptions &options) {
  buildTrain(passes, options);
  passes.addNestedPass<func::FuncOp>(createSgLowerCheckpointing());
  addLevelVerifiers(passes, "remat");
  passes.addNestedPass<func::FuncOp>(createSgFlatten());
  passes.addNestedPass<func::FuncOp>(createSgRecomputeMarked());
  addLevelVerifiers(passes, "flat");
  KernelFormation how;
  how.target = options.target;
  addKernelFormation(passes, how);
}

static void buildProgramStage(OpPassManager &passes,
                              const ProgramPipelineOptions &options) {
  SgLowerToRtOptions lower;
  lower.model = options.model;
  lower.target = options.target;
  lower.threads = options.threads;
  passes.addPass(createSgLowerToRt(lower));
  passes.addNestedPass<rt_dialect::ProgramOp>(createRtVerifyProgram());
  passes.addNestedPass<rt_dialect::ProgramOp>(createRtVerifyEffects());
}

void reprise::registerPipelines() {
  PassPipelineRegistration<TrainOptions>(
      "sg-model-to-train",
      "A model's training step, annotated for "
      "checkpointing and differentiated",
      buildTrain);
  PassPipelineRegistration<TrainOptions>(
      "sg-model-to-kernels",
      "The same, flat and of kernels and library calls: what sg-rematerialize "
      "plans",
      buildKernels);
  PassPipelineRegistration<ProgramPipelineOptions>(
      "sg-kernels-to-program",
      "Flat functions as a placed and verified program", buildProgramStage);
}
