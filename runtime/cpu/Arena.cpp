//===- Arena.cpp - The arena of a program ---------------------------------===//
//
// The mapping is page aligned and requests huge pages, which cut the cost of
// the first touch and of address translation; only whole huge pages inside the
// mapping are used, so resident memory does not exceed the arena.
//
//===----------------------------------------------------------------------===//
#include "Arena.h"
#include "reprise/Runtime/HostMemory.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace reprise::rt {

static Status outOfMemory(uint64_t bytes, const MemoryLimit &limit,
                          const char *file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  std::string message =
      "the arena takes " + std::to_string(bytes) + " bytes of memory";
  if (limit.left < UINT64_MAX)
    message += ", " + std::to_string(limit.left) + " bytes of " + limit.name +
               " are left";
  return Status::error(RP_OUT_OF_MEMORY,
                       message + "; compile with a smaller batch, with "
                                 "checkpointing or with a budget",
                       file, line);
}

Expected<Arena> Arena::allocate(uint64_t bytes, uint64_t guardBytes) {
  uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  auto wholePages = [page](uint64_t n) { return (n + page - 1) / page * page; };
  uint64_t before = wholePages(guardBytes);
  uint64_t usable = before + wholePages(bytes + guardBytes);
  // Without guards the arena begins where the mapping does, which the system
  // may have aligned for huge pages.
  uint64_t lead = guardBytes ? page : 0;
  uint64_t mapped = lead + usable + page;
  // Checked before touching: the kernel would grant the mapping and kill the
  // process later.
  MemoryLimit limit = tightestMemoryLimit();
  if (usable > limit.left)
    return outOfMemory(bytes, limit);
  void *memory = ::mmap(nullptr, mapped, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return outOfMemory(bytes, limit);
  Arena arena(static_cast<uint8_t *>(memory), mapped);
  uint8_t *first = arena.base + lead;
  arena.start = first + before;
  arena.size = bytes;
  arena.guard = guardBytes;
  if (usable && ::mprotect(first, usable, PROT_READ | PROT_WRITE))
    return outOfMemory(bytes, limit);
  if (usable) {
    // Only a hint: everything works without huge pages, a little slower.
    (void)::madvise(first, usable, MADV_HUGEPAGE);
    std::memset(first, 0, usable);
  }
  return arena;
}

Arena::Arena(Arena &&other) noexcept
    : base(std::exchange(other.base, nullptr)), mapped(other.mapped),
      start(other.start), size(other.size), guard(other.guard) {}

Arena::~Arena() {
  if (base)
    ::munmap(base, mapped);
}

} // namespace reprise::rt
