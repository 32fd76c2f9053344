//===- resident_memory.cpp - What training adds to a process --------------===//
//
//   resident_memory ARTIFACT
//
// Trains three steps on synthetic images and prints by how many bytes the
// largest resident size of this process exceeds what it had before. It links
// the runtime alone, so that nothing a compiler freed is used again unseen.
//
//===----------------------------------------------------------------------===//

#include "reprise/Runtime/Trainer/Trainer.h"
#include <cstdio>
#include <fstream>
#include <string>

using namespace reprise;

/// Bytes of a line of /proc/self/status that is in kB; 0 if it is not there.
static size_t statusBytes(const std::string &key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == key + ":") {
      size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

static int fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fail("usage: resident_memory ARTIFACT");
  size_t before = statusBytes("VmRSS");
  rp_program *program = nullptr;
  rt::Status opened = rt::takeStatus(rp_program_open(argv[1], &program));
  if (!opened.ok())
    return fail(opened.message());
  {
    auto backend = rt::openSessionBackend(program, {"cpu", 0, 0, 0});
    if (!backend.ok())
      return fail(backend.status().message());
    rt::TrainOptions options;
    options.data.source = "synthetic";
    options.data.syntheticSize = 64;
    options.steps = 3;
    auto trained = rt::train(**backend, options);
    if (!trained.ok())
      return fail(trained.status().message());
  }
  size_t peak = statusBytes("VmHWM");
  rp_program_close(program);
  if (before == 0 || peak < before)
    return fail("/proc/self/status has no resident size");
  std::printf("%zu\n", peak - before);
  return 0;
}
