//===- Arena.h - The arena of a program -------------------------*- C++ -*-===//
//
// All tensors of a program are in one mapping, zeroed and touched when it is
// created: the first touch of a page costs more than ten passes over it later.
// An inaccessible page follows, so that an overrun faults at once; with guards
// another one precedes:
//
//   none | guard | arena | guard | rest of the page | none
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_ARENA_H
#define REPRISE_RUNTIME_CPU_ARENA_H

#include "reprise/Runtime/Status.h"
#include <cstdint>

namespace reprise::rt {

class Arena {
public:
  /// Allocates the arena with `guardBytes` accessible on either side, a
  /// multiple of 64. Fails with RP_OUT_OF_MEMORY if the machine has less memory
  /// available.
  static Expected<Arena> allocate(uint64_t bytes, uint64_t guardBytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&) = delete;
  ~Arena();

  uint8_t *data() const { return start; }
  uint64_t bytes() const { return size; }
  uint64_t guardBytes() const { return guard; }

private:
  Arena(uint8_t *base, uint64_t mapped) : base(base), mapped(mapped) {}
  uint8_t *base; // of the mapping
  uint64_t mapped;
  uint8_t *start = nullptr;
  uint64_t size = 0, guard = 0;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_ARENA_H
