//===- CudaDriverOpen.cpp - Find a GPU and describe it --------------------===//
#include "CudaDriver.h"
#include "Versions.h"
#include "reprise/Runtime/Expect.h"

#include <nlohmann/json.hpp>

namespace reprise::rt::cuda {

static Status unavailable(const std::string &what,
                          const char *file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  return Status::error(RP_UNAVAILABLE,
                       what + "; compile the model for the processor (--target "
                              "cpu:native without --device)",
                       file, line);
}

Expected<std::unique_ptr<Driver>> CudaDriver::open(unsigned which) {
  REPRISE_EXPECT(library, cudaFunctions());
  const CudaFunctions &cuda = **library;
  int count = 0;
  CUresult result = cuda.cuInit(0);
  if (result == CUDA_SUCCESS)
    result = cuda.cuDeviceGetCount(&count);
  if (result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && count == 0))
    return unavailable("no GPU: the NVIDIA driver is installed and finds none");
  if (result != CUDA_SUCCESS)
    return unavailable("no GPU: the NVIDIA driver does not start: cuInit: " +
                       cuda.text(result));
  if (which >= unsigned(count))
    return unavailable("no GPU of number " + std::to_string(which) +
                       ": there are " + std::to_string(count) +
                       ", counted from 0");
  CUdevice device = 0;
  CUcontext context = nullptr;
  REPRISE_RETURN_IF_ERROR(
      cuda.check(cuda.cuDeviceGet(&device, int(which)), "cuDeviceGet"));
  result = cuda.cuDevicePrimaryCtxRetain(&context, device);
  if (result != CUDA_SUCCESS)
    return unavailable(
        "GPU " + std::to_string(which) +
        " cannot be used: cuDevicePrimaryCtxRetain: " + cuda.text(result));
  return std::unique_ptr<Driver>(new CudaDriver(cuda, device, context));
}

Expected<std::unique_ptr<Driver>> openCudaDriver(unsigned which) {
  return CudaDriver::open(which);
}

Status CudaDriver::read(CUdevice_attribute attribute, int &value) {
  return check(cuda.cuDeviceGetAttribute(&value, attribute, device),
               "cuDeviceGetAttribute");
}

/// cuDNN's names of CUDA's attributes.
static const struct {
  const char *name;
  CUdevice_attribute attribute;
} kProperties[] = {
    {"regsPerBlock", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
    {"multiProcessorCount", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {"warpSize", CU_DEVICE_ATTRIBUTE_WARP_SIZE},
    {"maxSharedMemoryPerBlock",
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK},
    {"maxSharedMemoryPerBlockOptin",
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
    {"reservedSharedMemoryPerBlock",
     CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK},
    {"maxRegistersPerSM", CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
    {"maxCtasPerSM", CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
    {"maxThreadsPerBlock", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
    {"maxThreadsPerSM", CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
    {"pciDeviceId", CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID},
    {"isTccDriver", CU_DEVICE_ATTRIBUTE_TCC_DRIVER},
    {"supportCoopLaunch", CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
    {"smClockRateKHz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    {"memClockRateKHz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
    {"l2CacheSize", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
};

/// Attributes of x, y and z, which follow each other.
static const struct {
  const char *name;
  CUdevice_attribute attributes[3];
} kExtents[] = {
    {"maxGridSize",
     {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
      CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z}},
    {"maxBlockSize",
     {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
      CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z}},
};

Expected<std::string> CudaDriver::properties(const DeviceFacts &facts) {
  nlohmann::ordered_json object;
  for (const auto &extent : kExtents)
    for (CUdevice_attribute attribute : extent.attributes) {
      int value = 0;
      REPRISE_RETURN_IF_ERROR(read(attribute, value));
      object[extent.name].push_back(value);
    }
  for (const auto &property : kProperties) {
    int value = 0;
    REPRISE_RETURN_IF_ERROR(read(property.attribute, value));
    object[property.name] = value;
  }
  int major = 0, minor = 0, driverVersion = 0;
  REPRISE_RETURN_IF_ERROR(
      read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major));
  REPRISE_RETURN_IF_ERROR(
      read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor));
  REPRISE_RETURN_IF_ERROR(
      check(cuda.cuDriverGetVersion(&driverVersion), "cuDriverGetVersion"));
  object["totalGlobalMem"] = facts.totalBytes;
  object["cudaDeviceId"] = device;
  object["deviceVer"] = major * 100 + minor * 10;
  object["driverVer"] = driverVersion;
  object["deviceName"] = facts.name;
  return object.dump(-1, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace);
}

Expected<DeviceFacts> CudaDriver::facts() {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  DeviceFacts facts;
  char name[256] = "";
  REPRISE_RETURN_IF_ERROR(check(
      cuda.cuDeviceGetName(name, int(sizeof name), device), "cuDeviceGetName"));
  facts.name = name;
  int major = 0, minor = 0;
  REPRISE_RETURN_IF_ERROR(
      read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major));
  REPRISE_RETURN_IF_ERROR(
      read(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor));
  facts.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
  std::string dnn = cudnnVersion(), blas = cublasLtVersion();
  facts.libraries = dnn + (dnn.empty() || blas.empty() ? "" : ", ") + blas;
  size_t free = 0, total = 0, all = 0;
  REPRISE_RETURN_IF_ERROR(
      check(cuda.cuMemGetInfo(&free, &total), "cuMemGetInfo"));
  REPRISE_RETURN_IF_ERROR(
      check(cuda.cuDeviceTotalMem(&all, device), "cuDeviceTotalMem"));
  facts.freeBytes = free;
  facts.totalBytes = all;
  REPRISE_EXPECT(json, properties(facts));
  facts.properties = *json;
  return facts;
}

} // namespace reprise::rt::cuda
