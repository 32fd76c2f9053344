//===- CudnnGraph.h - A convolution as cuDNN's operation graph --*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDNNGRAPH_H
#define REPRISE_RUNTIME_CUDA_CUDNNGRAPH_H

#include "CudnnDescriptor.h"
#include "CudnnPlan.h"

namespace reprise::rt::cuda {

using CudnnDescriptors = std::vector<std::shared_ptr<CudnnDescriptor>>;

/// Names of x, w and y in plans.
constexpr int64_t kTensorIds[] = {1, 2, 3};

/// Returns tensors and operation, and the graph as the last one. Fails with
/// RP_UNAVAILABLE if cuDNN has no such operation.
Expected<CudnnDescriptors> convolutionGraph(const CudnnFunctions &library,
                                            cudnnHandle_t handle,
                                            const ConvolutionForm &form);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDNNGRAPH_H
