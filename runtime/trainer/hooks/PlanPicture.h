//===- PlanPicture.h - Memory of a plan as a picture ------------*- C++ -*-===//
//
// Columns are the program's steps, from the first to the last; each stacks the
// bytes that the plan has in use during the step, by kind. The highest column
// reaches the predicted peak except for the unused bytes between buffers, which
// are few. If there are more steps than pixels, a column shows the step with
// the most bytes in use. Below is a strip of phases.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_PLANPICTURE_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_PLANPICTURE_H

#include "EventFile.h"
#include "reprise/Runtime/Trainer/Backend.h"

namespace reprise::rt {

/// Draws a plan of one step or more; the description explains the colours.
Expected<EncodedPicture> drawPlan(const PlanMemory &plan);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_PLANPICTURE_H
