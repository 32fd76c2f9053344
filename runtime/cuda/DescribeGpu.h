//===- DescribeGpu.h - A description of this machine's GPU ------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_DESCRIBEGPU_H
#define REPRISE_RUNTIME_CUDA_DESCRIBEGPU_H

#include "Driver.h"
#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::rt::cuda {

/// The work by which rates are measured.
struct MeasuredWork {
  uint64_t copiedBytes = 256 << 20;
  /// Rows and columns of each matrix of a product.
  int64_t matrix = 4096;
  unsigned repeats = 20;
  /// Bytes written before each run of a call: more than a GPU's cache.
  uint64_t cacheBytes = 128 << 20;
  unsigned callRepeats = 4;
  /// A call with a larger workspace is not the best one, unless it is the only
  /// one.
  uint64_t workspaceCap = 256 << 20;
};

/// Describes the GPU of a driver that is not frozen, in the form that targets
/// read: properties from the driver, rates measured by copies and products.
/// Allocates from the driver. Fails if a product cannot run.
Expected<DeviceDescription> describeGpu(Driver &driver,
                                        const MeasuredWork &work = {});

/// Returns the key of the library's description of such a device, by its name
/// or else by its architecture; "" if there is none.
std::string describedKey(const DeviceFacts &facts);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_DESCRIBEGPU_H
