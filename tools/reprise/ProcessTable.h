//===- ProcessTable.h - What a process holds, for people --------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PROCESSTABLE_H
#define REPRISE_TOOLS_PROCESSTABLE_H

#include "reprise/Runtime/Trainer/ProcessMemory.h"
#include <nlohmann/json_fwd.hpp>

namespace reprise::tools {

/// Items, their sum, and the limit of the system that leaves least.
std::string processTable(const rt::ProcessMemory &memory);

/// The same as "process_items", "process_predicted_bytes".
void addProcessJson(const rt::ProcessMemory &memory,
                    nlohmann::ordered_json &json);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PROCESSTABLE_H
