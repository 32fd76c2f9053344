//===- ConformanceMain.cpp - The suite of devices on a GPU ----------------===//
//
// conformance_on_cuda runs it on a driver whose kernels run on the simulator;
// with --on-gpu on the GPU that is here, by the library of the device "cuda",
// and says so where there is none; with --record FOLDER GPU on the simulator,
// and compiles its kernels for that GPU too (h100, or a file that describes
// one), to files for gpu_conformance.
//
// The tests of test/runtime/conformance. What the simulator notes in a test
// fails it. Simulated kernels reach memory that they were not given, as on a
// GPU: that they are found out is what some of the tests are about.
//
//===----------------------------------------------------------------------===//
#include "CudaForm.h"
#include "GpuForm.h"
#include "SimulatedTarget.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace reprise;

namespace {
class ProblemListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo &) override {
    gpu_test::simulatedGpu() = {};
    gpu_test::simulatedGpu().reachesAllMemory = true;
  }
  void OnTestEnd(const testing::TestInfo &) override {
    for (const std::string &problem : gpu_test::simulatedGpu().problems)
      ADD_FAILURE() << problem;
  }
};
} // namespace

/// A file's, or one that the library has.
static rt::Expected<rt::cuda::DeviceDescription>
describedBy(const std::string &name) {
  std::ifstream in(name);
  if (!in)
    return rt::cuda::describe(name);
  return rt::cuda::readDescription({std::istreambuf_iterator<char>(in), {}});
}

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  bool onGpu = argc > 1 && argv[1] == std::string("--on-gpu");
  if (onGpu) {
    auto description = gpu_test::describeGpuHere();
    if (!description.ok())
      return gpu_test::skipSuite(description.status());
    gpu_test::buildForGpu(std::move(*description));
    return RUN_ALL_TESTS();
  }
  if (argc > 3 && argv[1] == std::string("--record")) {
    auto description = describedBy(argv[3]);
    if (!description.ok()) {
      std::fprintf(stderr, "error: %s\n",
                   description.status().message().c_str());
      return 1;
    }
    gpu_test::recordCode(argv[2], std::move(*description));
  }
  gpu_test::registerSimulatedGpu();
  auto &listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new ProblemListener); // owned
  return RUN_ALL_TESTS();
}
