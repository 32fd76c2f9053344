//===- FakeCuda.cpp - A libcuda.so.1 without a GPU ------------------------===//
//
// What CudaDriver calls of the driver's library, on memory of the host, for
// CudaDriverTest and CudaRanksTest. One GPU of 1 MiB. Work is done at once, or
// recorded while a stream is captured. Kernels are known by name: "store"
// writes its shape to its argument, "crash" makes every later call fail, and
// "reprise_add_parts_f32" and "..._f64" add the parts of ranks. Code is text
// that has the names of its kernels; "error" in it does not compile.
//
//===----------------------------------------------------------------------===//
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {
constexpr size_t kTotal = 1 << 20;

struct Module {
  std::string code;
};
struct Recorded {
  std::vector<std::function<void()>> work;
};

std::map<CUdeviceptr, size_t> memory;
size_t used = 0;
int live = 0; // objects that were made and not destroyed
CUresult broken = CUDA_SUCCESS;
Recorded *capture = nullptr;
CUstream captured = nullptr;
thread_local std::vector<CUcontext> contexts; // the last one is current
char theContext, theStore, theCrash, theAddF32, theAddF64;
bool isBusy = false;

const std::map<std::string, void *> kKernels = {
    {"store", &theStore},
    {"crash", &theCrash},
    {"reprise_add_parts_f32", &theAddF32},
    {"reprise_add_parts_f64", &theAddF64}};
} // namespace

/// What the test asks for.
extern "C" __attribute__((visibility("default"))) int fakeCudaLive() {
  return live;
}
extern "C" __attribute__((visibility("default"))) size_t fakeCudaContexts() {
  return contexts.size();
}
extern "C" __attribute__((visibility("default"))) void fakeCudaRepair() {
  broken = CUDA_SUCCESS;
}

/// Lets work that is waited for by queries never end.
extern "C" __attribute__((visibility("default"))) void fakeCudaBusy(bool busy) {
  isBusy = busy;
}

template <typename Handle> static Handle handleOf(void *object) {
  return reinterpret_cast<Handle>(object);
}

/// Of calls that need a context and a device that is not lost.
static CUresult ready() {
  return broken             ? broken
         : contexts.empty() ? CUDA_ERROR_INVALID_CONTEXT
                            : CUDA_SUCCESS;
}

static CUresult issue(CUstream stream, std::function<void()> work) {
  if (CUresult result = ready())
    return result;
  if (capture && stream == captured)
    capture->work.push_back(std::move(work));
  else
    work();
  return CUDA_SUCCESS;
}

template <typename Handle> static CUresult create(Handle *handle) {
  if (CUresult result = ready())
    return result;
  ++live;
  *handle = handleOf<Handle>(std::malloc(1));
  return CUDA_SUCCESS;
}

template <typename Handle> static CUresult destroy(Handle handle) {
  --live;
  std::free(handle);
  return CUDA_SUCCESS;
}

