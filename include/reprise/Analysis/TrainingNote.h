//===- TrainingNote.h - Compilation settings that decide bits ---*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_TRAININGNOTE_H
#define REPRISE_ANALYSIS_TRAININGNOTE_H

#include "reprise/TrainingTerms.h"
#include <map>

namespace reprise {

/// Returns the shortest text that reads back as `value`.
std::string exactText(double value);

/// Values of hyperparameters, by name; see completeHyperparameters.
using HyperparameterValues = std::map<std::string, double>;

struct OptimizerSettings {
  OptimizerKind kind = kDefaultOptimizer;
  /// Hyperparameters that differ from the defaults, or all of them.
  HyperparameterValues values;

  /// Returns true if parameters change.
  bool updates() const { return kind != OptimizerKind::None; }
  /// Returns the numbers as "beta1=0.9".
  std::vector<std::string> numbers() const;
  /// Returns "adamw beta1=0.9 beta2=0.999".
  std::string text() const;
};

/// Reads "beta1=0.9"; returns false for another text.
bool readHyperparameter(std::string_view text, HyperparameterValues &values);

/// The limit that all gradients together are clipped to.
struct Clipping {
  ClipMode mode = ClipMode::PreDefined;
  double norm = 0;      // for PreDefined; 0: no clipping
  double tolerance = 1; // the factor of an average
  /// The share of itself that a moving average keeps at each step.
  double momentum = 0;
  NormType normType = NormType::Two;

  bool isAverage() const { return mode != ClipMode::PreDefined; }
  /// Returns true if gradients are clipped.
  bool clips() const { return isAverage() || norm != 0; }
};

/// The differences between the training loss and the model's; see
/// sg-change-loss.
struct LossSettings {
  double labelSmoothing = 0;
  std::vector<double> classWeights; // empty: all are 1
  /// Both parameters of the Beta distribution that images are mixed by; 0: no
  /// mixing.
  double mixup = 0;
  /// The label whose rows do not count, in evaluation either.
  std::optional<int64_t> ignoreIndex;

  /// Calls `visit` with the option and the value of each number; 0 changes
  /// nothing.
  template <typename Loss, typename Visit>
  static void visitNumbers(Loss &loss, Visit visit) {
    visit("label-smoothing", loss.labelSmoothing);
    visit("mixup", loss.mixup);
  }
  bool changes() const {
    bool changes = !classWeights.empty() || ignoreIndex;
    visitNumbers(*this,
                 [&](const char *, double value) { changes |= value != 0; });
    return changes;
  }
};

/// The parameters that training changes, and how fast; see
/// sg-select-parameters.
struct TrainedPart {
  std::vector<std::string> freeze; // globs; '!' before one excepts
  /// True if batch normalizations whose scale and offset are frozen use their
  /// running statistics and leave them unchanged.
  bool freezeNorms = false;
  std::vector<std::string> rateScales; // GLOB=FACTOR
  /// The factor of the learning rate from a layer to the one before it.
  double layerDecay = 1;

  bool selects() const {
    return !freeze.empty() || freezeNorms || !rateScales.empty() ||
           layerDecay != 1;
  }
};

/// The computation of a training step.
struct StepOptions {
  OptimizerSettings optimizer;
  /// Globs of parameters whose weights do not decay.
  std::vector<std::string> noWeightDecay;
  /// The parameters that change, and factors of their learning rates.
  TrainedPart trained;
  MixedPrecision amp = MixedPrecision::None;
  /// The type that kept values are rounded to, which changes gradients; see
  /// sg-round-kept.
  LossyKept lossyKept = LossyKept::None;
  /// The limit that all gradients together are clipped to; see
  /// sg-differentiate.
  Clipping clipping;
  /// The training loss that replaces the model's; see sg-change-loss.
  LossSettings loss;
  /// The share that the moving average of a variable keeps of itself in a step;
  /// 0: there are no averages. Evaluation reads the averages; see
  /// sg-average-variables.
  double ema = 0;
  /// Micro-batches that a step runs one after another: the step takes this
  /// multiple of the model's rows.
  unsigned microBatches = 1;
  /// Processes that run these micro-batches, one each; 1: one runs them all.
  unsigned ranks = 1;
  /// Gradients of fewer bytes are summed over the ranks together, about as many
  /// bytes at once; see sg-reduce-over-ranks.
  uint64_t bucketBytes = 1 << 20;
  /// True if each rank holds a shard of the optimizer's variables; see
  /// sg-shard-optimizer.
  bool shardOptimizer = false;
  /// True if batch normalization has its statistics over the batches of all
  /// ranks; see sg-synchronize-norms.
  bool syncBatchNorm = false;
};

/// The compilation settings that decide the bits of a run, with all numbers of
/// the optimizer; states of the run record them.
struct TrainingNote : StepOptions {
  AttentionChoice attention = AttentionChoice::Auto;
  std::string model; // a digest of the model that was compiled; may be empty
};

} // namespace reprise

#endif // REPRISE_ANALYSIS_TRAININGNOTE_H
