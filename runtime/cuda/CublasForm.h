//===- CublasForm.h - Names and space of cuBLASLt's products ----*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUBLASFORM_H
#define REPRISE_RUNTIME_CUDA_CUBLASFORM_H

#include <cstdint>

namespace reprise::rt::cuda {

/// What products may take for partial sums. cuBLASLt cannot plan without a
/// device: it chooses an algorithm when an artifact is loaded, and whichever
/// fits into this. NVIDIA advises 32 MiB for Hopper.
constexpr uint64_t kCublasWorkspaceBytes = uint64_t(32) << 20;
/// Where cuBLASLt wants it to begin. A call's workspace is so much larger that
/// it holds one that does, wherever it lies itself.
constexpr uint64_t kCublasWorkspaceAlignment = 256;
constexpr uint64_t kCublasPlannedBytes =
    kCublasWorkspaceBytes + kCublasWorkspaceAlignment;

constexpr const char *kCublasName = "cublaslt";
/// With operands of f32 rounded to TF32.
constexpr const char *kCublasTf32Name = "cublaslt tf32";

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUBLASFORM_H
