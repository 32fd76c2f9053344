//===- HostCopies.cpp - Copies to another part of memory ------------------===//
#include "HostCopies.h"
#include "reprise/Runtime/Expect.h"

namespace reprise::rt {

Status HostCopies::prepare(uint64_t bytes) {
  bool suffices =
      bytes == 0 || (!memories.empty() && memories.back().bytes() >= bytes);
  if (suffices)
    return {};
  REPRISE_EXPECT(memory, Arena::allocate(bytes, 0));
  memories.push_back(std::move(*memory));
  if (thread)
    return {};
  REPRISE_EXPECT(made, CallThread::create());
  thread = std::move(*made);
  return {};
}

} // namespace reprise::rt
