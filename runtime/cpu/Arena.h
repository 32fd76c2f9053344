//===- Arena.h - The one piece of tensor memory -----------------*- C++ -*-===//
//
// All tensors of a program lie in one mapping, zeroed and touched when it is
// made: the first touch of a page costs more than ten passes over it later.
// An inaccessible page follows, so that an overrun faults at once.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_ARENA_H
#define REPRISE_RUNTIME_CPU_ARENA_H

#include "reprise/Runtime/Status.h"
#include <cstdint>

namespace reprise::rt {

class Arena {
public:
  /// Fails with RP_OUT_OF_MEMORY when the machine has less memory available.
  static Expected<Arena> allocate(uint64_t bytes);
  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&) = delete;
  ~Arena();

  uint8_t *data() const { return base; }
  uint64_t bytes() const { return size; }

private:
  Arena(uint8_t *base, uint64_t size, uint64_t mapped)
      : base(base), size(size), mapped(mapped) {}
  uint8_t *base;
  uint64_t size, mapped;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_ARENA_H
