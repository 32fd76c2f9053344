//===- Host.h - Facts about this processor and library ----------*- C++ -*-===//
//
// An artifact can be for another processor or another library.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_HOST_H
#define REPRISE_RUNTIME_CPU_HOST_H

#include "reprise/Runtime/Device.h"
#include "reprise/Runtime/Status.h"

#include <string>
#include <vector>

namespace reprise::rt {

/// Returns true if this processor has a feature that is not hidden.
bool hasFeature(const std::string &name);

/// Limits the library to features that are not hidden. Does nothing once its
/// instruction set is chosen.
void holdLibrary();

/// Returns RP_INCOMPATIBLE unless this processor has all of the comma separated
/// features in `required`.
Status checkTarget(const std::string &required);

/// Describes how steps run on bf16 and f16 here, and the features that would be
/// faster.
std::vector<DeviceSummary::TypeNote> describeTypes();

/// Returns RP_INCOMPATIBLE unless `required` is empty or names the library
/// here. Limits the library to the instruction set at the end of `required` if
/// it can still be chosen.
Status checkLibrary(const std::string &required);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_HOST_H
