//===- MeasureCalls.h - Library calls timed on a GPU ------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_MEASURECALLS_H
#define REPRISE_RUNTIME_CUDA_MEASURECALLS_H

#include "DescribeGpu.h"
#include "reprise/Runtime/Device.h"

namespace reprise::rt::cuda {

/// Times each distinct library call of verified programs in all ways that the
/// driver's libraries have for it, each after the cache has been emptied, and
/// adds the best to `description.calls`. Of ways within 2% of the fastest the
/// one with the smallest workspace is the best. Fails with RP_INCOMPATIBLE on
/// programs for another device. Takes memory of the driver,
/// which is not frozen.
Status measureCalls(Driver &driver,
                    const std::vector<const fb::Program *> &programs,
                    const MeasuredWork &work, DeviceDescription &description);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_MEASURECALLS_H
