//===- CpuDevice.cpp - The CPU as a device --------------------------------===//
//
// Preparing turns every step into an object with final addresses; running a
// step allocates nothing of its own. Library calls and kernels share the
// program's team, which has the number of threads that it was compiled for; the
// calling thread is one of them. Calls between ranks run on a thread of their
// own while steps after them touch none of their bytes; so do copies to and
// from host memory, which is another mapping here, with bytes that no step
// computes on.
//
//===----------------------------------------------------------------------===//
#include "CpuDevice.h"
#include "../core/Views.h"
#include "CodeImage.h"
#include "CpuSteps.h"
#include "Host.h"
#include "reprise/Runtime/CollectiveWindows.h"
#include "reprise/Runtime/Cpu/Cpu.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

namespace reprise::rt {

namespace {
class CpuProgram : public DeviceProgram {
public:
  CpuProgram(const fb::Program &program, std::shared_ptr<CpuSite> site)
      : program(program), site(std::move(site)),
        highWater(program.fixed_bytes()) {}
  Status prepare();

  Status write(uint64_t offset, const void *data, uint64_t bytes) override;
  Status read(uint64_t offset, void *data, uint64_t bytes) override;
  Status fill(uint64_t offset, uint8_t byte, uint64_t bytes) override;
  Status writeGuarded(uint64_t offset, const void *data,
                      uint64_t bytes) override;
  Status readGuarded(uint64_t offset, void *data, uint64_t bytes) override;
  Status run(size_t entry, size_t first, size_t end) override;
  Status runTimed(size_t entry, size_t first, size_t end,
                  std::vector<rp_step_times> &times) override;
  Status setCommunicator(Communicator *ranks) override;
  uint64_t highWaterBytes() const override { return highWater; }
  Expected<std::unique_ptr<DeviceProgram>>
  prepareBeside(const fb::Program &other) override;

private:
  using StepList = std::vector<std::unique_ptr<CpuStep>>;
  /// Calls `began` and `ended` with the number of a step around it.
  template <typename Began, typename Ended>
  Status runSteps(StepList &steps, size_t first, size_t end, Began began,
                  Ended ended);
  Status finish(Status status);
  Status checkRange(uint64_t offset, uint64_t bytes) const;
  Status checkGuarded(uint64_t offset, uint64_t bytes) const;
  /// Returns the address of a view; raises `end` to the end of its bytes.
  void *resolve(const fb::Entry &entry, const fb::View &view, uint64_t &end);
  Expected<std::unique_ptr<CpuStep>> prepareStep(const fb::Entry &entry,
                                                 const fb::Step &step);
  std::unique_ptr<CpuStep> prepareCopy(const fb::Entry &entry,
                                       const fb::Copy &copy);
  std::unique_ptr<CpuStep> prepareOffload(const fb::Entry &entry,
                                          const fb::Offload &offload);
  std::unique_ptr<CpuStep> prepareFetch(const fb::Entry &entry,
                                        const fb::Fetch &fetch);
  std::unique_ptr<CpuStep> prepareKernel(const fb::Entry &entry,
                                         const fb::KernelLaunch &launch);
  Expected<std::unique_ptr<CpuStep>> prepareCall(const fb::Entry &entry,
                                                 const fb::LibraryCall &call);

  /// Lets calls between ranks run beside other steps.
  static void overlapCalls(const std::vector<uint32_t> &windows,
                           StepList &steps);
  /// Lets copies to and from host memory do so.
  static void overlapCopies(const std::vector<CopyWindow> &windows,
                            StepList &steps);

