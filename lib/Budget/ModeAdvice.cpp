//===- ModeAdvice.cpp - Advice on inferior modes --------------------------===//

#include "reprise/Budget/ModeAdvice.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/Console/Console.h"
#include "reprise/Text/Size.h"
#include "llvm/ADT/STLExtras.h"

using namespace reprise;
using namespace reprise::driver;

std::vector<Checkpointing>
driver::comparedModes(const CompileOptions &compile) {
  std::vector<Checkpointing> modes = reprise::comparedModes();
  // Its clones compute statistics that ranks gather once.
  if (compile.syncBatchNorm)
    llvm::erase(modes, Checkpointing{CheckpointingMode::Kind::Nested});
  return modes;
}

/// "computes 33.0% more and saves 0 bytes of the peak"
static std::string describe(const ModeCost &mode, const ModeCost &other) {
  uint64_t more = mode.peakBytes - other.peakBytes;
  return "'" + mode.mode + "' computes " +
         text::formatPercent(mode.recomputed) + " more and " +
         (more ? "takes " + text::formatSize(more) + " more than '" +
                     other.mode + "'"
               : "saves 0 bytes of the peak of '" + other.mode + "'");
}

static bool beats(const ModeCost &a, const ModeCost &b) {
  return a.peakBytes <= b.peakBytes && a.recomputed < b.recomputed;
}

std::string driver::describeBeaten(const std::vector<ModeCost> &modes) {
  std::string text;
  for (const ModeCost &mode : modes) {
    const ModeCost *best = nullptr;
    for (const ModeCost &other : modes)
      if (beats(other, mode) && (!best || other.peakBytes < best->peakBytes))
        best = &other;
    if (best)
      text += describe(mode, *best) +
              (best->recomputed > 0
                   ? ", which computes " + text::formatPercent(best->recomputed)
                   : ", which recomputes nothing") +
              "\n";
  }
  return text;
}

/// The cost of the training step; nothing if there is none.
static std::optional<ModeCost> costOf(Checkpointing mode, Compiler &compiler) {
  rt::Expected<ProgramFacts> facts = compiler.facts();
  const EntryFacts *step = facts.ok() ? facts->entry("train_step") : nullptr;
  if (!step)
    return std::nullopt;
  EntrySummary summary = summarize(*facts, *step);
  return ModeCost{mode.text(), summary.peak, summary.recomputedShare()};
}

void driver::warnOfMode(const ModelRequest &request, Compiler &compiler) {
  const CompileOptions &options = request.compile;
  // Named blocks are the user's own choice.
  if (options.budget || options.checkpointing == Checkpointing() ||
      !options.recompute.empty())
    return;
  std::optional<ModeCost> asked = costOf(options.checkpointing, compiler);
  if (!asked || asked->recomputed == 0)
    return;
  if (Activity *activity = Activity::current())
    activity->phase("comparing with 'none'");
  ModelRequest plain = request;
  plain.compile.checkpointing = {};
  plain.compile.evaluation = false;
  Compiler other;
  other.hideWarnings();
  bool isPlanned = other.load(plain.source, plain.model).ok() &&
                   other.lower(plain.compile, CompileLevel::Program).ok();
  std::optional<ModeCost> none;
  if (isPlanned)
    none = costOf({}, other);
  if (none && beats(*none, *asked))
    warn(describe(*asked, *none) + "; --checkpointing none recomputes nothing");
}
