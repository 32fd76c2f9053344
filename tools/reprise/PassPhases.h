//===- PassPhases.h - Show passes as phases ---------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PASSPHASES_H
#define REPRISE_TOOLS_PASSPHASES_H

#include "reprise/Passes/Pipelines.h"

namespace reprise::tools {

class Activity;

/// Returns the same options, whose passes and searches report their work as
/// phases of an activity, which must outlive them. Null: no reports.
CompileOptions tellPhases(CompileOptions options, Activity *activity);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PASSPHASES_H
