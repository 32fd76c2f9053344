//===- CudnnExecution.h - Run cuDNN's plans ---------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDNNEXECUTION_H
#define REPRISE_RUNTIME_CUDA_CUDNNEXECUTION_H

#include "CudnnPlan.h"

struct CUstream_st; // CUDA's stream points to one

namespace reprise::rt::cuda {

/// cuDNN on the device whose context is current.
class CudnnExecution {
public:
  static Expected<std::unique_ptr<CudnnExecution>> open();
  ~CudnnExecution();
  CudnnExecution(const CudnnExecution &) = delete;
  CudnnExecution &operator=(const CudnnExecution &) = delete;

  CudnnDevice device() const { return {nullptr, handle}; }
  /// `operands`: the call's addresses. Asynchronous.
  Status run(CUstream_st *stream, const CudnnPlan &plan,
             const std::vector<uint64_t> &operands, uint64_t workspace);

private:
  explicit CudnnExecution(cudnnContext *handle) : handle(handle) {}
  cudnnContext *handle;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDNNEXECUTION_H
