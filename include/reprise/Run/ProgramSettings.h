//===- ProgramSettings.h - Options of runs with several programs *- C++ -*-===//
#ifndef REPRISE_RUN_PROGRAMSETTINGS_H
#define REPRISE_RUN_PROGRAMSETTINGS_H

#include "reprise/Console/GivenOptions.h"
#include "reprise/Run/ProgramPlan.h"
#include <string>
#include <vector>

namespace reprise::driver {

struct ProgramSettings {
  std::vector<std::string> schedule, buckets;
  bool skipsLarge = false;

  /// Reads the plan, of its modes the text alone.
  rt::Expected<ProgramPlan> read(const GivenOptions &command) const;
};

} // namespace reprise::driver

#endif // REPRISE_RUN_PROGRAMSETTINGS_H
