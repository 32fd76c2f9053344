//===- CudnnDescriptor.cpp - Objects of cuDNN's backend -------------------===//
#include "CudnnDescriptor.h"

namespace reprise::rt::cuda {

CudnnDescriptor::CudnnDescriptor(const CudnnFunctions &library,
                                 cudnnBackendDescriptorType_t type)
    : functions(&library) {
  failure =
      library.check(library.cudnnBackendCreateDescriptor(type, &descriptor),
                    "cudnnBackendCreateDescriptor");
}

CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor)
    functions->cudnnBackendDestroyDescriptor(descriptor);
}

CudnnDescriptor &CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                                      cudnnBackendAttributeType_t type,
                                      int64_t count, const void *values) {
  if (failure.ok())
    failure = functions->check(functions->cudnnBackendSetAttribute(
                                   descriptor, name, type, count, values),
                               "cudnnBackendSetAttribute");
  return *this;
}

CudnnDescriptor &CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                                      int64_t value) {
  return set(name, CUDNN_TYPE_INT64, 1, &value);
}

CudnnDescriptor &CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                                      const CudnnDescriptor &value) {
  if (failure.ok())
    failure = value.status();
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor);
}

CudnnDescriptor &CudnnDescriptor::setFloat(cudnnBackendAttributeName_t name,
                                           float value) {
  return set(name, CUDNN_TYPE_FLOAT, 1, &value);
}

Status CudnnDescriptor::finalize() {
  if (failure.ok())
    failure = functions->check(functions->cudnnBackendFinalize(descriptor),
                               "cudnnBackendFinalize");
  return failure;
}

Status CudnnDescriptor::get(cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, int64_t room,
                            int64_t &count, void *values) const {
  return functions->check(functions->cudnnBackendGetAttribute(
                              descriptor, name, type, room, &count, values),
                          "cudnnBackendGetAttribute");
}

Expected<int64_t>
CudnnDescriptor::number(cudnnBackendAttributeName_t name) const {
  int64_t value = 0, count = 0;
  REPRISE_RETURN_IF_ERROR(get(name, CUDNN_TYPE_INT64, 1, count, &value));
  return value;
}

Expected<std::string>
CudnnDescriptor::text(cudnnBackendAttributeName_t name) const {
  int64_t size = 0;
  REPRISE_RETURN_IF_ERROR(get(name, CUDNN_TYPE_CHAR, 0, size, nullptr));
  std::string result(size, '\0');
  REPRISE_RETURN_IF_ERROR(
      get(name, CUDNN_TYPE_CHAR, size, size, result.data()));
  return std::string(result.c_str()); // without the zero at its end
}

Expected<std::vector<std::shared_ptr<CudnnDescriptor>>>
CudnnDescriptor::list(cudnnBackendAttributeName_t name,
                      cudnnBackendDescriptorType_t type,
                      std::optional<int64_t> limit) const {
  int64_t room = limit.value_or(0), count = 0;
  if (!limit)
    REPRISE_RETURN_IF_ERROR(
        get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, room, nullptr));
  // cuDNN fills existing descriptors.
  std::vector<std::shared_ptr<CudnnDescriptor>> result;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (int64_t i = 0; i < room; ++i) {
    result.push_back(std::make_shared<CudnnDescriptor>(*functions, type));
    REPRISE_RETURN_IF_ERROR(result.back()->status());
    raw.push_back(result.back()->descriptor);
  }
  if (room == 0)
    return result;
  REPRISE_RETURN_IF_ERROR(
      get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, room, count, raw.data()));
  if (count < room)
    result.resize(count);
  return result;
}

} // namespace reprise::rt::cuda
