//===- RegisterPipelines.cpp - Pipelines by name --------------------------===//
//
// The stages of Stages.cpp for tools that know passes by name only.
//
//===----------------------------------------------------------------------===//
#include "../Lowering/Stages.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

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
  Option<MixedPrecision> amp{
      *this, "amp", llvm::cl::init(MixedPrecision::None),
      llvm::cl::desc("mixed precision"),
      llvm::cl::values(clEnumValN(MixedPrecision::None, "none", "of f32"),
                       clEnumValN(MixedPrecision::BF16, "bf16", "of bf16"),
                       clEnumValN(MixedPrecision::F16, "f16", "of f16"))};
  Option<unsigned> microBatches{*this, "micro-batches", llvm::cl::init(1),
                                llvm::cl::desc("of a step")};
  ListOption<std::string> keep{*this, "keep",
                               llvm::cl::desc("as of sg-recompute-cheap")};
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

/// Reads "NAME=VALUE"; other text becomes NaN, which every optimizer rejects.
static void readHyperparameter(StringRef text, HyperparameterValues &values) {
  auto [name, number] = text.split('=');
  double value = 0;
  values[name.str()] = llvm::to_float(number, value)
                           ? value
                           : std::numeric_limits<double>::quiet_NaN();
}

static CompileOptions optionsOf(const TrainOptions &from) {
  CompileOptions options;
  options.checkpointing = from.checkpointing;
  options.optimizer = from.optimizer;
  for (const std::string &text : from.hyperparameters)
    readHyperparameter(text, options.hyperparameters);
  options.clipping = {from.clipMode, from.clipNorm, from.clipTolerance,
                      from.clipMomentum, from.clipNormType};
  options.target = from.target;
  options.amp = from.amp;
  options.microBatches = from.microBatches;
  options.keep.assign(from.keep.begin(), from.keep.end());
  return options;
}

static void buildTrain(OpPassManager &passes, const TrainOptions &from) {
  CompileOptions options = optionsOf(from);
  addModelStage(passes, options);
  addTrainStage(passes, options);
}

static void buildKernels(OpPassManager &passes, const TrainOptions &from) {
  CompileOptions options = optionsOf(from);
  buildTrain(passes, from);
  addRematStage(passes);
  addFlatStage(passes, options);
  addKernelStage(passes, options);
}

static void buildProgram(OpPassManager &passes,
                         const ProgramPipelineOptions &from) {
  CompileOptions options;
  options.model = from.model;
  options.target = from.target;
  options.threads = from.threads;
  options.checkpointing.clear(); // unknown
  addProgramStage(passes, options);
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
      "Flat functions as a placed and verified program", buildProgram);
}
