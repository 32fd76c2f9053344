//===- HostCode.cpp - Kernels as machine code of this processor -----------===//

#include "HostCode.h"
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

std::unique_ptr<Target> test::targetOf(StringRef text) {
  registerAllTargets();
  rt::Expected<std::unique_ptr<Target>> target =
      createTarget(TargetName::parse(text), 2);
  EXPECT_TRUE(target.ok()) << target.status().message();
  return target.ok() ? std::move(*target) : nullptr;
}

FailureOr<std::vector<uint8_t>>
test::compileForHost(ArrayRef<KernelSource> kernels) {
  const char *target = std::getenv("REPRISE_TEST_TARGET");
  return targetOf(target ? target : "cpu:native")->compileKernels(kernels);
}

LoadedCode::LoadedCode(const std::vector<uint8_t> &image) {
  fd = memfd_create("kernels", MFD_CLOEXEC);
  size_t written = 0;
  while (written < image.size()) {
    ssize_t n = write(fd, image.data() + written, image.size() - written);
    if (n <= 0)
      return;
    written += n;
  }
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(handle, nullptr) << dlerror();
}

LoadedCode::~LoadedCode() {
  if (handle)
    dlclose(handle);
  close(fd);
}

KernelFunction LoadedCode::find(const std::string &symbol) const {
  void *address = handle ? dlsym(handle, symbol.c_str()) : nullptr;
  return reinterpret_cast<KernelFunction>(address);
}
