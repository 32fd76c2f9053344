//===- DescribeGpu.h - A description of the GPU at hand ---------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_DESCRIBEGPU_H
#define REPRISE_RUNTIME_CUDA_DESCRIBEGPU_H

#include "Driver.h"
#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::rt::cuda {

/// What rates are measured with.
struct MeasuredWork {
  uint64_t copiedBytes = 256 << 20;
  /// Rows and columns of each matrix of a product.
  int64_t matrix = 4096;
  unsigned repeats = 20;
  /// What is written before each run of a call: more than a GPU's cache.
  uint64_t cacheBytes = 128 << 20;
  unsigned callRepeats = 4;
  /// A call that takes more is not the best one, unless it is the only one.
  uint64_t workspaceCap = 256 << 20;
};

/// The GPU of a driver that is not frozen, in the form that targets read: its
/// properties as the driver tells them, rates as measured by copies and
/// products. Takes memory of the driver. Fails where a product cannot run.
Expected<DeviceDescription> describeGpu(Driver &driver,
                                        const MeasuredWork &work = {});

/// The key of the description that the library has of such a device, by its
/// name and else by its architecture; "" where there is none.
std::string describedKey(const DeviceFacts &facts);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_DESCRIBEGPU_H
