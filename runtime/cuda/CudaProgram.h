//===- CudaProgram.h - A program on a GPU -----------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDAPROGRAM_H
#define REPRISE_RUNTIME_CUDA_CUDAPROGRAM_H

#include "InputStaging.h"
#include "reprise/Runtime/CollectivePlan.h"
#include "reprise/Runtime/CollectiveWindows.h"
#include "reprise/Runtime/Device.h"

#include <map>
#include <optional>

namespace reprise::rt::cuda {

/// A collective call, with addresses.
struct RankCall {
  CollectivePlan plan;
  CollectiveOperands operands;
};

/// A request to the driver, with addresses.
struct CudaStep {
  StepAction action = StepAction::Copy;
  Kernel kernel = {};
  LaunchShape shape;
  Call call = {};
  /// Operands of a copy: to, from; of one to or from host memory: the address
  /// on the device.
  std::vector<Address> operands;
  void *onHost = nullptr;
  Address workspace = 0;
  /// Set for a collective call, which uses none of the above.
  std::optional<RankCall> ofRanks;
  std::vector<Touch> touches;
  /// The end of its highest operand, from the start of the arena.
  uint64_t end = 0;
};

class CudaProgram;

/// The GPU and the memory that a session's programs share.
struct CudaSite {
  std::unique_ptr<Driver> driver;
  DeviceFacts facts;
  uint64_t guard = 0;
  bool mayAdapt = false;
  Address memory = 0, arena = 0; // with the guard before it, and without
  uint64_t arenaBytes = 0;
  Stream stream = {};
  /// Pinned memory that steps copy to, and the streams of these copies, created
  /// with the memory.
  uint8_t *hostMemory = nullptr;
  uint64_t hostBytes = 0;
  Stream offloads = {}, fetches = {};
  /// The ranks that the GPU is connected to, and the stream of their calls;
  /// null before setCommunicator.
  Communicator *ranks = nullptr;
  Stream collectives = {};
  Staging staging;
  Uploads uploads;
  CudaProgram *turn = nullptr; // the program whose work may be running
  Status lost;                 // why the variables are lost, or success

  uint64_t guardedBytes() const { return arenaBytes + 2 * guard; }
  /// Prepares memory for programs of at most so many bytes.
  Status prepare(uint64_t bytes);
  /// Prepares host memory of at least so many bytes.
  Status prepareHost(uint64_t bytes);
  /// Connects the GPU with those of the other ranks, which call this too.
  Status join(Communicator &others);
};

class CudaProgram : public DeviceProgram {
public:
  CudaProgram(const fb::Program &program, std::shared_ptr<CudaSite> its)
      : program(program), site(std::move(its)), driver(site->driver.get()),
        staging(site->staging), highWater(program.fixed_bytes()) {}
  ~CudaProgram() override;
  Status prepare();

  bool stagesInputs() const override { return inputs.isThere(); }
  Status write(uint64_t offset, const void *data, uint64_t bytes) override;
  Status writeInput(size_t entry, uint32_t input, uint64_t offset,
                    const void *data, uint64_t bytes) override;
  Status read(uint64_t offset, void *data, uint64_t bytes) override;
  Status fill(uint64_t offset, uint8_t byte, uint64_t bytes) override;
  Status writeGuarded(uint64_t offset, const void *data,
                      uint64_t bytes) override;
  Status readGuarded(uint64_t offset, void *data, uint64_t bytes) override;
  Status run(size_t entry, size_t first, size_t end) override;
  Status setCommunicator(Communicator *ranks) override;
  uint64_t highWaterBytes() const override { return highWater; }
  Expected<std::unique_ptr<DeviceProgram>>
  prepareBeside(const fb::Program &other) override;

private:
  /// When a step that runs beside others may begin, and that it has ended.
  struct BesideEvents {
    Event mayBegin = {}, ended = {};
  };
  struct EntrySteps {
    std::vector<CudaStep> steps;
    // Copies to and from host memory, and collective calls, run beside others.
    std::vector<CopyWindow> windows;       // by step
    std::map<size_t, BesideEvents> beside; // by step
    bool needsRanks = false;
    /// Captured once the ranks that the steps need are there.
    std::optional<Graph> graph;
    uint64_t end = 0; // of all steps
  };
  /// Waits for the work of the previously current program. Fails if the
  /// variables are lost.
  Status beginTurn();
  Status settle();
  Status restore(const std::vector<uint8_t> &fixed);
  Status loadCode();
  Status prepareSteps();
  Expected<Graph> captureSteps(const EntrySteps &its);
  Stream streamOf(const CudaStep &step) const;
  Status beginBeside(const EntrySteps &its, size_t index);
  Status issueWithBeside(const EntrySteps &its, size_t index);
  Status findBeside(size_t entry);
  Status runOnZeros();
  Status captureEntries();
  Status captureWithRanks(Communicator &ranks);
  Expected<CudaStep> prepareStep(const fb::Entry &entry, const fb::Step &step);
  CudaStep prepareCopy(const fb::Entry &entry, const fb::Copy &copy);
  CudaStep prepareHostCopy(const fb::Entry &entry, const fb::View &view,
                           uint64_t host, StepAction action);
  CudaStep prepareKernel(const fb::Entry &entry,
                         const fb::KernelLaunch &launch);
  Expected<CudaStep> prepareCall(const fb::Entry &entry,
                                 const fb::LibraryCall &call);
  Expected<CudaStep> prepareRankCall(const fb::Entry &entry,
                                     const fb::LibraryCall &call);
  Expected<Call> findCall(const fb::LibraryCall &call);
  /// Returns the address of a view, and adds it to the step's touches.
  Address resolve(const fb::Entry &entry, const fb::View &view, bool isWritten,
                  CudaStep &step);
  Status issue(const CudaStep &step, Stream on);
  Status checkRanks(Communicator *ranks) const;
  Status runOne(size_t entry, size_t index);
  Status runGraph(size_t entry);
  /// Adds the run to the message of an error found after its launch.
  Status late(const Status &status) const;
  /// Adds the step to a message.
  Status named(const Status &status, size_t entry, size_t index) const;

  const fb::Program &program;
  std::shared_ptr<CudaSite> site;
  // The driver of the site.
  Driver *driver;
  Address arena = 0;
  Stream stream = {};
  Staging &staging;
  InputStaging inputs;
  std::vector<Kernel> kernels;
  std::vector<uint32_t> threads;
  std::map<std::pair<std::vector<int64_t>, std::string>, Call> calls;
  std::vector<EntrySteps> entries;
  uint64_t highWater;
  uint64_t runs = 0; // of whole entries
  /// The entry of a run that was not waited for.
  std::optional<size_t> running;
};

/// Checks that a program can run on the GPU of a site: its alignment, and the
/// libraries that its calls were planned for.
Status checkProgram(const fb::Program &program, const CudaSite &site);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDAPROGRAM_H
