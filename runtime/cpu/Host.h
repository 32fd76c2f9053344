//===- Host.h - What this processor and library are -------------*- C++ -*-===//
//
// The two ways in which an artifact can be for another machine.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_HOST_H
#define REPRISE_RUNTIME_CPU_HOST_H

#include "reprise/Runtime/Status.h"

namespace reprise::rt {

/// RP_INCOMPATIBLE unless this processor has all of the comma separated
/// features in `required`.
Status checkTarget(const std::string &required);

/// RP_INCOMPATIBLE unless `required` is empty or names the library here, which
/// is held to the instruction set that `required` ends with if it still can be.
Status checkLibrary(const std::string &required);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_HOST_H
