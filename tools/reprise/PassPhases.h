//===- PassPhases.h - Which pass is at work ---------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PASSPHASES_H
#define REPRISE_TOOLS_PASSPHASES_H

#include "reprise/Passes/Pipelines.h"

namespace reprise::tools {

class Activity;

/// The same options, whose passes and searches tell what they do, in people's
/// words, as phases of an activity, which outlives them. Null: of none.
CompileOptions tellPhases(CompileOptions options, Activity *activity);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PASSPHASES_H
