//===- ProgramFlags.h - Options of runs with several programs ---*- C++ -*-===//
#ifndef REPRISE_TOOLS_PROGRAMFLAGS_H
#define REPRISE_TOOLS_PROGRAMFLAGS_H

#include "reprise/Runtime/Trainer/Programs.h"
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::driver {

/// Epochs that are trained in one checkpointing mode, or within one budget.
struct EpochPhase {
  uint64_t first = 0; // counted from 0
  std::string mode;   // "segments=4", "budget=80%"; "": the options' mode
};

/// The given settings of a run's programs.
struct ProgramPlan {
  /// Phases in order, the first of them from epoch 0 on.
  std::vector<EpochPhase> phases = {{}};
  /// The mode used in place of one whose program does not fit the memory; "":
  /// none.
  std::string onOutOfMemory;
  /// Buckets; their batch is 0 if only sizes are given.
  std::vector<rt::Bucket> buckets;
  bool skipsLarge = false;

  bool isPlain() const {
    return phases.size() == 1 && phases.front().mode.empty() &&
           onOutOfMemory.empty() && buckets.empty();
  }
};

class ProgramFlags {
public:
  void addTo(CLI::App &app);
  rt::Expected<ProgramPlan> read() const;

private:
  CLI::App *command = nullptr;
  std::vector<std::string> schedule, buckets;
  bool skipsLarge = false;
};

} // namespace reprise::driver

#endif // REPRISE_TOOLS_PROGRAMFLAGS_H
