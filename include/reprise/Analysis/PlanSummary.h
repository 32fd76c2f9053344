//===- PlanSummary.h - A program's memory and work in numbers ---*- C++ -*-===//
#ifndef REPRISE_ANALYSIS_PLANSUMMARY_H
#define REPRISE_ANALYSIS_PLANSUMMARY_H

#include "reprise/Analysis/TrainingNote.h"
#include "reprise/EntrySummary.h"
#include "reprise/IR/Rt.h"
#include <optional>
#include <string>
#include <vector>

namespace reprise {

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
