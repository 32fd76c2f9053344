//===- MeasureCalls.h - Library calls timed on a GPU ------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_MEASURECALLS_H
#define REPRISE_RUNTIME_CUDA_MEASURECALLS_H

#include "DescribeGpu.h"
#include "reprise/Runtime/Device.h"

namespace reprise::rt::cuda {

/// Times each distinct library call of verified programs with all
/// implementations of the driver's libraries, each after the cache has been
/// emptied, and adds the best to `description.calls`. Of implementations within
/// 2% of the fastest, the one with the smallest workspace is the best. Fails
/// with RP_INCOMPATIBLE on programs for another device. Allocates from the
/// driver, which must not be frozen.
Status measureCalls(Driver &driver,
                    const std::vector<const fb::Program *> &programs,
                    const MeasuredWork &work, DeviceDescription &description);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_MEASURECALLS_H
