//===- TrainingNote.h - What of a program's making decides bits -*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_TRAININGNOTE_H
#define REPRISE_ANALYSIS_TRAININGNOTE_H

#include <string>

namespace reprise {

/// What of a program's making decides the bits of a run, for states of it.
struct TrainingNote {
  double momentum = 0, weightDecay = 0;
  std::string model; // a digest of the model that was compiled; may be empty
};

} // namespace reprise

#endif // REPRISE_ANALYSIS_TRAININGNOTE_H
