//===- CudaDriver.h - The driver interface on a real GPU --------*- C++ -*-===//
//
// Forwards to the driver's library, cuDNN and cuBLASLt in the device's primary
// context, which the libraries use too. Each method makes the context current
// and then restores the previous one, so that any thread may call, one at a
// time, whatever its own use of CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_CUDADRIVER_H
#define REPRISE_RUNTIME_CUDA_CUDADRIVER_H

#include "CublasProduct.h"
#include "CudaDriverFunctions.h"
#include "CudnnExecution.h"
#include "Driver.h"
#include "NcclRanks.h"
#include <functional>
#include <optional>

namespace reprise::rt::cuda {

/// The PTX of the kernels "reprise_add_parts_f32" and "reprise_add_parts_f64".
std::string addPartsCode();

class CudaDriver final : public Driver {
public:
  static Expected<std::unique_ptr<Driver>> open(unsigned which);
  ~CudaDriver() override;

  Expected<DeviceFacts> facts() override;
  Expected<Address> allocate(uint64_t bytes) override;
  void release(Address memory) override;
  Expected<void *> allocatePinned(uint64_t bytes) override;
  void releasePinned(void *memory) override;
  Expected<Stream> createStream() override;
  Expected<Event> createEvent() override;
  Expected<std::vector<Kernel>>
  load(const void *image, size_t bytes,
       const std::vector<std::string> &names) override;
  Expected<Call> prepare(const LibraryCallDesc &desc,
                         const std::string &implementation,
                         uint64_t workspaceBytes, bool mayAdapt) override;
  Expected<std::vector<LibraryCallInfo>>
  implementations(const LibraryCallDesc &desc) override;
  Expected<Meeting> makeMeeting() override;
  Status join(const Meeting &meeting, Communicator &ranks) override;
  Status freeze() override;
  Status thaw() override;

  Status launch(Stream stream, Kernel kernel, LaunchShape shape,
                const std::vector<Address> &arguments,
                const std::vector<Touch> &touches) override;
  Status call(Stream stream, Call call, const std::vector<Address> &operands,
              Address workspace, const std::vector<Touch> &touches) override;
  Status copy(Stream stream, Address to, Address from, uint64_t bytes) override;
  Status upload(Stream stream, Address to, const void *pinned,
                uint64_t bytes) override;
  Status download(Stream stream, void *pinned, Address from,
                  uint64_t bytes) override;
  Status fill(Stream stream, Address at, uint8_t byte, uint64_t bytes) override;

  Status exchange(Stream stream, Address data, const Shards &shards,
                  Address received) override;
  Status gather(Stream stream, Address data, const Shards &shards) override;
  Status sum(Stream stream, Address data, uint64_t bytes,
             rp_element_type type) override;
  Status addParts(Stream stream, Address sum, Address parts, uint64_t bytes,
                  unsigned ranks, rp_element_type type) override;

  Status record(Stream stream, Event event) override;
  Status wait(Stream stream, Event event) override;
  Status synchronize(Stream stream) override;
  Status synchronize(Event event) override;

  Status beginCapture(Stream stream) override;
  Expected<Graph> endCapture(Stream stream) override;
  Status launch(Stream stream, Graph graph) override;

private:
  /// Exactly one of the two is set.
  struct PreparedCall {
    std::optional<CudnnPlan> plan;
    std::unique_ptr<CublasProduct> product;
    size_t operands = 0;
    uint64_t workspaceBytes = 0;
    bool mayAdapt = false;
  };

  /// The driver's context is current while one lives and is ok.
  class Context {
  public:
    /// The context is not ok if the device is lost.
    explicit Context(CudaDriver &driver);
    /// The context is also not ok after `freeze`.
    Context(CudaDriver &driver, const char *what);
    ~Context();
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    const Status &status() const { return why; }

  private:
    const CudaFunctions &cuda;
    bool isPushed = false;
    Status why;
  };

  CudaDriver(const CudaFunctions &cuda, CUdevice device, CUcontext primary)
      : cuda(cuda), device(device), primary(primary) {}
  Status synchronizeAll();
  Status await(CUstream stream);
  /// Waits until `query` returns no longer CUDA_ERROR_NOT_READY, and watches
  /// the ranks meanwhile.
  Status awaitWithRanks(const std::function<CUresult()> &query,
                        const char *what);
  Status checkConnected() const;
  /// Remembers an error after which all further calls fail.
  Status check(CUresult result, const std::string &what);
  Status outOfMemory(const char *what, uint64_t bytes, CUresult result);
  Status read(CUdevice_attribute attribute, int &value);
  /// Returns the properties as cuDNN's JSON.
  Expected<std::string> properties(const DeviceFacts &facts);
  Status compile(const std::string &image, CUmodule &module);
  Status openCudnn();
  Status prepareConvolution(const ConvolutionForm &form,
                            const std::string &implementation,
                            PreparedCall &prepared);
  Status prepareProduct(const ProductForm &form,
                        const std::string &implementation,
                        PreparedCall &prepared);
  Status prepareCall(const LibraryCallDesc &desc,
                     const std::string &implementation, PreparedCall &prepared);

  const CudaFunctions &cuda;
  CUdevice device;
  CUcontext primary;
  bool isFrozen = false;
  std::string lost; // why the device is lost, or ""

  std::vector<CUdeviceptr> memory;
  std::vector<void *> pinned;
  // Indexed by the handles' numbers.
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
  std::vector<CUmodule> modules;
  std::vector<CUfunction> kernels;
  std::vector<CUgraphExec> graphs;
  // Calls refer to the libraries' contexts, which the first call opens.
  std::unique_ptr<CudnnExecution> cudnn;
  std::unique_ptr<CublasContext> cublas;
  std::vector<PreparedCall> calls;
  // The other ranks' GPUs; null before `join`.
  std::unique_ptr<NcclRanks> ranks;
  Kernel addsF32 = {}, addsF64 = {};
};

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDADRIVER_H
