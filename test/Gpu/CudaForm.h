//===- CudaForm.h - Programs by hand for a GPU ------------------*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_CUDAFORM_H
#define REPRISE_TEST_GPU_CUDAFORM_H

#include "reprise/Runtime/Cuda/Cuda.h"

namespace reprise::gpu_test {

/// From here on programs by hand are for the GPU of this description, which is
/// here, and not for the simulated one. Before the first of them.
void buildForGpu(rt::cuda::DeviceDescription description);

/// From here on the code of programs by hand is also compiled for the GPU of
/// this description, to files that gpu_conformance reads.
void recordCode(const std::string &folder,
                rt::cuda::DeviceDescription description);

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_CUDAFORM_H
