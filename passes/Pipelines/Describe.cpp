//===- Describe.cpp - Digests of options and models -----------------------===//
//
// Texts and digests of options and models: equal digests mean programs that
// compute the same.
//
//===----------------------------------------------------------------------===//

#include "reprise/IR/BlockRewrite.h"
#include "reprise/IR/Sg.h"
#include "reprise/Passes/Optimizers.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Passes/Train.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace reprise;

static std::string text(const plan::Budget &budget) {
  const auto &[kind, bytes, percent] = budget;
  return std::to_string(int(kind)) + " " + std::to_string(bytes) + " " +
         llvm::utohexstr(llvm::bit_cast<uint64_t>(percent));
}

static std::string text(const rt::Roofline &roofline) {
  const auto &[gflops, gigabytes, narrow] = roofline;
  std::string all;
  for (double rate : {gflops, gigabytes, narrow})
    all += llvm::utohexstr(llvm::bit_cast<uint64_t>(rate)) + " ";
  return all;
}

std::string reprise::describeOptions(const CompileOptions &options) {
  const StepOptions &step = options;
  const AlgorithmOptions &algorithms = options;
  const RecomputeOptions &choice = options;
  const ArtifactOptions &program = options;
  // Binds every member, so that a new one cannot be forgotten here.
  const auto &[optimizer, noWeightDecay, trained, amp, lossyKept, clipping,
               loss, ema, microBatches, ranks, bucketBytes, shardOptimizer,
               syncBatchNorm] = step;
  const auto &[attention, halvedBytes, sparedBytes, exactBytes, fuse] =
      algorithms;
  const auto &[checkpointing, recompute, budget, host, keep, planWork,
               planEffort, roofline, profile, searchObserver] = choice;
  const auto &[model, training, evaluation, onlyEvaluates, emitGradients,
               emitNonFinite, threads, target, overlapPercent, configure] =
      program;
  std::string all;
  auto add = [&](llvm::StringRef value) {
    all += (llvm::Twine(value.size()) + " " + value + "\n").str();
  };
  auto number = [&](double value) {
    add(llvm::utohexstr(llvm::bit_cast<uint64_t>(value)));
  };
  auto list = [&](const std::vector<std::string> &values) {
    number(double(values.size()));
    llvm::for_each(values, add);
  };
  // A default is the same number whether it is given or not.
  OptimizerSettings complete = optimizer;
  (void)completeHyperparameters(complete);
  for (const std::string &value :
       {model, checkpointing.text(), complete.text(),
        std::string(termName(amp)), std::string(termName(lossyKept)),
        std::string(termName(attention)), profile, target.text()})
    add(value);
  const auto &[clipMode, clipNorm, tolerance, momentum, normType] = clipping;
  add(termName(clipMode));
  add(termName(normType));
  for (double value : {clipNorm, tolerance, momentum})
    number(value);
  LossSettings::visitNumbers(
      loss, [&](const char *, double value) { number(value); });
  add(loss.ignoreIndex ? std::to_string(*loss.ignoreIndex) : "");
  number(double(loss.classWeights.size()));
  llvm::for_each(loss.classWeights, number);
  list(noWeightDecay);
  const auto &[freeze, freezeNorms, rateScales, layerDecay] = trained;
  list(freeze);
  list(rateScales);
  number(double(freezeNorms));
  number(layerDecay);
  list(keep);
  list(recompute);
  for (double value :
       {clipNorm, double(halvedBytes), double(sparedBytes), double(exactBytes),
        ema, double(microBatches), double(ranks), double(bucketBytes),
        double(shardOptimizer), double(syncBatchNorm), double(fuse),
        double(emitGradients), double(emitNonFinite), double(training),
        double(evaluation), double(onlyEvaluates), planWork, double(planEffort),
        double(threads)})
    number(value);
  add(budget ? text(*budget) : "");
  for (double value :
       {overlapPercent, double(host.bytes), host.link.bytesPerMillisecond,
        host.link.latencyMilliseconds})
    number(value);
  add(text(roofline));
  // These only observe.
  (void)searchObserver;
  (void)configure;
  return all;
}

TrainingNote reprise::noteTraining(mlir::ModuleOp model,
                                   const CompileOptions &options) {
  TrainingNote note{options, options.attention, digestModel(model)};
  // Errors in them are reported where they are used.
  (void)completeHyperparameters(note.optimizer);
  return note;
}

/// Drops the bindings of inputs and outputs, which do not affect the computed
/// bits, except the choice of a differentiated result that is not the first.
static void dropBindings(func::FuncOp function) {
  for (unsigned k = 0; k < function.getNumArguments(); ++k)
    function.removeArgAttr(k, sg::SgDialect::kBindingAttr);
  for (unsigned k = 0; k < function.getNumResults(); ++k)
    if (k == 0 ||
        sg::roleOf(function.getResultAttrDict(k)) != sg::BindingRole::Loss)
      function.removeResultAttr(
          k,
          StringAttr::get(function.getContext(), sg::SgDialect::kBindingAttr));
}

std::string reprise::digestModel(mlir::ModuleOp module) {
  OwningOpRef<mlir::ModuleOp> bare = module.clone();
  sg::eraseMarks(*bare);
  bare->walk([](sg::SgModuleOp block) {
    block->removeAttr(block.getActivationCheckpointingAttrName());
  });
  for (auto function : bare->getOps<func::FuncOp>())
    dropBindings(function);
  // Names of ops do not affect the computed bits.
  bare->walk([](Operation *op) { op->removeAttr(sg::SgDialect::kPathAttr); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  bare->print(stream, OpPrintingFlags().printGenericOpForm());
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true,
                         /*Width=*/16);
}
