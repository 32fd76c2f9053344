//===- PassPhases.h - Show passes as phases ---------------------*- C++ -*-===//
#ifndef REPRISE_DRIVER_PASSPHASES_H
#define REPRISE_DRIVER_PASSPHASES_H

#include "reprise/Passes/Pipelines.h"

namespace reprise::driver {

class Activity;

/// Returns the same options, whose passes and searches report their work as
/// phases of an activity, which must outlive them. Null: no reports.
CompileOptions tellPhases(CompileOptions options, Activity *activity);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_PASSPHASES_H
