//===- CudaDriver.cpp - The driver interface on a real GPU ----------------===//
#include "CudaDriver.h"
#include "../support/Restate.h"

#include <algorithm>

namespace reprise::rt::cuda {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

Status CudaDriver::check(CUresult result, const std::string &what) {
  Status status = cuda.check(result, what);
  if (isSticky(result) && lost.empty())
    lost = status.message();
  return status;
}

CudaDriver::Context::Context(CudaDriver &driver) : cuda(driver.cuda) {
  if (!driver.lost.empty()) {
    why = Status::error(RP_INTERNAL,
                        "the GPU is lost to this process since an error: " +
                            driver.lost);
    return;
  }
  why = driver.check(cuda.cuCtxPushCurrent(driver.primary), "cuCtxPushCurrent");
  isPushed = why.ok();
}

CudaDriver::Context::Context(CudaDriver &driver, const char *what)
    : Context(driver) {
  if (driver.isFrozen)
    why = Status::error(RP_INTERNAL, std::string("it is too late to ") + what +
                                         ": the device is running");
}

CudaDriver::Context::~Context() {
  CUcontext own = nullptr;
  if (isPushed)
    cuda.cuCtxPopCurrent(&own);
}

Status CudaDriver::outOfMemory(const char *what, uint64_t bytes,
                               CUresult result) {
  Status status = check(result, what);
  if (status.code() != RP_OUT_OF_MEMORY)
    return status;
  size_t free = 0, total = 0;
  cuda.cuMemGetInfo(&free, &total);
  return Status::error(RP_OUT_OF_MEMORY,
                       status.message() + ": " + std::to_string(bytes) +
                           " bytes are requested, " + std::to_string(free) +
                           " of the GPU's " + std::to_string(total) +
                           " are free");
}

CudaDriver::~CudaDriver() {
  // Work that waits for a lost rank may never end; the process is about to.
  if (ranks && !lost.empty())
    return;
  // On a lost device each call fails, with no effect here.
  CUcontext own = nullptr;
  bool isPushed = cuda.cuCtxPushCurrent(primary) == CUDA_SUCCESS;
  for (CUstream stream : streams)
    cuda.cuStreamSynchronize(stream);
  for (CUgraphExec graph : graphs)
    cuda.cuGraphExecDestroy(graph);
  ranks.reset(); // its graphs are gone
  calls.clear();
  cudnn.reset();
  cublas.reset();
  for (CUmodule module : modules)
    cuda.cuModuleUnload(module);
  for (CUevent event : events)
    cuda.cuEventDestroy(event);
  for (CUstream stream : streams)
    cuda.cuStreamDestroy(stream);
  for (CUdeviceptr address : memory)
    cuda.cuMemFree(address);
  for (void *address : pinned)
    cuda.cuMemFreeHost(address);
  if (isPushed)
    cuda.cuCtxPopCurrent(&own);
  cuda.cuDevicePrimaryCtxRelease(device);
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

Expected<Address> CudaDriver::allocate(uint64_t bytes) {
  Context context(*this, "allocate memory");
  REPRISE_RETURN_IF_ERROR(context.status());
  CUdeviceptr address = 0;
  // CUDA does not allocate 0 bytes.
  CUresult result = cuda.cuMemAlloc(&address, std::max<uint64_t>(bytes, 1));
  if (result != CUDA_SUCCESS)
    return outOfMemory("cuMemAlloc", bytes, result);
  memory.push_back(address);
  return Address(address);
}

void CudaDriver::release(Address address) {
  auto it = std::find(memory.begin(), memory.end(), CUdeviceptr(address));
  if (it == memory.end())
    return;
  memory.erase(it);
  if (Context context(*this); context.status().ok())
    (void)check(cuda.cuMemFree(address), "cuMemFree");
}

Expected<void *> CudaDriver::allocatePinned(uint64_t bytes) {
  Context context(*this, "allocate memory");
  REPRISE_RETURN_IF_ERROR(context.status());
  void *address = nullptr;
  CUresult result = cuda.cuMemHostAlloc(&address, std::max<uint64_t>(bytes, 1),
                                        CU_MEMHOSTALLOC_PORTABLE);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return Status::error(RP_OUT_OF_MEMORY,
                         "cuMemHostAlloc: the system has no " +
                             std::to_string(bytes) + " bytes of memory to pin");
  REPRISE_RETURN_IF_ERROR(check(result, "cuMemHostAlloc"));
  pinned.push_back(address);
  return address;
}

void CudaDriver::releasePinned(void *address) {
  auto it = std::find(pinned.begin(), pinned.end(), address);
  if (it == pinned.end())
    return;
  pinned.erase(it);
  if (Context context(*this); context.status().ok())
    (void)check(cuda.cuMemFreeHost(address), "cuMemFreeHost");
}

Expected<Stream> CudaDriver::createStream() {
  Context context(*this, "create a stream");
  REPRISE_RETURN_IF_ERROR(context.status());
  CUstream stream = nullptr;
  REPRISE_RETURN_IF_ERROR(check(
      cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  streams.push_back(stream);
  return Stream(streams.size() - 1);
}

Expected<Event> CudaDriver::createEvent() {
  Context context(*this, "create an event");
  REPRISE_RETURN_IF_ERROR(context.status());
  CUevent event = nullptr;
  REPRISE_RETURN_IF_ERROR(check(
      cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate"));
  events.push_back(event);
  return Event(events.size() - 1);
}

/// Loads a module; the error includes the messages of the driver's PTX
/// compiler.
Status CudaDriver::compile(const std::string &image, CUmodule &module) {
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  // The size is passed in the pointer itself.
  void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
  CUresult result =
      cuda.cuModuleLoadDataEx(&module, image.c_str(), 2, options, values);
  Status status = check(result, "cuModuleLoadDataEx");
  if (status.ok() || !*log)
    return status;
  return restate(status, status.message() + ": " + log);
}

Expected<std::vector<Kernel>>
CudaDriver::load(const void *image, size_t bytes,
                 const std::vector<std::string> &names) {
  Context context(*this, "load code");
  REPRISE_RETURN_IF_ERROR(context.status());
  // The driver reads PTX up to a zero byte, and other code at an aligned
  // address.
  CUmodule module = nullptr;
  REPRISE_RETURN_IF_ERROR(
      compile(std::string(static_cast<const char *>(image), bytes), module));
  modules.push_back(module);
  std::vector<Kernel> result;
  for (const std::string &name : names) {
    CUfunction kernel = nullptr;
    REPRISE_RETURN_IF_ERROR(
        check(cuda.cuModuleGetFunction(&kernel, module, name.c_str()),
              "cuModuleGetFunction of '" + name + "'"));
    // Loads the kernel now, not at its first launch, which may be during a
    // capture.
    REPRISE_RETURN_IF_ERROR(
        check(cuda.cuFuncLoad(kernel), "cuFuncLoad of '" + name + "'"));
    kernels.push_back(kernel);
    result.push_back(Kernel(kernels.size() - 1));
  }
  return result;
}

/// Waits for our streams, not for the context, which the whole process shares:
/// that would end another session's capture.
Status CudaDriver::synchronizeAll() {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  for (CUstream stream : streams)
    REPRISE_RETURN_IF_ERROR(await(stream));
  return {};
}

Status CudaDriver::freeze() {
  REPRISE_RETURN_IF_ERROR(synchronizeAll());
  isFrozen = true;
  return {};
}

Status CudaDriver::thaw() {
  REPRISE_RETURN_IF_ERROR(synchronizeAll());
  isFrozen = false;
  return {};
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Status CudaDriver::launch(Stream stream, Kernel kernel, LaunchShape shape,
                          const std::vector<Address> &arguments,
                          const std::vector<Touch> &) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  std::vector<CUdeviceptr> values(arguments.begin(), arguments.end());
  std::vector<void *> parameters;
  for (CUdeviceptr &value : values)
    parameters.push_back(&value);
  return check(cuda.cuLaunchKernel(kernels[size_t(kernel)], shape.blocks, 1, 1,
                                   shape.threads, 1, 1, 0,
                                   streams[size_t(stream)], parameters.data(),
                                   nullptr),
               "cuLaunchKernel");
}

Status CudaDriver::copy(Stream stream, Address to, Address from,
                        uint64_t bytes) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(cuda.cuMemcpyDtoDAsync(to, from, bytes, streams[size_t(stream)]),
               "cuMemcpyDtoDAsync");
}

Status CudaDriver::upload(Stream stream, Address to, const void *from,
                          uint64_t bytes) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(cuda.cuMemcpyHtoDAsync(to, from, bytes, streams[size_t(stream)]),
               "cuMemcpyHtoDAsync");
}

Status CudaDriver::download(Stream stream, void *to, Address from,
                            uint64_t bytes) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(cuda.cuMemcpyDtoHAsync(to, from, bytes, streams[size_t(stream)]),
               "cuMemcpyDtoHAsync");
}

Status CudaDriver::fill(Stream stream, Address at, uint8_t byte,
                        uint64_t bytes) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(cuda.cuMemsetD8Async(at, byte, bytes, streams[size_t(stream)]),
               "cuMemsetD8Async");
}

//===----------------------------------------------------------------------===//
// Order and graphs
//===----------------------------------------------------------------------===//

Status CudaDriver::record(Stream stream, Event event) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(
      cuda.cuEventRecord(events[size_t(event)], streams[size_t(stream)]),
      "cuEventRecord");
}

Status CudaDriver::wait(Stream stream, Event event) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(cuda.cuStreamWaitEvent(streams[size_t(stream)],
                                      events[size_t(event)],
                                      CU_EVENT_WAIT_DEFAULT),
               "cuStreamWaitEvent");
}