  const fb::Program &program;
  std::shared_ptr<CpuSite> site;
  Arena &arena = site->arena;
  CodeImage code;
  std::vector<KernelFunction> kernels;
  std::vector<StepList> entries;
  uint64_t highWater;
};

class CpuDevice : public Device {
public:
  std::string name() const override { return "cpu"; }
  Expected<DeviceSummary> summary() override {
    return DeviceSummary{"this machine's processor",
                         hostTarget(),
                         libraryVersion(),
                         "cpu:native",
                         0,
                         0,
                         describeTypes()};
  }
  HostBytes hostBytes(const fb::Program &program) const override;
  Expected<std::unique_ptr<DeviceProgram>>
  prepare(const fb::Program &program, uint64_t guardBytes) override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status CpuProgram::checkRange(uint64_t offset, uint64_t bytes) const {
  if (offset <= arena.bytes() && bytes <= arena.bytes() - offset)
    return {};
  return Status::error(
      RP_INTERNAL, std::to_string(bytes) + " bytes at " +
                       std::to_string(offset) + " do not lie in the arena of " +
                       std::to_string(arena.bytes()) + " bytes");
}

Status CpuProgram::checkGuarded(uint64_t offset, uint64_t bytes) const {
  uint64_t all = arena.bytes() + 2 * arena.guardBytes();
  if (offset <= all && bytes <= all - offset)
    return {};
  return Status::error(RP_INTERNAL,
                       std::to_string(bytes) + " bytes at " +
                           std::to_string(offset) +
                           " do not lie in the arena and its guards of " +
                           std::to_string(all) + " bytes");
}

Status CpuProgram::write(uint64_t offset, const void *data, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(checkRange(offset, bytes));
  std::memcpy(arena.data() + offset, data, bytes);
  highWater = std::max(highWater, offset + bytes);
  return {};
}

Status CpuProgram::read(uint64_t offset, void *data, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(checkRange(offset, bytes));
  std::memcpy(data, arena.data() + offset, bytes);
  return {};
}

Status CpuProgram::fill(uint64_t offset, uint8_t byte, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(checkRange(offset, bytes));
  std::memset(arena.data() + offset, byte, bytes);
  return {};
}

Status CpuProgram::writeGuarded(uint64_t offset, const void *data,
                                uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(checkGuarded(offset, bytes));
  std::memcpy(arena.data() - arena.guardBytes() + offset, data, bytes);
  return {};
}

Status CpuProgram::readGuarded(uint64_t offset, void *data, uint64_t bytes) {
  REPRISE_RETURN_IF_ERROR(checkGuarded(offset, bytes));
  std::memcpy(data, arena.data() - arena.guardBytes() + offset, bytes);
  return {};
}

Status CpuProgram::setCommunicator(Communicator *ranks) {
  site->calls.reset();
  site->ranks = ranks;
  if (!ranks || !ranks->takesOtherThreads())
    return {};
  REPRISE_EXPECT(calls, CallThread::create());
  site->calls = std::move(*calls);
  return {};
}

template <typename Began, typename Ended>
Status CpuProgram::runSteps(StepList &steps, size_t first, size_t end,
                            Began began, Ended ended) {
  for (size_t i = first; i < end; ++i) {
    CpuStep &step = *steps[i];
    uint64_t given = step.end;
    highWater = std::max(highWater, given);
    if (step.awaited && site->calls)
      REPRISE_RETURN_IF_ERROR(site->calls->await(step.awaited->call));
    for (HostCopyStep *copy : step.beginning)
      copy->begin();
    if (step.awaitedCopy)
      REPRISE_RETURN_IF_ERROR(site->copies.await(step.awaitedCopy->call));
    began(i);
    REPRISE_RETURN_IF_ERROR(step.run());
    ended(i);
  }
  return {};
}

/// Waits for what runs beside the steps, after an error too: it uses the arena.
Status CpuProgram::finish(Status status) {
  Status calls = site->calls ? site->calls->awaitAll() : Status();
  REPRISE_RETURN_IF_ERROR(site->copies.awaitAll());
  REPRISE_RETURN_IF_ERROR(status);
  return calls;
}

Status CpuProgram::run(size_t entry, size_t first, size_t end) {
  ThreadScope scope(*site->team);
  auto nothing = [](size_t) {};
  REPRISE_RETURN_IF_ERROR(
      finish(runSteps(entries[entry], first, end, nothing, nothing)));
  return scope.status();
}

Status CpuProgram::runTimed(size_t entry, size_t first, size_t end,
                            std::vector<rp_step_times> &times) {
  using Clock = std::chrono::steady_clock;
  ThreadScope scope(*site->team);
  StepList &steps = entries[entry];
  Clock::time_point start = Clock::now();
  auto since = [&](Clock::time_point time) {
    return std::chrono::duration<double>(time - start).count();
  };
  REPRISE_RETURN_IF_ERROR(finish(runSteps(
      steps, first, end,
      [&](size_t i) { times[i] = {since(Clock::now()), 0, 0, 0}; },
      [&](size_t i) { times[i].end = since(Clock::now()); })));
  for (size_t i = first; i < end; ++i)
    if (const TimedCall *beside = steps[i]->beside();
        beside && beside->ended >= start) {
      times[i].beside_begin = since(beside->began);
      times[i].beside_end = since(beside->ended);
    }
  return scope.status();
}

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

void *CpuProgram::resolve(const fb::Entry &entry, const fb::View &view,
                          uint64_t &end) {
  uint64_t offset = arenaOffset(program, &entry, view);
  end = std::max(end, offset + *viewBytes(view));
  return arena.data() + offset;
}

std::unique_ptr<CpuStep> CpuProgram::prepareCopy(const fb::Entry &entry,
                                                 const fb::Copy &copy) {
  auto step = std::make_unique<CopyStep>();
  step->source = resolve(entry, *copy.source(), step->end);
  step->target = resolve(entry, *copy.target(), step->end);
  step->bytes = *viewBytes(*copy.source());
  return step;
}

std::unique_ptr<CpuStep>
CpuProgram::prepareOffload(const fb::Entry &entry, const fb::Offload &offload) {
  auto step = std::make_unique<HostCopyStep>(*site, false);
  step->copy = {site->copies.data() + offload.host(),
                resolve(entry, *offload.source(), step->end),
                *viewBytes(*offload.source())};
  return step;
}

std::unique_ptr<CpuStep> CpuProgram::prepareFetch(const fb::Entry &entry,
                                                  const fb::Fetch &fetch) {
  auto step = std::make_unique<HostCopyStep>(*site, true);
  step->copy = {resolve(entry, *fetch.target(), step->end),
                site->copies.data() + fetch.host(),
                *viewBytes(*fetch.target())};
  return step;
}

std::unique_ptr<CpuStep>
CpuProgram::prepareKernel(const fb::Entry &entry,
                          const fb::KernelLaunch &launch) {
  // Below this size, waking the other threads costs more than they save.
  constexpr uint64_t kInlineBytes = 32 << 10;
  auto step = std::make_unique<KernelStep>(kernels[launch.kernel()],
                                           *site->team, site->parts);
  step->grains = int64_t(launch.grains());
  uint64_t bytes = 0;
  if (launch.args())
    for (const fb::View *view : *launch.args()) {
      step->args.push_back(resolve(entry, *view, step->end));
      bytes += *viewBytes(*view);
    }
  if (bytes > kInlineBytes)
    step->threads =
        unsigned(std::min<uint64_t>(site->team->size(), launch.grains()));
  return step;
}

Expected<std::unique_ptr<CpuStep>>
CpuProgram::prepareCall(const fb::Entry &entry, const fb::LibraryCall &call) {
  REPRISE_EXPECT(cached, site->cache.get(describe(call)));
  const LibraryPlan &plan = (*cached)->plan;
  bool isSame =
      plan.info.implementation == call.implementation()->string_view();
  if (!isSame)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact was compiled for the library kernel '" +
                             call.implementation()->str() + "', '" +
                             plan.info.implementation +
                             "' would run here; compile the model again");
  uint64_t given = call.workspace() ? *viewBytes(*call.workspace()) : 0;
  if (given < plan.info.workspaceBytes)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact gives '" + plan.info.implementation +
                             "' " + std::to_string(given) +
                             " bytes of workspace, it needs " +
                             std::to_string(plan.info.workspaceBytes) +
                             " bytes here; compile the model again");
  uint64_t end = 0;
  LibraryOperands operands;
  for (const fb::View *input : *call.inputs())
    operands.inputs.push_back(resolve(entry, *input, end));
  for (const fb::View *output : *call.outputs())
    operands.outputs.push_back(resolve(entry, *output, end));
  operands.workspace =
      call.workspace() ? resolve(entry, *call.workspace(), end) : nullptr;
  bool isInPlace =
      std::find_first_of(operands.inputs.begin(), operands.inputs.end(),
                         operands.outputs.begin(),
                         operands.outputs.end()) != operands.inputs.end();
  if (isInPlace && !plan.info.addsInPlace)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact has '" + plan.info.implementation +
                             "' add to a tensor in its place, which it cannot "
                             "here; compile the model again");
  BoundLibraryCall bound(plan, (*cached)->code, operands);
  std::unique_ptr<CpuStep> step;
  if (plan.collective)
    step = std::make_unique<RankStep>(std::move(bound), *site);
  else
    step = std::make_unique<LibraryStep>(std::move(bound), *site);
  step->end = end;
  return step;
}

