//===- GpuForm.h - Programs by hand for GPUs --------------------*- C++ -*-===//
//
// What such programs have in common, whether their kernels are compiled now or
// were compiled and recorded on another machine. Nothing of MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_GPUFORM_H
#define REPRISE_TEST_GPU_GPUFORM_H

#include "../runtime/conformance/DeviceForm.h"
#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::gpu_test {

/// The GPU that is here, as the device "cuda" describes it.
rt::Expected<rt::cuda::DeviceDescription> describeGpuHere();

/// The exit status where that failed, which it says: what is here and does not
/// work is no reason to skip.
int skipSuite(const rt::Status &status);

class GpuForm : public test::DeviceForm {
public:
  std::string device() const override { return "cuda"; }
  void describe(rt::fb::ProgramT &program) const override;
  std::string symbol(const test::HandKernel &kernel) const override;
  uint64_t grains(const test::HandKernel &kernel) const override {
    return (kernel.elements + kThreads - 1) / kThreads;
  }
  bool hasAttention() const override { return false; }
  uint32_t otherAlignment() const override { return 512; }
  std::vector<test::Foreign> foreign() const override;

protected:
  static constexpr uint64_t kThreads = 64;
  virtual std::string features() const = 0;
  virtual std::string library() const = 0;
  /// The name of a file with the code of these kernels.
  std::string recordOf(const std::vector<test::HandKernel> &kernels) const;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_GPUFORM_H
