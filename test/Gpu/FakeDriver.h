//===- FakeDriver.h - CUDA without a GPU ------------------------*- C++ -*-===//
//
// Memory of the host, kernels on the simulator, library calls by the
// processor's library. What it is given runs as late as order allows: when
// somebody waits. So a wait that is missing shows by wrong values; and what two
// streams do to the same bytes is looked at when they are given it.
// What the code does wrong is a problem in the record; see Simulator.h.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_FAKEDRIVER_H
#define REPRISE_TEST_GPU_FAKEDRIVER_H

#include "../../runtime/cuda/Driver.h"
#include "CpuLibrary.h"
#include "OrderCheck.h"
#include "Simulator.h"
#include <deque>
#include <functional>
#include <map>

namespace reprise::gpu_test {

/// What tests may set, and what drivers made with it note.
struct FakeGpu {
  rt::cuda::DeviceFacts facts = {"simulated GPU",       "sm_90",
                                 "simulated library 1", "{\"deviceVer\": 900}",
                                 uint64_t(1) << 34,     uint64_t(1) << 34};
  /// Of threads and blocks; each launch takes another one.
  uint64_t seed = 0;
  /// Whether kernels reach memory that they were not given, as those of a GPU
  /// do: for tests that look for that by other means.
  bool reachesAllMemory = false;
  /// Of all launches, one of each kind and place.
  std::vector<std::string> problems;
  Traffic loads, stores;
  size_t launches = 0, calls = 0, graphLaunches = 0;
  /// Calls that all ranks make, and that have run.
  size_t ofRanks = 0;
  /// The kernel that fails, counted from 1 over all that run; 0: none.
  size_t failsAt = 0;
  /// The work that is refused while it is recorded, counted as well; 0: none.
  size_t refusesAt = 0, recorded = 0;
  /// Pieces of pinned memory that were taken.
  size_t pinned = 0;
  /// Other ways that the library has for each call, in front of its own; they
  /// take some milliseconds.
  std::vector<rt::LibraryCallInfo> slowWays;
  /// The largest sum of device memory that was taken.
  uint64_t allocatedBytes = 0;
};

/// Compiled functions, those with equal bodies once.
struct LoadedKernels {
  std::unique_ptr<Simulator> simulator;
  std::map<std::string, std::string> names; // in the simulator
};

struct LoadedKernel {
  std::shared_ptr<LoadedKernels> code;
  std::string name;
};

class FakeDriver : public rt::cuda::Driver {
public:
  /// `gpu` outlives the driver.
  explicit FakeDriver(FakeGpu &gpu) : gpu(gpu) {}
  ~FakeDriver() override;

  rt::Expected<rt::cuda::DeviceFacts> facts() override;
  rt::Expected<rt::cuda::Address> allocate(uint64_t bytes) override;
  void release(rt::cuda::Address memory) override;
  rt::Expected<void *> allocatePinned(uint64_t bytes) override;
  void releasePinned(void *memory) override;
  rt::Expected<rt::cuda::Stream> createStream() override;
  rt::Expected<rt::cuda::Event> createEvent() override;
  /// The image is a module with gpu.func as text.
  rt::Expected<std::vector<rt::cuda::Kernel>>
  load(const void *image, size_t bytes,
       const std::vector<std::string> &names) override;
  rt::Expected<rt::cuda::Call> prepare(const rt::LibraryCallDesc &desc,
                                       const std::string &implementation,
                                       uint64_t workspaceBytes,
                                       bool mayAdapt) override;
  rt::Expected<std::vector<rt::LibraryCallInfo>>
  implementations(const rt::LibraryCallDesc &desc) override;
  rt::Expected<rt::cuda::Meeting> makeMeeting() override;
  /// Ranks that are threads, each with a driver of its own.
  rt::Status join(const rt::cuda::Meeting &meeting,
                  rt::Communicator &others) override;
  rt::Status freeze() override;
  rt::Status thaw() override;