Status CudaDriver::synchronize(Stream stream) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return await(streams[size_t(stream)]);
}

Status CudaDriver::synchronize(Event event) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  CUevent awaited = events[size_t(event)];
  if (!ranks)
    return check(cuda.cuEventSynchronize(awaited), "cuEventSynchronize");
  return awaitWithRanks([&] { return cuda.cuEventQuery(awaited); },
                        "cuEventQuery");
}

Status CudaDriver::beginCapture(Stream stream) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(cuda.cuStreamBeginCapture(streams[size_t(stream)],
                                         CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "cuStreamBeginCapture");
}

Expected<Graph> CudaDriver::endCapture(Stream stream) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  CUstream s = streams[size_t(stream)];
  CUgraph recorded = nullptr;
  REPRISE_RETURN_IF_ERROR(
      check(cuda.cuStreamEndCapture(s, &recorded), "cuStreamEndCapture"));
  CUgraphExec graph = nullptr;
  Status status =
      check(cuda.cuGraphInstantiate(&graph, recorded, 0), "cuGraphInstantiate");
  cuda.cuGraphDestroy(recorded);
  REPRISE_RETURN_IF_ERROR(status);
  graphs.push_back(graph);
  // Uploads now, so that the first launch allocates nothing.
  REPRISE_RETURN_IF_ERROR(check(cuda.cuGraphUpload(graph, s), "cuGraphUpload"));
  return Graph(graphs.size() - 1);
}

Status CudaDriver::launch(Stream stream, Graph graph) {
  Context context(*this);
  REPRISE_RETURN_IF_ERROR(context.status());
  return check(
      cuda.cuGraphLaunch(graphs[size_t(graph)], streams[size_t(stream)]),
      "cuGraphLaunch");
}

} // namespace reprise::rt::cuda
