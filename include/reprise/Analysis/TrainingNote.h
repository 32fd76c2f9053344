//===- TrainingNote.h - Compilation settings that decide bits ---*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_TRAININGNOTE_H
#define REPRISE_ANALYSIS_TRAININGNOTE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// The limit that all gradients together are clipped to, with the names and
/// values of United Perception's grad_clipper.
struct Clipping {
  /// "pre_defined" clips to `norm`. "average" clips to `tolerance` times the
  /// mean norm of the previous steps; "moving_average" to `tolerance` times an
  /// average that keeps the share `momentum` of itself at each step.
  std::string mode = "pre_defined";
  double norm = 0; // for pre_defined; 0: no clipping
  double tolerance = 1;
  double momentum = 0;
  std::string normType = "2"; // "1", "2" or "inf"

  bool isAverage() const { return mode != "pre_defined"; }
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

/// The compilation settings that decide the bits of a run; states of the run
/// record them.
struct TrainingNote {
  std::string optimizer = "sgd";
  std::map<std::string, double> hyperparameters; // all of them
  std::string noWeightDecay;                     // globs with spaces between
  TrainedPart trained;
  std::string amp; // mixed precision: bf16, f16, or "" for none
  Clipping clipping;
  LossSettings loss;
  double ema = 0; // decay of moving averages; 0: there are none
  unsigned microBatches = 1;
  std::string attention; // "tiled" or "stored" if requested, or ""
  std::string model; // a digest of the model that was compiled; may be empty
};

} // namespace reprise

#endif // REPRISE_ANALYSIS_TRAININGNOTE_H
