//===- OutOfMemory.cpp - End a process that is out of memory --------------===//

#include "OutOfMemory.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/CompilerHeap.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace reprise;

void driver::die(const char *message) {
  // Written without stdio, which may allocate.
  for (const char *part : {"error: ", message, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0)
      break;
  ::_exit(kFailure);
}

// Sanitizers have their own malloc() and no limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" {
void *__libc_malloc(size_t bytes);

/// Replaces the C library's malloc in the whole process.
void *malloc(size_t bytes) {
  void *memory = __libc_malloc(bytes);
  if (!memory && driver::CompilerHeap::isInUse())
    driver::die(driver::kOutOfMemory);
  return memory;
}
}
#endif
