//===- PlanProcess.h - The memory of processes that train -------*- C++ -*-===//
#ifndef REPRISE_RUN_PLANPROCESS_H
#define REPRISE_RUN_PLANPROCESS_H

#include "reprise/Driver/RequestSettings.h"

namespace reprise::driver {

/// Prints the memory of processes that train these models on `data`, each
/// compiled like 'reprise train'.
rt::Status planProcesses(const std::vector<std::string> &sources,
                         const std::string &data, const ModelSettings &model,
                         const CompileSettings &compile, bool json);

} // namespace reprise::driver

#endif // REPRISE_RUN_PLANPROCESS_H