  rt::Status launch(rt::cuda::Stream stream, rt::cuda::Kernel kernel,
                    rt::cuda::LaunchShape shape,
                    const std::vector<rt::cuda::Address> &arguments,
                    const std::vector<rt::cuda::Touch> &touches) override;
  rt::Status call(rt::cuda::Stream stream, rt::cuda::Call call,
                  const std::vector<rt::cuda::Address> &operands,
                  rt::cuda::Address workspace,
                  const std::vector<rt::cuda::Touch> &touches) override;
  rt::Status copy(rt::cuda::Stream stream, rt::cuda::Address to,
                  rt::cuda::Address from, uint64_t bytes) override;
  rt::Status upload(rt::cuda::Stream stream, rt::cuda::Address to,
                    const void *pinned, uint64_t bytes) override;
  rt::Status download(rt::cuda::Stream stream, void *pinned,
                      rt::cuda::Address from, uint64_t bytes) override;
  rt::Status fill(rt::cuda::Stream stream, rt::cuda::Address at, uint8_t byte,
                  uint64_t bytes) override;

  rt::Status exchange(rt::cuda::Stream stream, rt::cuda::Address data,
                      const rt::Shards &shards,
                      rt::cuda::Address received) override;
  rt::Status gather(rt::cuda::Stream stream, rt::cuda::Address data,
                    const rt::Shards &shards) override;
  rt::Status sum(rt::cuda::Stream stream, rt::cuda::Address data,
                 uint64_t bytes, rp_element_type type) override;
  rt::Status addParts(rt::cuda::Stream stream, rt::cuda::Address sum,
                      rt::cuda::Address parts, uint64_t bytes, unsigned count,
                      rp_element_type type) override;

  rt::Status record(rt::cuda::Stream stream, rt::cuda::Event event) override;
  rt::Status wait(rt::cuda::Stream stream, rt::cuda::Event event) override;
  rt::Status synchronize(rt::cuda::Stream stream) override;
  rt::Status synchronize(rt::cuda::Event event) override;

  rt::Status beginCapture(rt::cuda::Stream stream) override;
  rt::Expected<rt::cuda::Graph> endCapture(rt::cuda::Stream stream) override;
  rt::Status launch(rt::cuda::Stream stream, rt::cuda::Graph graph) override;

private:
  using Work = std::function<rt::Status()>;
  struct Queue {
    std::deque<Work> work;
    /// Of the work that has been taken and that has run.
    uint64_t given = 0, done = 0;
  };
  /// Where in a stream an event was recorded last.
  struct Recorded {
    size_t stream = 0;
    uint64_t at = 0;
  };
  struct PreparedCall {
    rt::LibraryCallDesc desc;
    uint64_t workspaceBytes;
    bool isSlow;
  };
  rt::Status early(const char *what);
  struct Task {
    std::string what;
    std::vector<rt::cuda::Touch> touches; // of memory of either kind
    Work work;
  };
  /// Work of a graph and its stream, or an event that is recorded there or
  /// waited for.
  struct Recording {
    enum class Kind : uint8_t { Work, Record, Wait } kind;
    rt::cuda::Stream stream;
    rt::cuda::Event event = {};
    Task task = {};
  };
  rt::Status enqueue(rt::cuda::Stream stream, Task task);
  /// Enqueues a call of all ranks.
  rt::Status enqueueOfRanks(rt::cuda::Stream stream, Task task);
  /// The host may not wait for work that is being recorded.
  rt::Status checkNoCapture() const;
  /// Runs a stream up to that much work.
  rt::Status runUntil(size_t stream, uint64_t count);
  rt::Status runKernel(const LoadedKernel &kernel, rt::cuda::LaunchShape shape,
                       const std::vector<rt::cuda::Address> &arguments,
                       const std::vector<rt::cuda::Touch> &touches);
  rt::Status runCall(const PreparedCall &call,
                     const std::vector<rt::cuda::Address> &operands,
                     rt::cuda::Address workspace);
  rt::Status checkMemory(const char *what, rt::cuda::Address at,
                         uint64_t bytes) const;
  std::vector<Buffer> allMemory() const;

  FakeGpu &gpu;
  /// The error that no later work survives, or success.
  rt::Status broken;
  bool isFrozen = false;
  std::map<rt::cuda::Address, uint64_t> memory; // bytes by address
  std::map<void *, uint64_t> pinned;
  std::vector<Queue> streams;
  std::vector<Recorded> events;
  std::vector<LoadedKernel> kernels;
  std::vector<PreparedCall> calls;
  std::unique_ptr<CpuLibrary> library;
  std::vector<std::vector<Recording>> graphs;
  std::vector<Recording> *captured = nullptr;
  OrderCheck order;
  rt::Communicator *ranks = nullptr;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_FAKEDRIVER_H
