//===- ProcessStart.cpp - First call of every tool ------------------------===//
#include "reprise/Runtime/ProcessStart.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

static void reserveStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
      continue;
    // The lowest free descriptor is this one. O_PATH: neither read nor written.
    if (::open("/", O_PATH) != fd)
      ::_exit(1); // no message can be written either
  }
}

void reprise::rt::prepareProcess() {
  reserveStandardDescriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}
