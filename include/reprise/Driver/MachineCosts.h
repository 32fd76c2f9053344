//===- MachineCosts.h - Costs of ops on a machine ---------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_MACHINECOSTS_H
#define REPRISE_DRIVER_MACHINECOSTS_H

#include "reprise/Bridge/CostModel.h"
#include "reprise/Target/Target.h"

namespace reprise::driver {

/// The source of the costs of ops.
struct CostSource {
  std::optional<rt::Roofline> roofline; // given; otherwise the machine's
  std::string profile;                  // file of measured times; "": none
  /// True if costs are needed even without a budget.
  bool isWanted = false;
  bool mayWarn = true;
};

/// Returns the costs of ops on `threads` threads: the source's roofline, or
/// that of this machine as a `device`, and the profile.
rt::Expected<CostModel> costModelOf(const CostSource &source, Target &device,
                                    unsigned threads);

/// Warns if the profile is of another machine.
void warnElsewhere(const CostSource &source, const CostModel &costs,
                   const Target &device, unsigned threads);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_MACHINECOSTS_H
