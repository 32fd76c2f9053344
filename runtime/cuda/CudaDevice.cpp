//===- CudaDevice.cpp - A GPU behind the device interface -----------------===//
//
// Preparing loads code and library calls, runs each entry once on zeros, since
// CUDA loads what is first used, captures it as a graph, and freezes the
// driver: nothing is allocated after that. A whole entry is one launch, which
// nobody waits for until something is read; an error that comes late is told
// with the entry and the run. Steps that are asked for one by one are issued
// one by one and waited for, so that an error is told by the step it is of.
//
// Programs that share the memory are prepared in the same way, while the host
// holds the variables; whoever's turn begins waits for the other's work.
//
//===----------------------------------------------------------------------===//
#include "CudaDevice.h"
#include "../core/Views.h"
#include "Code.h"
#include "DescribeGpu.h"
#include "InputStaging.h"
#include "reprise/Fault.h"

#include <algorithm>
#include <map>
#include <optional>

namespace reprise::rt::cuda {

namespace {
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
  CudaProgram *turn = nullptr; // whose work may be under way

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
  /// Waits for the work of the program whose turn it was.
  Status beginTurn();
  Status settle();
  Status loadCode();
  Status prepareSteps();
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

class CudaDevice : public Device {
public:
  CudaDevice(DriverOpener open, bool mayAdapt, const MeasuredWork &measured)
      : open(std::move(open)), mayAdapt(mayAdapt), measured(measured) {}
  std::string name() const override { return "cuda"; }
  Expected<DeviceSummary> summary() override;
  Expected<std::string> description() override;
  HostBytes hostBytes(const fb::Program &program) const override {
    uint64_t stagings = InputStaging::bufferOf(program) ? 2 : 1;
    return {stagings * Staging::kPieces * Staging::kPieceBytes, 0,
            /*holdsArena=*/false};
  }
  Expected<std::unique_ptr<DeviceProgram>>
  prepare(const fb::Program &program, uint64_t guardBytes) override;

private:
  DriverOpener open;
  bool mayAdapt;
  MeasuredWork measured;
};
} // namespace

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static Status outside(uint64_t offset, uint64_t bytes, uint64_t all) {
  return Status::error(RP_INTERNAL,
                       std::to_string(bytes) + " bytes at " +
                           std::to_string(offset) + " do not lie in the " +
                           std::to_string(all) + " bytes of the arena");
}

static bool isInside(uint64_t offset, uint64_t bytes, uint64_t all) {
  return offset <= all && bytes <= all - offset;
}

Status CudaProgram::write(uint64_t offset, const void *data, uint64_t bytes) {
  if (!isInside(offset, bytes, site->arenaBytes))
    return outside(offset, bytes, site->arenaBytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  highWater = std::max(highWater, offset + bytes);
  return late(staging.write(arena + offset, data, bytes));
}

Status CudaProgram::writeInput(size_t entry, uint32_t input, uint64_t offset,
                               const void *data, uint64_t bytes) {
  if (!inputs.isThere())
    return write(offset, data, bytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  return late(inputs.write(entry, input, data, bytes));
}

Status CudaProgram::read(uint64_t offset, void *data, uint64_t bytes) {
  if (!isInside(offset, bytes, site->arenaBytes))
    return outside(offset, bytes, site->arenaBytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  REPRISE_RETURN_IF_ERROR(late(staging.read(arena + offset, data, bytes)));
  if (bytes > 0)
    running.reset();
  return {};
}

Status CudaProgram::fill(uint64_t offset, uint8_t byte, uint64_t bytes) {
  if (!isInside(offset, bytes, site->arenaBytes))
    return outside(offset, bytes, site->arenaBytes);
  REPRISE_RETURN_IF_ERROR(beginTurn());
  if (bytes == 0)
    return {};
  return driver->fill(stream, arena + offset, byte, bytes);
}

Status CudaProgram::writeGuarded(uint64_t offset, const void *data,
                                 uint64_t bytes) {
  if (!isInside(offset, bytes, site->guardedBytes()))
    return outside(offset, bytes, site->guardedBytes());
  REPRISE_RETURN_IF_ERROR(beginTurn());
  return staging.write(site->memory + offset, data, bytes);
}

Status CudaProgram::readGuarded(uint64_t offset, void *data, uint64_t bytes) {
  if (!isInside(offset, bytes, site->guardedBytes()))
    return outside(offset, bytes, site->guardedBytes());
  REPRISE_RETURN_IF_ERROR(beginTurn());
  return staging.read(site->memory + offset, data, bytes);
}

Status CudaProgram::issue(const CudaStep &step) {
  switch (step.kind) {
  case CudaStep::Kind::Kernel:
    return driver->launch(stream, step.kernel, step.shape, step.operands,
                          step.touches);
  case CudaStep::Kind::Call:
    return driver->call(stream, step.call, step.operands, step.workspace,
                        step.touches);
  case CudaStep::Kind::Copy:
    break;
  }
  return driver->copy(stream, step.operands[0], step.operands[1],
                      step.touches[0].bytes);
}

Status CudaProgram::named(const Status &status, size_t entry,
                          size_t index) const {
  const fb::Entry &its = *program.entries()->Get(uint32_t(entry));
  const fb::Step &step = *its.steps()->Get(uint32_t(index));
  std::string what = "step " + std::to_string(index) + " of '" +
                     its.name()->str() + "', " +
                     (step.name() ? step.name()->str() : "");
  if (step.module_() && step.module_()->size())
    what += " of " + step.module_()->str();
  return Status::error(status.code(), what + ": " + status.message());
}

Status CudaProgram::runOne(size_t entry, size_t index) {
  Status status = issue(entries[entry].steps[index]);
  if (status.ok())
    status = driver->synchronize(stream);
  return status.ok() ? status : named(status, entry, index);
}

Status CudaProgram::late(const Status &status) const {
  if (status.ok() || !running)
    return status;
  const fb::Entry &entry = *program.entries()->Get(uint32_t(*running));
  return Status::error(status.code(),
                       "entry '" + entry.name()->str() +
                           "', run as one graph (run " + std::to_string(runs) +
                           " since it was prepared): " + status.message());
}

Status CudaProgram::runGraph(size_t entry) {
  REPRISE_FAULT("cuda-allocates-in-a-step",
                REPRISE_RETURN_IF_ERROR(driver->allocate(64).status()));
  uint64_t given = entries[entry].end;
  REPRISE_FAULT("cuda-high-water-of-writes-only", given = 0);
  highWater = std::max(highWater, given);
  // An error of the launch may be that of the run before.
  Status status = driver->launch(stream, entries[entry].graph);
  if (!status.ok() && running)
    return late(status);
  ++runs;
  running = entry;
  return late(status);
}

Status CudaProgram::run(size_t entry, size_t first, size_t end) {
  REPRISE_RETURN_IF_ERROR(beginTurn());
  EntrySteps &its = entries[entry];
  if (first == 0 && inputs.isThere()) {
    Expected<uint64_t> taken = inputs.take(entry);
    if (!taken.ok())
      return late(taken.status());
    highWater = std::max(highWater, *taken);
  }
  if (first == 0 && end == its.steps.size() && end > 1)
    return runGraph(entry);
  // What went wrong before is not these steps'.
  if (running)
    REPRISE_RETURN_IF_ERROR(late(driver->synchronize(stream)));
  running.reset();
  for (size_t i = first; i < end; ++i) {
    highWater = std::max(highWater, its.steps[i].end);
    REPRISE_RETURN_IF_ERROR(runOne(entry, i));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

Address CudaProgram::resolve(const fb::Entry &entry, const fb::View &view,
                             bool isWritten, CudaStep &step) {
  uint64_t offset = arenaOffset(program, &entry, view),
           bytes = *viewBytes(view);
  step.end = std::max(step.end, offset + bytes);
  step.touches.push_back({arena + offset, bytes, isWritten});
  return arena + offset;
}

CudaStep CudaProgram::prepareCopy(const fb::Entry &entry,
                                  const fb::Copy &copy) {
  CudaStep step;
  step.operands.push_back(resolve(entry, *copy.target(), true, step));
  step.operands.push_back(resolve(entry, *copy.source(), false, step));
  return step;
}

CudaStep CudaProgram::prepareKernel(const fb::Entry &entry,
                                    const fb::KernelLaunch &launch) {
  CudaStep step;
  step.kind = CudaStep::Kind::Kernel;
  step.kernel = kernels[launch.kernel()];
  step.shape = {uint32_t(launch.grains()), threads[launch.kernel()]};
  REPRISE_FAULT("cuda-one-block-less", --step.shape.blocks);
  uint32_t count = launch.args() ? launch.args()->size() : 0;
  std::vector<bool> writes(count);
  if (launch.writes())
    for (uint32_t index : *launch.writes())
      writes[index] = true;
  for (uint32_t i = 0; i < count; ++i)
    step.operands.push_back(
        resolve(entry, *launch.args()->Get(i), writes[i], step));
  return step;
}

Expected<Call> CudaProgram::findCall(const fb::LibraryCall &call) {
  LibraryCallDesc desc = rt::describe(call);
  std::string implementation = call.implementation()->str();
  uint64_t workspace = call.workspace() ? *viewBytes(*call.workspace()) : 0;
  auto key = std::make_pair(libraryCallKey(desc), implementation);
  key.first.push_back(int64_t(workspace));
  REPRISE_FAULT("cuda-one-call-for-all", key = {});
  auto found = calls.find(key);
  if (found != calls.end())
    return found->second;
  Expected<Call> prepared =
      driver->prepare(desc, implementation, workspace, site->mayAdapt);
  if (prepared.ok())
    calls.emplace(std::move(key), *prepared);
  return prepared;
}

Expected<CudaStep> CudaProgram::prepareCall(const fb::Entry &entry,
                                            const fb::LibraryCall &call) {
  Expected<Call> prepared = findCall(call);
  if (!prepared.ok())
    return prepared.status();
  CudaStep step;
  step.kind = CudaStep::Kind::Call;
  step.call = *prepared;
  for (const fb::View *input : *call.inputs())
    step.operands.push_back(resolve(entry, *input, false, step));
  for (const fb::View *output : *call.outputs())
    step.operands.push_back(resolve(entry, *output, true, step));
  if (call.workspace())
    step.workspace = resolve(entry, *call.workspace(), true, step);
  REPRISE_FAULT("cuda-workspace-forgotten", step.workspace = 0);
  return step;
}

Expected<CudaStep> CudaProgram::prepareStep(const fb::Entry &entry,
                                            const fb::Step &step) {
  switch (step.action_type()) {
  case fb::Action::LibraryCall:
    return prepareCall(entry, *step.action_as_LibraryCall());
  case fb::Action::KernelLaunch:
    if (step.action_as_KernelLaunch()->grains() > uint64_t(INT32_MAX))
      return Status::error(RP_INCOMPATIBLE,
                           "a launch has more blocks than a GPU takes");
    return prepareKernel(entry, *step.action_as_KernelLaunch());
  case fb::Action::Copy:
    return prepareCopy(entry, *step.action_as_Copy());
  case fb::Action::NONE:
    break;
  }
  return Status::error(RP_INTERNAL, "a step without an action was verified");
}

Status CudaProgram::prepareSteps() {
  for (uint32_t e = 0; program.entries() && e < program.entries()->size();
       ++e) {
    const fb::Entry &entry = *program.entries()->Get(e);
    EntrySteps &its = entries.emplace_back();
    for (uint32_t i = 0; entry.steps() && i < entry.steps()->size(); ++i) {
      Expected<CudaStep> step = prepareStep(entry, *entry.steps()->Get(i));
      if (!step.ok())
        return named(step.status(), e, i);
      its.end = std::max(its.end, step->end);
      its.steps.push_back(std::move(*step));
    }
  }
  return {};
}

/// Fails with the plan's peak and what is free where memory does not do.
Status CudaSite::prepare(uint64_t bytes) {
  arenaBytes = bytes;
  Expected<Stream> made = driver->createStream();
  if (!made.ok())
    return made.status();
  stream = *made;
  Expected<Address> taken = driver->allocate(guardedBytes());
  if (!taken.ok() && taken.status().code() == RP_OUT_OF_MEMORY)
    return Status::error(
        RP_OUT_OF_MEMORY,
        "the plan takes " + std::to_string(arenaBytes) + " bytes of " +
            facts.name + ", which has " + std::to_string(facts.freeBytes) +
            " of " + std::to_string(facts.totalBytes) +
            " bytes free; compile the model again with a smaller --budget (" +
            taken.status().message() + ")");
  if (!taken.ok())
    return taken.status();
  memory = *taken;
  arena = memory + guard;
  REPRISE_RETURN_IF_ERROR(driver->fill(stream, memory, 0, guardedBytes()));
  return staging.prepare(*driver, stream);
}

Status CudaProgram::loadCode() {
  if (!program.kernels() || program.kernels()->size() == 0)
    return {};
  Expected<Code> code = readCode(program, site->facts.architecture);
  if (!code.ok())
    return code.status();
  Expected<std::vector<Kernel>> loaded =
      driver->load(code->image, code->bytes, code->names);
  if (!loaded.ok())
    return loaded.status();
  kernels = std::move(*loaded);
  threads = std::move(code->threads);
  return {};
}

Status CudaProgram::captureEntries() {
  for (size_t e = 0; e < entries.size(); ++e) {
    EntrySteps &its = entries[e];
    for (size_t i = 0; i < its.steps.size(); ++i)
      REPRISE_RETURN_IF_ERROR(runOne(e, i));
    REPRISE_RETURN_IF_ERROR(driver->beginCapture(stream));
    for (const CudaStep &step : its.steps) {
      REPRISE_FAULT("cuda-graph-ends-early",
                    if (&step == &its.steps.back()) continue);
      REPRISE_RETURN_IF_ERROR(issue(step));
    }
    Expected<Graph> graph = driver->endCapture(stream);
    if (!graph.ok())
      return graph.status();
    its.graph = *graph;
  }
  REPRISE_FAULT("cuda-arena-not-cleared", return {});
  return driver->fill(stream, arena, 0, site->arenaBytes);
}

/// In a new arena, or in one of zeros, which it is then again.
Status CudaProgram::prepare() {
  REPRISE_RETURN_IF_ERROR(loadCode());
  if (!site->memory)
    REPRISE_RETURN_IF_ERROR(site->prepare(program.arena_bytes()));
  arena = site->arena;
  stream = site->stream;
  REPRISE_RETURN_IF_ERROR(inputs.prepare(*driver, program, arena, stream));
  REPRISE_RETURN_IF_ERROR(prepareSteps());
  REPRISE_RETURN_IF_ERROR(captureEntries());
  REPRISE_RETURN_IF_ERROR(driver->freeze());
  return driver->synchronize(stream);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Waits for the steps and inputs that are under way.
Status CudaProgram::settle() {
  REPRISE_RETURN_IF_ERROR(late(driver->synchronize(stream)));
  running.reset();
  return inputs.settle();
}

Status CudaProgram::beginTurn() {
  if (site->turn == this)
    return {};
  bool waits = site->turn != nullptr;
  REPRISE_FAULT("cuda-turn-begins-early", waits = false);
  if (waits)
    REPRISE_RETURN_IF_ERROR(site->turn->settle());
  site->turn = this;
  return {};
}

CudaProgram::~CudaProgram() {
  if (site->turn != this)
    return;
  // Who comes next must not meet what is still under way.
  (void)settle();
  site->turn = nullptr;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static Status checkLibraries(const fb::Program &program,
                             const DeviceFacts &facts) {
  std::string planned = program.library() ? program.library()->str() : "";
  bool isSame = planned.empty() || planned == facts.libraries;
  REPRISE_FAULT("cuda-any-library-taken", isSame = true);
  if (!isSame)
    return Status::error(
        RP_INCOMPATIBLE,
        "the artifact's calls were planned for " + planned + ", here is " +
            (facts.libraries.empty() ? std::string("none") : facts.libraries) +
            "; compile the model again with these, or let calls "
            "run as they can in the planned bytes "
            "(--device cuda:0,adapt)");
  return {};
}

Expected<DeviceSummary> CudaDevice::summary() {
  Expected<std::unique_ptr<Driver>> driver = open();
  if (!driver.ok())
    return driver.status();
  Expected<DeviceFacts> facts = (*driver)->facts();
  if (!facts.ok())
    return facts.status();
  std::string key = describedKey(*facts);
  return DeviceSummary{facts->name,      facts->architecture,
                       facts->libraries, key.empty() ? "" : "cuda:" + key,
                       facts->freeBytes, facts->totalBytes};
}

Expected<std::string> CudaDevice::description() {
  Expected<std::unique_ptr<Driver>> driver = open();
  if (!driver.ok())
    return driver.status();
  Expected<DeviceDescription> description = describeGpu(**driver, measured);
  if (!description.ok())
    return description.status();
  return writeDescription(*description);
}

/// Memory of a GPU begins at multiples of this, as does the guard's end.
static Status checkAlignment(const fb::Program &program) {
  constexpr uint64_t kMemoryAlignment = 256;
  bool isKept = program.alignment() <= kMemoryAlignment;
  REPRISE_FAULT("cuda-any-alignment-taken", isKept = true);
  if (!isKept)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact's buffers are aligned to " +
                             std::to_string(program.alignment()) +
                             " bytes, a GPU's memory to " +
                             std::to_string(kMemoryAlignment));
  return {};
}

/// Whether a program can run on the GPU of a site.
static Status checkProgram(const fb::Program &program, const CudaSite &site) {
  REPRISE_RETURN_IF_ERROR(checkAlignment(program));
  return site.mayAdapt ? Status() : checkLibraries(program, site.facts);
}

Expected<std::unique_ptr<DeviceProgram>>
CudaDevice::prepare(const fb::Program &program, uint64_t guardBytes) {
  auto site = std::make_shared<CudaSite>();
  site->guard = guardBytes;
  site->mayAdapt = mayAdapt;
  REPRISE_RETURN_IF_ERROR(checkAlignment(program));
  Expected<std::unique_ptr<Driver>> driver = open();
  if (!driver.ok())
    return driver.status();
  site->driver = std::move(*driver);
  Expected<DeviceFacts> facts = site->driver->facts();
  if (!facts.ok())
    return facts.status();
  site->facts = *facts;
  REPRISE_RETURN_IF_ERROR(checkProgram(program, *site));
  auto prepared = std::make_unique<CudaProgram>(program, std::move(site));
  REPRISE_RETURN_IF_ERROR(prepared->prepare());
  return std::unique_ptr<DeviceProgram>(std::move(prepared));
}

/// Entries are run to be captured, which takes an arena of zeros: what is to be
/// kept of it waits on the host.
Expected<std::unique_ptr<DeviceProgram>>
CudaProgram::prepareBeside(const fb::Program &other) {
  REPRISE_RETURN_IF_ERROR(checkProgram(other, *site));
  if (other.arena_bytes() > site->arenaBytes)
    return std::unique_ptr<DeviceProgram>();
  REPRISE_RETURN_IF_ERROR(beginTurn());
  REPRISE_RETURN_IF_ERROR(settle());
  std::vector<uint8_t> fixed(program.fixed_bytes());
  REPRISE_RETURN_IF_ERROR(staging.read(arena, fixed.data(), fixed.size()));
  REPRISE_RETURN_IF_ERROR(driver->thaw());
  REPRISE_RETURN_IF_ERROR(driver->fill(stream, arena, 0, site->arenaBytes));
  auto prepared = std::make_unique<CudaProgram>(other, site);
  Status status = prepared->prepare();
  REPRISE_FAULT("cuda-variables-lost-beside", fixed.clear());
  // This program goes on whatever became of the other one.
  Status kept = driver->freeze();
  if (kept.ok())
    kept = staging.write(arena, fixed.data(), fixed.size());
  if (status.ok() && !kept.ok())
    status = kept;
  if (!status.ok())
    return status;
  return std::unique_ptr<DeviceProgram>(std::move(prepared));
}

std::unique_ptr<Device> makeCudaDevice(DriverOpener open, bool mayAdapt,
                                       const MeasuredWork &measured) {
  return std::make_unique<CudaDevice>(std::move(open), mayAdapt, measured);
}

Expected<Which> readWhich(const std::string &which) {
  Which result;
  std::string number = which, adapt = "adapt";
  if (number.size() >= adapt.size() &&
      !number.compare(number.size() - adapt.size(), adapt.size(), adapt)) {
    result.mayAdapt = true;
    number.resize(number.size() - adapt.size());
    if (!number.empty() && number.back() == ',')
      number.pop_back();
  }
  constexpr size_t kDigits = 3;
  if (number.size() > kDigits ||
      number.find_first_not_of("0123456789") != std::string::npos)
    return Status::error(RP_UNAVAILABLE,
                         "there is no GPU '" + which +
                             "'; write cuda:0, cuda:1, ... or cuda:0,adapt");
  result.number = number.empty() ? 0 : unsigned(std::stoul(number));
  return result;
}

} // namespace reprise::rt::cuda
