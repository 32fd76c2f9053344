//===- WaitWord.h - A number that threads wait for --------------*- C++ -*-===//
//
// Waiting spins for some microseconds and then sleeps until the number changes.
// The spin is as long as it takes to sleep and be woken: waits within a step
// are mostly shorter, and a longer one frees the processor for other threads,
// perhaps the very one that is waited for.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_WAITWORD_H
#define REPRISE_RUNTIME_CPU_WAITWORD_H

#include <atomic>
#include <cstdint>

namespace reprise::rt {

/// On a cache line of its own, so that spinning does not slow other memory.
class alignas(64) WaitWord {
public:
  uint32_t value() const { return word.load(std::memory_order_acquire); }
  /// Increments the number and wakes all waiting threads. Earlier writes are
  /// visible to them.
  void advance();
  /// Returns once the number is no longer `old`.
  void waitWhile(uint32_t old);

private:
  std::atomic<uint32_t> word{0}, sleepers{0};
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_WAITWORD_H
