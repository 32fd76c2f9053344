//===- PlanSummary.cpp - A program's memory and work in numbers -----------===//
//
// Input:   a verified rt.program.
// Output:  peak, kept bytes and recomputed arithmetic of each entry, as
//          recorded in the entry.
//
//===----------------------------------------------------------------------===//
#include "reprise/Analysis/PlanSummary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

static EntrySummary summarizeEntry(EntryOp entry, uint64_t fixedBytes) {
  EntrySummary summary;
  summary.name = entry.getSymName().str();
  summary.fixed = fixedBytes;
  summary.peak = entry.getPeakBytes();
  summary.maxLive = entry.getMaxLiveBytes();
  summary.baseFlops = entry.getBaseFlops();
  for (auto step : entry.getBody().getOps<StepOpInterface>())
    if (step.getStepInfo().getPhase() == Phase::Recompute)
      summary.recomputedFlops += step.getStepInfo().getFlops();
  summary.kept = entry.getKeptBytes().value_or(0);
  return summary;
}

PlanSummary reprise::summarizePlan(ProgramOp program) {
  PlanSummary summary;
  summary.checkpointing = program.getCheckpointing().value_or("").str();
  if (auto command = program->getAttrOfType<StringAttr>(
          rt_dialect::RtDialect::kCommandAttr))
    summary.command = command.getValue().str();
  for (auto entry : program.getBody().getOps<EntryOp>())
    summary.entries.push_back(summarizeEntry(entry, program.getFixedBytes()));
  return summary;
}

/// Writes the settings that have an effect, by the names of the options.
static void noteClipping(llvm::json::OStream &json, const Clipping &clipping) {
  if (!clipping.clips())
    return;
  if (!clipping.isAverage()) {
    json.attribute("clip-grad-norm", clipping.norm);
  } else {
    json.attribute("grad-clipper", termName(clipping.mode));
    json.attribute("clip-tolerance", clipping.tolerance);
  }
  if (clipping.mode == ClipMode::MovingAverage)
    json.attribute("clip-momentum", clipping.momentum);
  if (clipping.normType != NormType::Two)
    json.attribute("clip-norm-type", termName(clipping.normType));
}

static void noteGlobs(llvm::json::OStream &json, StringRef name,
                      const std::vector<std::string> &globs) {
  if (!globs.empty())
    json.attribute(name, llvm::json::fixUTF8(llvm::join(globs, " ")));
}

static void noteTrained(llvm::json::OStream &json, const TrainedPart &trained) {
  noteGlobs(json, "freeze", trained.freeze);
  if (trained.freezeNorms)
    json.attribute("freeze-norms", "true");
  noteGlobs(json, "lr-scale", trained.rateScales);
  if (trained.layerDecay != 1)
    json.attribute("layer-decay", trained.layerDecay);
}

/// Weights as one text, as states hold them.
static void noteLoss(llvm::json::OStream &json, const LossSettings &loss) {
  LossSettings::visitNumbers(loss, [&](const char *name, double value) {
    if (value != 0)
      json.attribute(name, value);
  });
  if (loss.ignoreIndex)
    json.attribute("ignore-index", *loss.ignoreIndex);
  std::string weights;
  for (double weight : loss.classWeights)
    weights += (weights.empty() ? "" : " ") + exactText(weight);
  if (!weights.empty())
    json.attribute("class-weights", weights);
}

std::string reprise::toJson(const PlanSummary &summary) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  auto bytes = [&](StringRef key, uint64_t value) {
    json.attribute(key, static_cast<int64_t>(value));
  };
  json.object([&] {
    json.attribute("checkpointing", summary.checkpointing);
    if (!summary.command.empty())
      json.attribute("command", llvm::json::fixUTF8(summary.command));
    if (summary.training)
      json.attributeObject("training", [&] {
        const TrainingNote &training = *summary.training;
        // Each number of the default optimizer has a name of its own, as in
        // states.
        if (training.optimizer.kind != kDefaultOptimizer)
          json.attribute("optimizer", training.optimizer.text());
        else
          for (const auto &[name, value] : training.optimizer.values)
            json.attribute(name, value);
        noteGlobs(json, "no-weight-decay", training.noWeightDecay);
        noteTrained(json, training.trained);
        if (training.amp != MixedPrecision::None)
          json.attribute("amp", termName(training.amp));
        if (training.lossyKept != LossyKept::None)
          json.attribute("lossy-kept", termName(training.lossyKept));
        if (training.attention != AttentionChoice::Auto)
          json.attribute("attention", termName(training.attention));
        noteClipping(json, training.clipping);
        noteLoss(json, training.loss);
        if (training.ema != 0)
          json.attribute("ema", training.ema);
        if (training.microBatches != 1)
          json.attribute("accumulate", training.microBatches);
        if (training.syncBatchNorm)
          json.attribute("sync-batch-norm", "true");
        json.attribute("model", training.model);
      });
    json.attributeArray("entries", [&] {
      for (const EntrySummary &entry : summary.entries)
        json.object([&] {
          json.attribute("name", entry.name);
          bytes("fixed_bytes", entry.fixed);
          bytes("kept_bytes", entry.kept);
          bytes("peak_bytes", entry.peak);
          bytes("max_live_bytes", entry.maxLive);
          json.attribute("placement_ratio", entry.placementRatio());
          bytes("base_flops", entry.baseFlops);
          bytes("recomputed_flops", entry.recomputedFlops);
          json.attribute("recomputed_share", entry.recomputedShare());
        });
    });
  });
  return text;
}
