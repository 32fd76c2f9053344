//===- ProgramFlags.h - Runs of several programs, as options ----*- C++ -*-===//
#ifndef REPRISE_TOOLS_PROGRAMFLAGS_H
#define REPRISE_TOOLS_PROGRAMFLAGS_H

#include "reprise/Runtime/Trainer/Programs.h"
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace reprise::tools {

/// Epochs that are trained in one mode of checkpointing, or within one budget.
struct EpochPhase {
  uint64_t first = 0; // counted from 0
  std::string mode;   // "segments=4", "budget=80%"; "": as options say
};

/// What is said of the programs of a run, as it was read.
struct ProgramPlan {
  /// In order, the first of them from epoch 0 on.
  std::vector<EpochPhase> phases = {{}};
  /// In place of a phase whose program does not fit the memory; "": none.
  std::string onOutOfMemory;
  /// Of batch 0 where only sizes are said.
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

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROGRAMFLAGS_H
