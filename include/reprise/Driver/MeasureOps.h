//===- MeasureOps.h - Time the ops of a program -----------------*- C++ -*-===//
//
// The steps of a program are timed one by one. The milliseconds of an op are
// the mean, over the steps that are the same op, of each step's median over
// runs: bursts of load on the machine have no effect, and the sum over the
// program remains.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_DRIVER_MEASUREOPS_H
#define REPRISE_DRIVER_MEASUREOPS_H

#include "reprise/Bridge/CostModel.h"
#include "reprise/Program/ArtifactFile.h"

namespace reprise::driver {

/// Milliseconds of an entry.
struct OpMeasurement {
  double step = 0;           // median of whole runs
  std::vector<double> steps; // median of each
};

/// Runs the entry `runs` times as a whole and `runs` times step by step, each
/// after a run that does not count.
rt::Expected<OpMeasurement> measureOps(const ArtifactFile &artifact,
                                       const std::string &entry, unsigned runs);

/// Returns the profile of an entry whose steps took `times` on `machine`.
Profile makeProfile(const ArtifactFile &artifact, const rt::fb::Entry &entry,
                    const OpMeasurement &times, const Machine &machine);

/// Returns the prices of an entry's steps under these costs.
Prices predict(const rt::fb::Entry &entry, const CostModel &costs);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MEASUREOPS_H
