//===- TrainingNote.h - What of a program's making decides bits -*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_TRAININGNOTE_H
#define REPRISE_ANALYSIS_TRAININGNOTE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// What all gradients together are clipped to, with the names and numbers of
/// United Perception's grad_clipper.
struct Clipping {
  /// "pre_defined": to `norm`. "average": to `tolerance` times the mean norm of
  /// the steps before; "moving_average": to that times an average which keeps
  /// the share `momentum` of itself at each step.
  std::string mode = "pre_defined";
  double norm = 0; // of pre_defined; 0: nothing is clipped
  double tolerance = 1;
  double momentum = 0;
  std::string normType = "2"; // "1", "2" or "inf"

  bool isAverage() const { return mode != "pre_defined"; }
  /// Whether anything is clipped.
  bool clips() const { return isAverage() || norm != 0; }
};

/// How training's loss differs from the model's; see sg-change-loss.
struct LossSettings {
  double labelSmoothing = 0;
  std::vector<double> classWeights; // none: all are 1
  /// Both numbers of the Beta distribution that images are mixed by; 0: they
  /// are not.
  double mixup = 0;
  /// The label whose rows do not count; of evaluation, too.
  std::optional<int64_t> ignoreIndex;
  bool changes() const {
    return labelSmoothing != 0 || !classWeights.empty() || mixup != 0 ||
           ignoreIndex;
  }
};

/// What of a program's making decides the bits of a run, for states of it.
struct TrainingNote {
  std::string optimizer = "sgd";
  std::map<std::string, double> hyperparameters; // all of them
  std::string noWeightDecay;                     // globs with spaces between
  std::string amp; // mixed precision: bf16, f16, or "" for none
  Clipping clipping;
  LossSettings loss;
  unsigned microBatches = 1;
  std::string attention; // "tiled" or "stored" where that was asked, or ""
  std::string model; // a digest of the model that was compiled; may be empty
};

} // namespace reprise

#endif // REPRISE_ANALYSIS_TRAININGNOTE_H
