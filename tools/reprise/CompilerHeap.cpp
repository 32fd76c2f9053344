//===- CompilerHeap.cpp - Out of memory while compiling -------------------===//

#include "CompilerHeap.h"
#include "Console.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace reprise;

static std::atomic<int> compilers = 0;

void tools::die(const char *message) {
  // Written without stdio, which may allocate.
  for (const char *part : {"error: ", message, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0)
      break;
  ::_exit(kFailure);
}

tools::CompilerHeap::CompilerHeap() { ++compilers; }
tools::CompilerHeap::~CompilerHeap() { --compilers; }

// Sanitizers have their own malloc() and no limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void *__libc_malloc(size_t bytes);

/// Replaces the C library's malloc in the whole process.
void *malloc(size_t bytes) {
  void *memory = __libc_malloc(bytes);
  if (!memory && compilers.load(std::memory_order_relaxed) > 0)
    tools::die(tools::kOutOfMemory);
  return memory;
}
}
#endif