Expected<std::unique_ptr<CpuStep>>
CpuProgram::prepareStep(const fb::Entry &entry, const fb::Step &step) {
  switch (step.action_type()) {
  case fb::Action::LibraryCall:
    return prepareCall(entry, *step.action_as_LibraryCall());
  case fb::Action::KernelLaunch:
    return prepareKernel(entry, *step.action_as_KernelLaunch());
  case fb::Action::Copy:
    return prepareCopy(entry, *step.action_as_Copy());
  case fb::Action::Offload:
    return prepareOffload(entry, *step.action_as_Offload());
  case fb::Action::Fetch:
    return prepareFetch(entry, *step.action_as_Fetch());
  case fb::Action::NONE:
    break;
  }
  return Status::error(RP_INTERNAL, "a step without an action was verified");
}

void CpuProgram::overlapCalls(const std::vector<uint32_t> &windows,
                              StepList &steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (windows[i] <= i + 1)
      continue;
    static_cast<RankStep &>(*steps[i]).isBeside = true;
    // Calls end in their order, so that the last one tells of all.
    if (windows[i] < steps.size())
      steps[windows[i]]->awaited = steps[i].get();
  }
}

void CpuProgram::overlapCopies(const std::vector<CopyWindow> &windows,
                               StepList &steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    auto [begin, end] = windows[i];
    if (begin < end && end == i)
      steps[begin]->beginning.push_back(
          static_cast<HostCopyStep *>(steps[i].get()));
    // Copies end in the order in which they began.
    if (begin == i && end > i && end < steps.size())
      steps[end]->awaitedCopy = steps[i].get();
  }
}

