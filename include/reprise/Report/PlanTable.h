//===- PlanTable.h - Plans as tables and as JSON ----------------*- C++ -*-===//
//
// Each plan is a program that has the entry `entryName`.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_REPORT_PLANTABLE_H
#define REPRISE_REPORT_PLANTABLE_H

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Runtime/Link.h"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace reprise::driver {

/// A program, and the name that the user gave it.
struct PlanRow {
  std::string source;
  ProgramFacts facts;
};
/// Returns the mode of a program, with its budget; "?" if it is not known.
std::string modeOf(const ProgramFacts &facts);

/// Returns a row for each plan, and a legend.
std::string planTable(const std::vector<PlanRow> &rows,
                      const std::string &entryName);
/// Returns the bytes that each model's attention scores would take, one line
/// per model.
std::string attentionNotes(const std::vector<PlanRow> &rows,
                           const std::string &entryName);
/// Returns what a rank holds of the optimizer's variables that ranks share, one
/// line per model.
std::string shardNotes(const std::vector<PlanRow> &rows);
/// Returns the modelled time of one rank's step and its communication, one line
/// per plan.
std::string scalingNotes(const std::vector<PlanRow> &rows,
                         const std::string &entryName, unsigned ranks,
                         const rt::Link &link);
/// Returns the same as JSON, for one plan.
nlohmann::ordered_json scalingJson(const EntryFacts &entry, unsigned ranks,
                                   const rt::Link &link);
/// Returns a row for each module, with paths cut to `depth` names.
std::string moduleTable(const EntryFacts &entry, unsigned depth);
/// Returns a row as JSON, with the modules if `byModule`.
nlohmann::ordered_json rowJson(const PlanRow &row, const std::string &entryName,
                               bool byModule, unsigned depth);

} // namespace reprise::driver

#endif // REPRISE_REPORT_PLANTABLE_H
