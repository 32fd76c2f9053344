//===- HostKernels.cpp - Kernels as machine code of this processor --------===//

#include "HostKernels.h"
#include "KernelMachine.h"
#include "reprise/Codegen/Kernels.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

std::unique_ptr<Target> test::targetOf(StringRef text) {
  registerAllTargets();
  rt::Expected<std::unique_ptr<Target>> target = createTarget(text, 2);
  EXPECT_TRUE(target.ok()) << target.status().message();
  return target.ok() ? std::move(*target) : nullptr;
}

FailureOr<std::vector<uint8_t>>
test::compileForHost(ArrayRef<KernelSource> kernels) {
  return targetOf("cpu:native")->compileKernels(kernels);
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

namespace {
class Host : public KernelMachine {
public:
  Host(ArrayRef<KernelSource> kernels, const std::vector<uint8_t> &image)
      : code(image) {
    for (const KernelSource &kernel : kernels) {
      FailureOr<KernelTraits> traits = traitsOf(*kernel.body);
      EXPECT_TRUE(succeeded(traits)) << kernel.symbol;
      grains[kernel.symbol] = succeeded(traits) ? traits->grains : 0;
    }
  }

  bool has(const std::string &symbol) const override {
    return code.find(symbol) != nullptr;
  }
  std::vector<std::string> ways() const override {
    return {"in one call", "in two parts", "grain by grain"};
  }
  void run(const std::string &symbol, ArrayRef<KernelBuffer> buffers,
           size_t way) override {
    std::vector<void *> pointers;
    for (const KernelBuffer &buffer : buffers)
      pointers.push_back(buffer.data);
    int64_t count = grains.at(symbol);
    int64_t parts = way == 0 ? 1 : way == 1 ? 2 : count;
    KernelFunction function = code.find(symbol);
    for (int64_t part = parts; part-- > 0;)
      function(pointers.data(), count * part / parts,
               count * (part + 1) / parts);
  }

private:
  LoadedCode code;
  std::map<std::string, int64_t> grains;
};
} // namespace

FailureOr<KernelTraits> test::traitsOf(Block &body) {
  return analyzeKernel(body, KernelShape());
}

bool test::hasDoubleFunctions() { return true; }

std::unique_ptr<KernelMachine>
test::compileKernels(ArrayRef<KernelSource> kernels) {
  FailureOr<std::vector<uint8_t>> image = compileForHost(kernels);
  if (failed(image))
    return nullptr;
  return std::make_unique<Host>(kernels, *image);
}
