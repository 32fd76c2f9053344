//===- Host.h - What this processor and library are -------------*- C++ -*-===//
//
// The two ways in which an artifact can be for another machine.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_HOST_H
#define REPRISE_RUNTIME_CPU_HOST_H

#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/Status.h"

#include <string>
#include <vector>

namespace reprise::rt {

/// Whether this processor has a feature, and nothing hides it.
bool hasFeature(const std::string &name);

/// Holds the library to the features that are not hidden. Does nothing once its
/// instruction set is chosen.
void holdLibrary();

/// RP_INCOMPATIBLE unless this processor has all of the comma separated
/// features in `required`.
Status checkTarget(const std::string &required);

/// How steps run on bf16 and f16 here, and which features would do better.
std::vector<DeviceSummary::TypeNote> describeTypes();

/// RP_INCOMPATIBLE unless `required` is empty or names the library here, which
/// is held to the instruction set that `required` ends with if it still can be.
Status checkLibrary(const std::string &required);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_HOST_H
