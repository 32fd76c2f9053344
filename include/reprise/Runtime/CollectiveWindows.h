//===- CollectiveWindows.h - How long calls of ranks may take ---*- C++ -*-===//
//
// A collective call moves bytes while the processor has nothing to do for it.
// Steps after it may run meanwhile, as long as they touch none of its bytes.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_COLLECTIVEWINDOWS_H
#define REPRISE_RUNTIME_COLLECTIVEWINDOWS_H

#include "reprise/Runtime/program_generated.h"
#include <vector>

namespace reprise::rt {

/// Returns for each step of an entry of a verified program the first step after
/// it that reads or writes what it writes, or writes what it reads, or the
/// number of steps if there is none. 0 for steps that are no collective calls.
std::vector<uint32_t> collectiveWindows(const fb::Program &program,
                                        const fb::Entry &entry);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_COLLECTIVEWINDOWS_H
