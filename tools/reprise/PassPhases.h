//===- PassPhases.h - Which pass is at work ---------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_PASSPHASES_H
#define REPRISE_TOOLS_PASSPHASES_H

#include "mlir/Pass/PassManager.h"
#include <functional>

namespace reprise::tools {

class Activity;

/// For CompileOptions::configure: tells what the passes of a manager do, in
/// people's words, as phases of an activity, which outlives them. Null: of
/// none.
std::function<void(mlir::PassManager &)> tellPhases(Activity *activity);

} // namespace reprise::tools

#endif // REPRISE_TOOLS_PASSPHASES_H
