//===- RegisterPipelines.cpp - Pipelines by name --------------------------===//
//
// The stages of Stages.cpp for tools that know passes by name only.
//
//===----------------------------------------------------------------------===//
#include "../Lowering/Stages.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include <cmath>

using namespace mlir;
using namespace reprise;

template <>
class llvm::cl::parser<Checkpointing>
    : public llvm::cl::basic_parser<Checkpointing> {
public:
  using basic_parser::basic_parser;
  bool parse(Option &option, StringRef, StringRef text, Checkpointing &value) {
    std::optional<Checkpointing> read = parseCheckpointing(text);
    value = read.value_or(value);
    return !read && option.error("unknown checkpointing mode '" + text +
                                 "'; known are " + listCheckpointingModes());
  }
  static void print(raw_ostream &stream, Checkpointing value) {
    stream << value.text();
  }
  void printOptionDiff(const Option &, Checkpointing,
                       const OptionValue<Checkpointing> &, size_t) const {}
};

namespace {

/// Lets an option take the names of an enum's values.
template <typename Enum> struct Terms {
  template <typename Option> void apply(Option &option) const {
    for (size_t number = 0; number < kCountOf<Enum>; ++number)
      option.getParser().addLiteralOption(TermNames<Enum>::names[number],
                                          Enum(number), "");
  }
};

struct TrainOptions : PassPipelineOptions<TrainOptions> {
  Option<Checkpointing> checkpointing{
      *this, "checkpointing", llvm::cl::init(CompileOptions().checkpointing),
      llvm::cl::desc("mode, as of sg-assign-checkpointing")};
  Option<OptimizerKind> optimizer{
      *this, "optimizer", llvm::cl::init(kDefaultOptimizer),
      Terms<OptimizerKind>(), llvm::cl::desc("as of sg-differentiate")};
  ListOption<std::string> hyperparameters{
      *this, "hyperparameters",
      llvm::cl::desc("of the optimizer, as NAME=VALUE")};
  Option<ClipMode> clipMode{
      *this, "clip-mode", llvm::cl::init(ClipMode::PreDefined),
      Terms<ClipMode>(), llvm::cl::desc("as of sg-differentiate")};
  Option<double> clipNorm{*this, "clip-norm", llvm::cl::init(0),
                          llvm::cl::desc("as of sg-differentiate")};
  Option<double> clipTolerance{*this, "clip-tolerance", llvm::cl::init(1),
                               llvm::cl::desc("as of sg-differentiate")};
  Option<double> clipMomentum{*this, "clip-momentum", llvm::cl::init(0),
                              llvm::cl::desc("as of sg-differentiate")};
  Option<NormType> clipNormType{
      *this, "clip-norm-type", llvm::cl::init(NormType::Two), Terms<NormType>(),
      llvm::cl::desc("as of sg-differentiate")};
  Option<std::string> target{*this, "target", llvm::cl::init("cpu:native"),
                             llvm::cl::desc("as of sg-choose-attention")};
  Option<MixedPrecision> amp{*this, "amp", llvm::cl::init(MixedPrecision::None),
                             Terms<MixedPrecision>(),
                             llvm::cl::desc("mixed precision")};
  Option<LossyKept> lossyKept{
      *this, "lossy-kept", llvm::cl::init(LossyKept::None), Terms<LossyKept>(),
      llvm::cl::desc("type that kept values are rounded to")};
  Option<unsigned> microBatches{*this, "micro-batches", llvm::cl::init(1),
                                llvm::cl::desc("of a step")};
  Option<unsigned> ranks{*this, "ranks", llvm::cl::init(1),
                         llvm::cl::desc("that run the micro-batches")};
  Option<uint64_t> bucketBytes{*this, "bucket-bytes",
                               llvm::cl::init(StepOptions().bucketBytes),
                               llvm::cl::desc("as of sg-reduce-over-ranks")};
  Option<bool> shardOptimizer{*this, "shard-optimizer", llvm::cl::init(false),
                              llvm::cl::desc("among the ranks")};
  Option<bool> syncBatchNorm{*this, "sync-batch-norm", llvm::cl::init(false),
                             llvm::cl::desc("statistics over all ranks")};
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
  Option<double> overlapPercent{
      *this, "overlap-percent",
      llvm::cl::init(ArtifactOptions().overlapPercent),
      llvm::cl::desc("as of sg-lower-to-rt")};
};

} // namespace

static CompileOptions optionsOf(const TrainOptions &from) {
  CompileOptions options;
  options.checkpointing = from.checkpointing;
  options.optimizer.kind = from.optimizer;
  // Another text becomes NaN, which every optimizer rejects.
  for (StringRef text : from.hyperparameters)
    if (!readHyperparameter(text, options.optimizer.values))
      options.optimizer.values[text.split('=').first.str()] = NAN;
  options.clipping = {from.clipMode, from.clipNorm, from.clipTolerance,
                      from.clipMomentum, from.clipNormType};
  options.target = TargetName::parse(from.target);
  options.amp = from.amp;
  options.lossyKept = from.lossyKept;
  options.microBatches = from.microBatches;
  options.ranks = from.ranks;
  options.bucketBytes = from.bucketBytes;
  options.shardOptimizer = from.shardOptimizer;
  options.syncBatchNorm = from.syncBatchNorm;
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
  options.target = TargetName::parse(from.target);
  options.threads = from.threads;
  options.overlapPercent = from.overlapPercent;
  addProgramStage(passes, options, /*checkpointing=*/"");
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
