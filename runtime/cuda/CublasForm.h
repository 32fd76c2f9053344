//===- CublasForm.h - Names and space of cuBLASLt's products ----*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUBLASFORM_H
#define REPRISE_RUNTIME_CUDA_CUBLASFORM_H

#include <cstdint>

namespace reprise::rt::cuda {

/// The workspace of products, for partial sums. cuBLASLt cannot plan without a
/// device: it chooses an algorithm that fits this when an artifact is loaded.
/// NVIDIA advises 32 MiB for Hopper.
constexpr uint64_t kCublasWorkspaceBytes = uint64_t(32) << 20;
/// The alignment of cuBLASLt's workspace. A call's workspace is larger by this,
/// so that it contains an aligned one wherever it is placed.
constexpr uint64_t kCublasWorkspaceAlignment = 256;
constexpr uint64_t kCublasPlannedBytes =
    kCublasWorkspaceBytes + kCublasWorkspaceAlignment;

constexpr const char *kCublasName = "cublaslt";
/// The name for operands of f32 rounded to TF32.
constexpr const char *kCublasTf32Name = "cublaslt tf32";

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUBLASFORM_H
