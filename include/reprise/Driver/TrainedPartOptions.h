//===- TrainedPartOptions.h - Frozen and slower parameters ------*- C++ -*-===//
#ifndef REPRISE_DRIVER_TRAINEDPARTOPTIONS_H
#define REPRISE_DRIVER_TRAINEDPARTOPTIONS_H

#include "reprise/Analysis/TrainingNote.h"
#include "reprise/Runtime/Status.h"
#include "reprise/Runtime/Trainer/RunSettings.h"
#include <optional>

namespace reprise::driver {

/// The settings freeze, freeze-norms, lr-scale and layer-decay, as a user gives
/// them.
struct TrainedPartOptions {
  std::vector<std::string> freeze, rateScales;
  bool freezeNorms = false;
  std::optional<double> layerDecay;

  /// Takes from a state's settings those that are not given.
  void resume(const rt::RunSettings &runSettings);
  /// Adds the given ones, for a comparison with the state's.
  void addGiven(rt::RunSettings &runSettings,
                const rt::RunSettings &stored) const;
  /// Rejects wrong values, as misuse. `isUpdated`: an optimizer updates
  /// parameters.
  rt::Expected<TrainedPart> read(bool isUpdated) const;
};

} // namespace reprise::driver

#endif // REPRISE_DRIVER_TRAINEDPARTOPTIONS_H
