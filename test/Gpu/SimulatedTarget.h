//===- SimulatedTarget.h - A GPU that is simulated --------------*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_SIMULATEDTARGET_H
#define REPRISE_TEST_GPU_SIMULATEDTARGET_H

#include "../../lib/Target/Cuda/CudaTarget.h"
#include "FakeDriver.h"

namespace reprise::gpu_test {

/// The GPU that programs of this process run on.
FakeGpu &simulatedGpu();

/// The target of it: the real one but for the form of code and the plans of
/// library calls, so that no part of the CUDA toolkit is needed.
std::unique_ptr<CudaTarget> createSimulatedTarget();

/// Makes target and device "cuda" those of the simulated GPU.
void registerSimulatedGpu();

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_SIMULATEDTARGET_H
