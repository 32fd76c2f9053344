//===- KeptPlan.h - Plans that need no search again -------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_KEPTPLAN_H
#define REPRISE_TOOLS_KEPTPLAN_H

#include "ProgramCache.h"

namespace reprise::tools {

/// Lowers what `compiler` has loaded of a request to a program. With a budget,
/// for which schedules are searched, the cache's is taken where it has one, and
/// else kept there. `options` are the request's, with an observer, which sees
/// no plan that is taken.
rt::Status lowerToProgram(Compiler &compiler, const ModelRequest &request,
                          const CompileOptions &options);

/// The title before a plan in its file: its model and budget, for people to
/// read. Nothing if the file is damaged.
std::optional<std::string> titleOfPlan(const std::vector<uint8_t> &file);

/// "WHAT is taken from the cache", for who asked to be told more.
void tellKept(const std::string &what);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_KEPTPLAN_H
