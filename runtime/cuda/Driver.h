//===- Driver.h - What the cuda device asks of CUDA -------------*- C++ -*-===//
//
// The seam under the device "cuda". CudaDriver forwards to the driver's
// library, cuDNN and cuBLASLt; the fake of the tests has memory of the host,
// runs kernels on a simulated GPU, and finds operations that nothing orders.
// Order is that of a stream; between streams, that of events. Not thread safe.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_DRIVER_H
#define REPRISE_RUNTIME_CUDA_DRIVER_H

#include "reprise/Runtime/Library.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reprise::rt::cuda {

// Handles, numbered by the driver.
enum class Stream : uint32_t {};
enum class Event : uint32_t {};
enum class Kernel : uint32_t {};
enum class Call : uint32_t {};
enum class Graph : uint32_t {};

/// Of device memory.
using Address = uint64_t;

/// Bytes that an operation reads or writes: for drivers that check the order.
struct Touch {
  Address begin = 0;
  uint64_t bytes = 0;
  bool isWritten = false;
};

struct DeviceFacts {
  std::string name;         // "NVIDIA H200"
  std::string architecture; // "sm_90"
  std::string libraries;    // "cuDNN 9.19.0, cuBLASLt 13.1.0"
  std::string properties;   // JSON, as cuDNN takes it to plan elsewhere
  uint64_t freeBytes = 0, totalBytes = 0;
};

struct LaunchShape {
  uint32_t blocks = 1, threads = 1;
};

class Driver {
public:
  virtual ~Driver();
  virtual Expected<DeviceFacts> facts() = 0;

  // Before `freeze`. Memory is the driver's and lives as long as it does, but
  // for what `release` gives back.
  /// At a multiple of 256. Fails with RP_OUT_OF_MEMORY.
  virtual Expected<Address> allocate(uint64_t bytes) = 0;
  virtual void release(Address memory) = 0;
  /// Memory of the host that copies need not wait for.
  virtual Expected<void *> allocatePinned(uint64_t bytes) = 0;
  virtual void releasePinned(void *memory) = 0;
  virtual Expected<Stream> createStream() = 0;
  virtual Expected<Event> createEvent() = 0;
  /// Loads a cubin, or PTX, which the driver compiles. The kernels `names`, in
  /// their order.
  virtual Expected<std::vector<Kernel>>
  load(const void *image, size_t bytes,
       const std::vector<std::string> &names) = 0;
  /// Readies a call to run as `implementation`, by which it was planned. Fails
  /// with RP_INCOMPATIBLE where this library has none of that name, or where it
  /// needs more than `workspaceBytes` here; then one that `mayAdapt` runs as
  /// the first deterministic kernel of this library that does with so many
  /// bytes.
  virtual Expected<Call> prepare(const LibraryCallDesc &desc,
                                 const std::string &implementation,
                                 uint64_t workspaceBytes, bool mayAdapt) = 0;
  /// All deterministic ways that this library has of running a call, with the
  /// workspaces that they need here; `prepare` takes their names.
  virtual Expected<std::vector<LibraryCallInfo>>
  implementations(const LibraryCallDesc &desc) = 0;
  /// From here on nothing of the above but `release`.
  virtual Status freeze() = 0;
  /// Waits for all work, and allows the above again.
  virtual Status thaw() = 0;

  // Work. `arguments` of a launch are addresses, one a parameter.
  virtual Status launch(Stream stream, Kernel kernel, LaunchShape shape,
                        const std::vector<Address> &arguments,
                        const std::vector<Touch> &touches) = 0;
  /// `operands`: the inputs', then the outputs' addresses.
  virtual Status call(Stream stream, Call call,
                      const std::vector<Address> &operands, Address workspace,
                      const std::vector<Touch> &touches) = 0;
  virtual Status copy(Stream stream, Address to, Address from,
                      uint64_t bytes) = 0;
  virtual Status upload(Stream stream, Address to, const void *pinned,
                        uint64_t bytes) = 0;
  virtual Status download(Stream stream, void *pinned, Address from,
                          uint64_t bytes) = 0;
  virtual Status fill(Stream stream, Address at, uint8_t byte,
                      uint64_t bytes) = 0;

  // Order.
  virtual Status record(Stream stream, Event event) = 0;
  virtual Status wait(Stream stream, Event event) = 0;
  /// The host waits for what the stream was given so far.
  virtual Status synchronize(Stream stream) = 0;
  /// The host waits for the event.
  virtual Status synchronize(Event event) = 0;

  // What is issued on the stream between the two, and on streams that wait for
  // its events, is recorded and not run.
  virtual Status beginCapture(Stream stream) = 0;
  virtual Expected<Graph> endCapture(Stream stream) = 0;
  virtual Status launch(Stream stream, Graph graph) = 0;
};

/// The GPU number `which` of this machine, by libraries that are opened now.
/// Fails with RP_UNAVAILABLE, and says what is missing and what to do.
Expected<std::unique_ptr<Driver>> openCudaDriver(unsigned which);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_DRIVER_H
