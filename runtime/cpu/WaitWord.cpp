//===- WaitWord.cpp - A number that threads wait for ----------------------===//

#include "WaitWord.h"

#include <chrono>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace reprise::rt {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
                  std::atomic<uint32_t>::is_always_lock_free,
              "the kernel sleeps on the bare number");

static void futex(std::atomic<uint32_t> &word, int operation, uint32_t value) {
  ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr,
            nullptr, 0);
}

/// Hints to the processor that this thread only waits.
static void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void WaitWord::advance() {
  // Sequentially consistent, like the sleeper's two accesses: either it sees
  // the new number, or its sleep is seen here.
  word.fetch_add(1);
  if (sleepers.load() != 0)
    futex(word, FUTEX_WAKE, INT_MAX);
}

void WaitWord::waitWhile(uint32_t old) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kSpin(100);
  constexpr int kLooksPerReading = 16; // reading the clock takes about one
  Clock::time_point end = Clock::now() + kSpin;
  do {
    for (int look = 0; look < kLooksPerReading; ++look) {
      if (value() != old)
        return;
      relax();
    }
  } while (Clock::now() < end);
  sleepers.fetch_add(1);
  while (word.load() == old)
    futex(word, FUTEX_WAIT, old);
  sleepers.fetch_sub(1);
}

} // namespace reprise::rt
