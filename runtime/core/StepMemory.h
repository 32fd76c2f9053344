//===- StepMemory.h - Memory of a plan over its steps -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CORE_STEPMEMORY_H
#define REPRISE_RUNTIME_CORE_STEPMEMORY_H

#include "Views.h"
#include "reprise/Runtime/reprise.h"

namespace reprise::rt {

/// Fills one element for each step of a verified entry. Linear in the total
/// lifetime of the buffers, in steps.
void fillStepMemory(const fb::Program &program, const fb::Entry &entry,
                    rp_step_memory *steps);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_STEPMEMORY_H
