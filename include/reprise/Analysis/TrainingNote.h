//===- TrainingNote.h - What of a program's making decides bits -*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_TRAININGNOTE_H
#define REPRISE_ANALYSIS_TRAININGNOTE_H

#include <map>
#include <string>

namespace reprise {

/// What of a program's making decides the bits of a run, for states of it.
struct TrainingNote {
  std::string optimizer = "sgd";
  std::map<std::string, double> hyperparameters; // all of them
  std::string noWeightDecay;                     // globs with spaces between
  std::string amp;     // mixed precision: bf16, f16, or "" for none
  double clipNorm = 0; // 0: none
  unsigned microBatches = 1;
  std::string attention; // "tiled" or "stored" where that was asked, or ""
  std::string model; // a digest of the model that was compiled; may be empty
};

} // namespace reprise

#endif // REPRISE_ANALYSIS_TRAININGNOTE_H
