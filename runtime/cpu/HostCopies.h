//===- HostCopies.h - Copies to another part of memory ----------*- C++ -*-===//
//
// A GPU copies over a link to the host. The CPU copies to a mapping of its own,
// on which no step computes, and uses a thread that runs beside the steps.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_HOSTCOPIES_H
#define REPRISE_RUNTIME_CPU_HOSTCOPIES_H

#include "Arena.h"
#include "CallThread.h"
#include <cstring>

namespace reprise::rt {

/// The memory that the programs of a session offload to, and the thread that
/// copies.
class HostCopies {
public:
  /// Provides at least so many bytes for programs that are prepared later;
  /// earlier ones keep theirs. Fails with RP_OUT_OF_MEMORY.
  Status prepare(uint64_t bytes);
  /// The memory of a program that is being prepared.
  uint8_t *data() const { return memories.back().data(); }

  uint64_t start(CallThread::Call copy, void *context) {
    return thread->start(copy, context);
  }
  /// Waits for a copy that was started, or for all of them.
  Status await(uint64_t number) { return thread->await(number); }
  Status awaitAll() { return thread ? thread->awaitAll() : Status(); }

private:
  std::vector<Arena> memories; // the last one is the largest
  std::unique_ptr<CallThread> thread;
};

/// One copy of a program's step.
struct HostCopy {
  void *target = nullptr;
  const void *source = nullptr;
  uint64_t bytes = 0;
  static Status make(void *self, Team &) {
    auto &copy = *static_cast<HostCopy *>(self);
    return copy.timed.run([&] {
      std::memcpy(copy.target, copy.source, copy.bytes);
      return Status();
    });
  }
  TimedCall timed = {};
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_HOSTCOPIES_H
