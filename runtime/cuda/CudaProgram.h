//===- CudaProgram.h - A program on a GPU -----------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CUDA_CUDAPROGRAM_H
#define REPRISE_RUNTIME_CUDA_CUDAPROGRAM_H

#include "InputStaging.h"
#include "reprise/Runtime/Device.h"

#include <map>
#include <optional>

namespace reprise::rt::cuda {

/// What a driver is asked for, with addresses.
struct CudaStep {
  enum class Kind { Kernel, Call, Copy } kind = Kind::Copy;
  Kernel kernel = {};
  LaunchShape shape;
  Call call = {};
  /// In a copy: to, from.
  std::vector<Address> operands;
  Address workspace = 0;
  std::vector<Touch> touches;
  /// The highest byte it is given, from the start of the arena.
  uint64_t end = 0;
};

class CudaProgram;

/// What programs that take turns share: the GPU and its memory.
struct CudaSite {
  std::unique_ptr<Driver> driver;
  DeviceFacts facts;
  uint64_t guard = 0;
  bool mayAdapt = false;
  Address memory = 0, arena = 0; // with the guard before it, and without
  uint64_t arenaBytes = 0;
  Stream stream = {};
  Staging staging;
  Uploads uploads;
  CudaProgram *turn = nullptr; // whose work may be under way
  Status lost;                 // why the variables are, or success

  uint64_t guardedBytes() const { return arenaBytes + 2 * guard; }
  /// For programs of so many bytes.
  Status prepare(uint64_t bytes);
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
  uint64_t highWaterBytes() const override { return highWater; }
  Expected<std::unique_ptr<DeviceProgram>>
  prepareBeside(const fb::Program &other) override;

private:
  struct EntrySteps {
    std::vector<CudaStep> steps;
    Graph graph = {};
    uint64_t end = 0; // of all steps
  };
  /// Waits for the work of the program whose turn it was. Fails where the
  /// variables are lost.
  Status beginTurn();
  Status settle();
  Status restore(const std::vector<uint8_t> &fixed);
  Status loadCode();
  Status prepareSteps();
  Expected<Graph> captureSteps(const EntrySteps &its);
  Status captureEntries();
  Expected<CudaStep> prepareStep(const fb::Entry &entry, const fb::Step &step);
  CudaStep prepareCopy(const fb::Entry &entry, const fb::Copy &copy);
  CudaStep prepareKernel(const fb::Entry &entry,
                         const fb::KernelLaunch &launch);
  Expected<CudaStep> prepareCall(const fb::Entry &entry,
                                 const fb::LibraryCall &call);
  Expected<Call> findCall(const fb::LibraryCall &call);
  /// Where a view lies, which becomes one of the step's touches.
  Address resolve(const fb::Entry &entry, const fb::View &view, bool isWritten,
                  CudaStep &step);
  Status issue(const CudaStep &step);
  Status runOne(size_t entry, size_t index);
  Status runGraph(size_t entry);
  /// Says which run a message may be of that came after it was launched.
  Status late(const Status &status) const;
  /// Says which step a message is of.
  Status named(const Status &status, size_t entry, size_t index) const;

  const fb::Program &program;
  std::shared_ptr<CudaSite> site;
  // The site's.
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
  /// The entry whose run nobody waited for.
  std::optional<size_t> running;
};

/// Whether a program can run on the GPU of a site, by its alignment and by the
/// libraries that its calls were planned for.
Status checkProgram(const fb::Program &program, const CudaSite &site);

} // namespace reprise::rt::cuda

#endif // REPRISE_RUNTIME_CUDA_CUDAPROGRAM_H
