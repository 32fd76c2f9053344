//===- Residency.cpp - Physical memory of the process ---------------------===//
//
// Second field of /proc/self/statm, in pages. Read without allocation.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <fcntl.h>
#include <unistd.h>

size_t reprise::rt::residentBytes() {
  FileDescriptor file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[128];
  ssize_t n = file.get() < 0 ? -1 : ::read(file.get(), text, sizeof text);
  ssize_t at = 0;
  while (at < n && text[at] != ' ')
    ++at;
  size_t pages = 0;
  for (++at; at < n && text[at] >= '0' && text[at] <= '9'; ++at)
    pages = pages * 10 + size_t(text[at] - '0');
  return pages * size_t(::sysconf(_SC_PAGESIZE));
}
