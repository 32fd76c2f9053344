//===- HostMachine.cpp - Kernels on this processor ------------------------===//

#include "HostCode.h"
#include "KernelMachine.h"
#include "reprise/Codegen/Kernels.h"
#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

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
