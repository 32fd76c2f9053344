//===- Versions.h - Versions of the libraries -------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_VERSIONS_H
#define REPRISE_RUNTIME_CUDA_VERSIONS_H

#include <string>

namespace reprise::rt::cuda {

/// Returns "cuDNN 9.19.0", or "cuBLASLt 13.1.0", or "" if it is not found.
std::string cudnnVersion();
std::string cublasLtVersion();

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_VERSIONS_H