extern "C" {

CUresult CUDAAPI cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                              : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult CUDAAPI cuGetErrorString(CUresult, const char **text) {
  *text = "the fake's text";
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice) {
  std::strncpy(name, "Fake GPU", length);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                                      CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                       : 1024;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem(size_t *bytes, CUdevice) {
  *bytes = kTotal;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  ++live;
  *context = handleOf<CUcontext>(&theContext);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice) {
  --live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) {
  if (broken)
    return broken;
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context) {
  if (contexts.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetInfo(size_t *free, size_t *total) {
  *free = kTotal - used;
  *total = kTotal;
  return ready();
}
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  if (CUresult result = ready())
    return result;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > kTotal - used)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void *bytesOfHost = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = CUdeviceptr(reinterpret_cast<uintptr_t>(bytesOfHost));
  memory[*address] = bytes;
  used += bytes;
  ++live;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  auto it = memory.find(address);
  if (it == memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  used -= it->second;
  memory.erase(it);
  return destroy(reinterpret_cast<void *>(uintptr_t(address)));
}
CUresult CUDAAPI cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  if (CUresult result = ready())
    return result;
  ++live;
  *address = std::malloc(bytes);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFreeHost(void *address) { return destroy(address); }

CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from,
                                   size_t bytes, CUstream stream) {
  return issue(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(uintptr_t(to)),
                reinterpret_cast<void *>(uintptr_t(from)), bytes);
  });
}
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void *from,
                                   size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, CUdeviceptr(reinterpret_cast<uintptr_t>(from)),
                           bytes, stream);
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                                   CUstream stream) {
  return cuMemcpyDtoDAsync(CUdeviceptr(reinterpret_cast<uintptr_t>(to)), from,
                           bytes, stream);
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char byte,
                                 size_t count, CUstream stream) {
  return issue(stream, [=] {
    std::memset(reinterpret_cast<void *>(uintptr_t(to)), byte, count);
  });
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image,
                                    unsigned count, CUjit_option *options,
                                    void **values) {
  if (CUresult result = ready())
    return result;
  auto *made = new Module{static_cast<const char *>(image)};
  if (made->code.find("error") == std::string::npos) {
    ++live;
    *module = handleOf<CUmodule>(made);
    return CUDA_SUCCESS;
  }
  delete made;
  bool hasLog = count == 2 && options[0] == CU_JIT_ERROR_LOG_BUFFER &&
                options[1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
  if (hasLog)
    std::strncpy(static_cast<char *>(values[0]), "line 1: not an instruction",
                 reinterpret_cast<size_t>(values[1]));
  return CUDA_ERROR_INVALID_PTX;
}
CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  --live;
  delete reinterpret_cast<Module *>(module);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module,
                                     const char *name) {
  std::string wanted = name;
  bool isThere = reinterpret_cast<Module *>(module)->code.find(wanted) !=
                 std::string::npos;
  auto known = kKernels.find(wanted);
  if (!isThere || known == kKernels.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = handleOf<CUfunction>(known->second);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncLoad(CUfunction) { return ready(); }
} // extern "C"

/// sum[i] = parts[i] + parts[count + i] + ...
template <typename Number> static CUresult add(void **parameters) {
  auto get = [&](int k) { return *static_cast<uint64_t *>(parameters[k]); };
  auto *sum = reinterpret_cast<Number *>(get(0));
  auto *parts = reinterpret_cast<const Number *>(get(1));
  for (uint64_t i = 0, count = get(2); i < count; ++i) {
    sum[i] = parts[i];
    for (uint64_t rank = 1; rank < get(3); ++rank)
      sum[i] += parts[rank * count + i];
  }
  return ready();
}

extern "C" {

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned blocks, unsigned,
                                unsigned, unsigned threads, unsigned, unsigned,
                                unsigned, CUstream stream, void **parameters,
                                void **) {
  if (function == handleOf<CUfunction>(&theCrash))
    return issue(stream, [] { broken = CUDA_ERROR_ILLEGAL_ADDRESS; });
  if (function == handleOf<CUfunction>(&theAddF32))
    return add<float>(parameters);
  if (function == handleOf<CUfunction>(&theAddF64))
    return add<double>(parameters);
  auto address = *static_cast<CUdeviceptr *>(parameters[0]);
  return issue(stream, [=] {
    *reinterpret_cast<uint64_t *>(uintptr_t(address)) = blocks * 1000 + threads;
  });
}

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned) {
  return create(stream);
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) { return destroy(stream); }
CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  return capture && stream == captured ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                       : ready();
}
CUresult CUDAAPI cuStreamQuery(CUstream) {
  return isBusy ? CUDA_ERROR_NOT_READY : ready();
}
CUresult CUDAAPI cuEventQuery(CUevent) {
  return isBusy ? CUDA_ERROR_NOT_READY : ready();
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  return ready();
}
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned) {
  return create(event);
}
CUresult CUDAAPI cuEventDestroy(CUevent event) { return destroy(event); }
CUresult CUDAAPI cuEventRecord(CUevent, CUstream) { return ready(); }
CUresult CUDAAPI cuEventSynchronize(CUevent) { return ready(); }

CUresult CUDAAPI cuStreamBeginCapture(CUstream stream,
                                      CUstreamCaptureMode mode) {
  if (mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL || capture)
    return CUDA_ERROR_INVALID_VALUE;
  ++live;
  capture = new Recorded;
  captured = stream;
  return ready();
}
CUresult CUDAAPI cuStreamEndCapture(CUstream, CUgraph *graph) {
  if (!capture)
    return CUDA_ERROR_INVALID_VALUE;
  *graph = handleOf<CUgraph>(capture);
  capture = nullptr;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                                    unsigned long long) {
  ++live;
  *exec =
      handleOf<CUgraphExec>(new Recorded(*reinterpret_cast<Recorded *>(graph)));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphDestroy(CUgraph graph) {
  --live;
  delete reinterpret_cast<Recorded *>(graph);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec exec) {
  --live;
  delete reinterpret_cast<Recorded *>(exec);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphUpload(CUgraphExec, CUstream) { return ready(); }
CUresult CUDAAPI cuGraphLaunch(CUgraphExec exec, CUstream) {
  if (CUresult result = ready())
    return result;
  for (const std::function<void()> &work :
       reinterpret_cast<Recorded *>(exec)->work)
    work();
  return CUDA_SUCCESS;
}

} // extern "C"