Status CpuProgram::prepare() {
  if (program.kernels() && program.kernels()->size()) {
    REPRISE_EXPECT(
        image, CodeImage::load(program.code()->data(), program.code()->size()));
    code = std::move(*image);
    for (const flatbuffers::String *name : *program.kernels()) {
      REPRISE_EXPECT(kernel, code.find(name->str()));
      kernels.push_back(*kernel);
    }
  }
  if (!program.entries())
    return {};
  for (const fb::Entry *entry : *program.entries()) {
    StepList &list = entries.emplace_back();
    if (!entry->steps())
      continue;
    for (const fb::Step *step : *entry->steps()) {
      REPRISE_EXPECT(prepared, prepareStep(*entry, *step));
      list.push_back(std::move(*prepared));
    }
    overlapCalls(collectiveWindows(program, *entry), list);
    overlapCopies(hostCopyWindows(program, *entry), list);
  }
  return {};
}

static std::string text(const flatbuffers::String *s) {
  return s ? s->str() : "";
}

/// Checks that the program is for this processor and this library.
static Status checkProgram(const fb::Program &program) {
  bool isAligned = program.alignment() == kAlignment;
  if (!isAligned)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact's buffers are aligned to " +
                             std::to_string(program.alignment()) +
                             " bytes, those of this device to " +
                             std::to_string(kAlignment));
  REPRISE_RETURN_IF_ERROR(checkTarget(text(program.target())));
  return checkLibrary(text(program.library()));
}

static Expected<std::unique_ptr<DeviceProgram>>
prepareIn(std::shared_ptr<CpuSite> site, const fb::Program &program) {
  auto prepared = std::make_unique<CpuProgram>(program, std::move(site));
  REPRISE_RETURN_IF_ERROR(prepared->prepare());
  return std::unique_ptr<DeviceProgram>(std::move(prepared));
}

Expected<std::unique_ptr<DeviceProgram>>
CpuDevice::prepare(const fb::Program &program, uint64_t guardBytes) {
  REPRISE_RETURN_IF_ERROR(checkProgram(program));
  REPRISE_EXPECT(arena, Arena::allocate(program.arena_bytes(), guardBytes));
  REPRISE_EXPECT(team, Team::create(program.threads()));
  auto site = std::make_shared<CpuSite>(std::move(*arena), std::move(*team));
  REPRISE_RETURN_IF_ERROR(site->copies.prepare(hostMemoryBytes(program)));
  return prepareIn(std::move(site), program);
}

Expected<std::unique_ptr<DeviceProgram>>
CpuProgram::prepareBeside(const fb::Program &other) {
  REPRISE_RETURN_IF_ERROR(checkProgram(other));
  bool fits = other.arena_bytes() <= arena.bytes();
  if (!fits || other.threads() != site->team->size())
    return std::unique_ptr<DeviceProgram>();
  REPRISE_RETURN_IF_ERROR(site->copies.prepare(hostMemoryBytes(other)));
  return prepareIn(site, other);
}

HostBytes CpuDevice::hostBytes(const fb::Program &program) const {
  // Code that the library generates for a distinct call, with its descriptors.
  constexpr uint64_t kBytesPerCall = 128 << 10;
  // Pages of libraries that steps touch first, and stacks of threads.
  constexpr uint64_t kFirstUse = 4 << 20;
  std::set<std::vector<int64_t>> distinct;
  HostBytes bytes;
  forEachCall(program, [&](const fb::LibraryCall &call) {
    distinct.insert(libraryCallKey(describe(call)));
    if (call.implementation())
      bytes.duringCalls = std::max(
          bytes.duringCalls,
          libraryHeapBytes(describe(call), call.implementation()->str(),
                           program.threads()));
  });
  // The thread that copies, and what is allocated for it.
  constexpr uint64_t kOfCopies = 2 << 20;
  uint64_t onHost = hostMemoryBytes(program);
  bytes.kept = distinct.size() * kBytesPerCall + kFirstUse + onHost +
               (onHost ? kOfCopies : 0);
  return bytes;
}

Expected<std::unique_ptr<Device>> openCpuDevice(const std::string &which) {
  if (!which.empty())
    return Status::error(RP_UNAVAILABLE, "there is one device 'cpu', and no '" +
                                             which + "' of it");
  REPRISE_RETURN_IF_ERROR(checkHost());
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>());
}

} // namespace reprise::rt
