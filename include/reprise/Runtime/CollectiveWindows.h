//===- CollectiveWindows.h - Steps that run beside others -------*- C++ -*-===//
//
// A collective call moves bytes while the processor has nothing to do for it.
// Steps after it may run meanwhile, as long as they touch none of its bytes. So
// may steps before an offload to host memory, and steps after a fetch.
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

/// The steps beside which a copy to or from host memory may run: [begin, end).
/// An offload begins before step `begin` and has ended after step `end`, the
/// offload itself; a fetch begins at step `begin`, itself, and has ended before
/// step `end`, which may be the number of steps.
struct CopyWindow {
  uint32_t begin = 0, end = 0;
};

/// Returns the windows of the host copies among the steps of an entry of a
/// verified program; empty ones for all other steps.
std::vector<CopyWindow> hostCopyWindows(const fb::Program &program,
                                        const fb::Entry &entry);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_COLLECTIVEWINDOWS_H
