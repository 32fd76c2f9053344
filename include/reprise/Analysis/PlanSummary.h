//===- PlanSummary.h - A program's memory and work in numbers ---*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_PLANSUMMARY_H
#define REPRISE_ANALYSIS_PLANSUMMARY_H

#include "reprise/Analysis/TrainingNote.h"
#include "reprise/IR/Rt.h"
#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// Numbers are bytes unless a name states another unit.
struct EntrySummary {
  std::string name;
  uint64_t fixed = 0; // variables and constants
  uint64_t kept = 0;  // live right after the forward pass, without fixed
  uint64_t peak = 0;  // includes fixed, as max-live does
  uint64_t maxLive = 0;
  uint64_t baseFlops = 0;
  uint64_t recomputedFlops = 0;

  /// The placed height divided by the largest sum of live bytes; 1 is the best.
  double placementRatio() const;
  /// The recomputed arithmetic divided by the base arithmetic.
  double recomputedShare() const;
};

struct PlanSummary {
  std::string checkpointing; // mode, may be empty
  std::string command;       // that compiled the program; may be empty
  std::optional<TrainingNote> training;
  std::vector<EntrySummary> entries;
};

PlanSummary summarizePlan(rt_dialect::ProgramOp program);

/// The artifact's plan note, one line of JSON.
std::string toJson(const PlanSummary &summary);

} // namespace reprise

#endif // REPRISE_ANALYSIS_PLANSUMMARY_H
