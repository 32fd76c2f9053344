//===- Driver.h - The cuda device's interface to CUDA -----------*- C++ -*-===//
//
// The interface under the device "cuda". CudaDriver forwards to the driver's
// library, cuDNN and cuBLASLt; the fake of the tests uses host memory, runs
// kernels on a simulated GPU, and finds unordered operations. Streams order
// operations; between streams, events do. Not thread safe.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CUDA_DRIVER_H
#define REPRISE_RUNTIME_CUDA_DRIVER_H

#include "reprise/Runtime/Communicator.h"
#include "reprise/Runtime/Library.h"
#include <array>
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

/// An address in device memory.
using Address = uint64_t;

/// Bytes that an operation reads or writes, for drivers that check the order.
struct Touch {
  Address begin = 0;
  uint64_t bytes = 0;
  bool isWritten = false;
};

struct DeviceFacts {
  std::string name;         // "NVIDIA H200"
  std::string architecture; // "sm_90"
  std::string libraries;    // "cuDNN 9.19.0, cuBLASLt 13.1.0"
  std::string properties;   // JSON, for cuDNN to plan elsewhere
  uint64_t freeBytes = 0, totalBytes = 0;
};

/// The identifier by which the GPUs of a run find each other; one of them makes
/// it.
using Meeting = std::array<char, 128>;

struct LaunchShape {
  uint32_t blocks = 1, threads = 1;
};

class Driver {
public:
  virtual ~Driver();
  virtual Expected<DeviceFacts> facts() = 0;

  // Preparation, before `freeze`. The driver owns the memory, which lives as
  // long as it does unless `release` frees it.
  /// Allocates at a multiple of 256. Fails with RP_OUT_OF_MEMORY.
  virtual Expected<Address> allocate(uint64_t bytes) = 0;
  virtual void release(Address memory) = 0;
  /// Allocates pinned host memory, from which copies are asynchronous.
  virtual Expected<void *> allocatePinned(uint64_t bytes) = 0;
  virtual void releasePinned(void *memory) = 0;
  virtual Expected<Stream> createStream() = 0;
  virtual Expected<Event> createEvent() = 0;
  /// Loads a cubin, or PTX, which the driver compiles. Returns the kernels
  /// `names`, in order.
  virtual Expected<std::vector<Kernel>>
  load(const void *image, size_t bytes,
       const std::vector<std::string> &names) = 0;
  /// Prepares a call to run as `implementation`, by which it was planned. Fails
  /// with RP_INCOMPATIBLE if this library has none of that name, or if it needs
  /// more than `workspaceBytes` here; a call that `mayAdapt` then runs by the
  /// first deterministic kernel of this library that fits these bytes.
  virtual Expected<Call> prepare(const LibraryCallDesc &desc,
                                 const std::string &implementation,
                                 uint64_t workspaceBytes, bool mayAdapt) = 0;
  /// Returns all deterministic implementations of a call in this library, with
  /// the workspaces that they need here; `prepare` accepts their names.
  virtual Expected<std::vector<LibraryCallInfo>>
  implementations(const LibraryCallDesc &desc) = 0;
  virtual Expected<Meeting> makeMeeting() = 0;
  /// Connects the GPUs of all ranks, and waits for them. Afterwards the host's
  /// waits for work fail if `ranks`, which outlives the driver, has lost one.
  virtual Status join(const Meeting &meeting, Communicator &ranks) = 0;
  /// Afterwards none of the above may be called except `release`.
  virtual Status freeze() = 0;
  /// Waits for all work, and allows the above again.
  virtual Status thaw() = 0;

  // Work. The `arguments` of a launch are addresses, one per parameter.
  virtual Status launch(Stream stream, Kernel kernel, LaunchShape shape,
                        const std::vector<Address> &arguments,
                        const std::vector<Touch> &touches) = 0;
  /// `operands`: the addresses of the inputs, then of the outputs.
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

  // Work of all ranks; see Communicator. Each of them requests it in the same
  // order, on one stream.
  virtual Status exchange(Stream stream, Address data, const Shards &shards,
                          Address received) = 0;
  virtual Status gather(Stream stream, Address data, const Shards &shards) = 0;
  virtual Status sum(Stream stream, Address data, uint64_t bytes,
                     rp_element_type type) = 0;
  /// Work of this rank; see CollectiveMoves.
  virtual Status addParts(Stream stream, Address sum, Address parts,
                          uint64_t bytes, unsigned ranks,
                          rp_element_type type) = 0;

  // Order.
  virtual Status record(Stream stream, Event event) = 0;
  virtual Status wait(Stream stream, Event event) = 0;
  /// Waits on the host for the stream's work so far.
  virtual Status synchronize(Stream stream) = 0;
  /// Waits on the host for the event.
  virtual Status synchronize(Event event) = 0;

  // Operations issued between the two, on the stream and on streams that wait
  // for its events, are recorded and not run.
  virtual Status beginCapture(Stream stream) = 0;
  virtual Expected<Graph> endCapture(Stream stream) = 0;
  virtual Status launch(Stream stream, Graph graph) = 0;
};

/// Opens GPU number `which` of this machine, and the libraries. Fails with
/// RP_UNAVAILABLE, with the missing part and a remedy.
Expected<std::unique_ptr<Driver>> openCudaDriver(unsigned which);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_DRIVER_H
