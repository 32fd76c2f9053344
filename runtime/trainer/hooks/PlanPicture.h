//===- PlanPicture.h - Memory of a plan as a picture ------------*- C++ -*-===//
//
// Columns are the program's steps, from the first to the last; what is stacked
// in one are the bytes that the plan has in use while it runs, by kind. The
// highest column reaches the predicted peak but for what lies unused between
// buffers then, which is little. Where there are more steps than pixels a
// column shows the one of them with most in use. Below lies a strip of phases.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_PLANPICTURE_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_PLANPICTURE_H

#include "EventFile.h"
#include "reprise/Runtime/Trainer/Backend.h"

namespace reprise::rt {

/// Draws a plan of one step or more; the description says what the colours are.
Expected<EncodedPicture> drawPlan(const PlanMemory &plan);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_PLANPICTURE_H
