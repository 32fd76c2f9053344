//===- CudnnDescriptor.h - Objects of cuDNN's backend -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDNNDESCRIPTOR_H
#define REPRISE_RUNTIME_CUDA_CUDNNDESCRIPTOR_H

#include "CudnnFunctions.h"
#include <memory>
#include <optional>

namespace reprise::rt::cuda {

/// Owns a descriptor. Keeps the first failure, ignores later settings, and
/// returns the failure from `finalize`.
class CudnnDescriptor {
public:
  CudnnDescriptor(const CudnnFunctions &library,
                  cudnnBackendDescriptorType_t type);
  ~CudnnDescriptor();
  CudnnDescriptor(const CudnnDescriptor &) = delete;
  CudnnDescriptor &operator=(const CudnnDescriptor &) = delete;

  CudnnDescriptor &set(cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type, int64_t count,
                       const void *values);
  CudnnDescriptor &set(cudnnBackendAttributeName_t name, int64_t value);
  CudnnDescriptor &set(cudnnBackendAttributeName_t name,
                       const CudnnDescriptor &value);
  /// Sets a float of the attribute's own type.
  CudnnDescriptor &setFloat(cudnnBackendAttributeName_t name, float value);
  Status finalize();

  const Status &status() const { return failure; }
  cudnnBackendDescriptor_t get() const { return descriptor; }
  const CudnnFunctions &library() const { return *functions; }

  // Reads a finalized descriptor.
  Expected<int64_t> number(cudnnBackendAttributeName_t name) const;
  Expected<std::string> text(cudnnBackendAttributeName_t name) const;
  /// Returns values of an enumeration; at most `limit`.
  template <typename Value>
  Expected<std::vector<Value>> values(cudnnBackendAttributeName_t name,
                                      cudnnBackendAttributeType_t type,
                                      int64_t limit) const {
    std::vector<Value> result(limit);
    int64_t count = 0;
    REPRISE_RETURN_IF_ERROR(get(name, type, limit, count, result.data()));
    result.resize(count < limit ? count : limit);
    return result;
  }
  /// Returns descriptors of a list, which are of one type. cuDNN does not
  /// report the length of some lists: `limit` bounds it.
  Expected<std::vector<std::shared_ptr<CudnnDescriptor>>>
  list(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
       std::optional<int64_t> limit = std::nullopt) const;

private:
  Status get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
             int64_t room, int64_t &count, void *values) const;

  const CudnnFunctions *functions;
  cudnnBackendDescriptor_t descriptor = nullptr;
  Status failure;
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDNNDESCRIPTOR_H
