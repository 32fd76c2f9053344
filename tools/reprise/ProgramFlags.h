//===- ProgramFlags.h - Options of runs with several programs ---*- C++ -*-===//
#ifndef REPRISE_TOOLS_PROGRAMFLAGS_H
#define REPRISE_TOOLS_PROGRAMFLAGS_H

#include "reprise/Run/ProgramPlan.h"
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

class ProgramFlags {
public:
  void addTo(CLI::App &app);
  /// Reads the plan, of its modes the text alone.
  rt::Expected<ProgramPlan> read() const;

private:
  CLI::App *command = nullptr;
  std::vector<std::string> schedule, buckets;
  bool skipsLarge = false;
};

} // namespace reprise::driver

#endif // REPRISE_TOOLS_PROGRAMFLAGS_H
