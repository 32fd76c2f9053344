//===- RecordedConformance.cpp - The suite of devices without a compiler --===//
//
// gpu_conformance FOLDER runs it on the GPU that is here, by the library of the
// device "cuda", and says so where there is none.
//
// FOLDER: the code of the suite's kernels, as conformance_on_cuda --record made
// it on another machine. Library calls are planned for the device at hand.
//
//===----------------------------------------------------------------------===//
#include "GpuForm.h"
#include "reprise/Runtime/Cuda/Cuda.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace reprise;
using namespace reprise::test;

static std::string folder;
static rt::cuda::DeviceDescription gpu;

namespace {
class RecordedForm : public gpu_test::GpuForm {
public:
  std::vector<uint8_t>
  code(const std::vector<HandKernel> &kernels) const override {
    std::string path = folder + "/" + recordOf(kernels);
    std::ifstream in(path, std::ios::binary);
    if (!in)
      ADD_FAILURE() << path << " is not there";
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(in), {});
  }
  rt::Expected<rt::LibraryCallInfo> plan(const rt::LibraryCallDesc &desc,
                                         unsigned) const override {
    return rt::cuda::planCall(gpu, desc);
  }
  bool choosesByEpilogues() const override { return true; }

protected:
  std::string features() const override { return gpu.architecture; }
  std::string library() const override { return rt::cuda::libraryVersion(); }
};
} // namespace

const DeviceForm &test::deviceForm() {
  static const RecordedForm form;
  return form;
}

int main(int argc, char **argv) {
  testing::GTEST_FLAG(filter) = "Devices/*";
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: gpu_conformance FOLDER\n");
    return 2;
  }
  folder = argv[1];
  auto description = gpu_test::describeGpuHere();
  if (!description.ok())
    return gpu_test::skipSuite(description.status());
  gpu = std::move(*description);
  return RUN_ALL_TESTS();
}
