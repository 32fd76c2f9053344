//===- ProcessTable.h - A process's memory as a table -----------*- C++ -*-===//
#ifndef REPRISE_REPORT_PROCESSTABLE_H
#define REPRISE_REPORT_PROCESSTABLE_H

#include "reprise/Runtime/Trainer/ProcessMemory.h"
#include <nlohmann/json_fwd.hpp>

namespace reprise::driver {

/// Returns items, their sum, and the system's tightest limit.
std::string processTable(const rt::ProcessMemory &memory);

/// Adds the same as "process_items", "process_predicted_bytes".
void addProcessJson(const rt::ProcessMemory &memory,
                    nlohmann::ordered_json &json);

} // namespace reprise::driver

#endif // REPRISE_REPORT_PROCESSTABLE_H
