//===- PrepareProgram.cpp - Prepare a program to run on a GPU -------------===//
//
// Loads code and library calls, runs each entry once on zeros, since CUDA loads
// code at first use, captures it as a graph, and freezes the driver: nothing is
// allocated after that. Entries with collective calls are captured once the
// ranks are there, which may be later.
//
//===----------------------------------------------------------------------===//
#include "../core/Views.h"
#include "Code.h"
#include "CudaProgram.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>

namespace reprise::rt::cuda {

static Status checkLibraries(const fb::Program &program,
                             const DeviceFacts &facts) {
  std::string planned = program.library() ? program.library()->str() : "";
  bool isSame = planned.empty() || planned == facts.libraries;
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

/// GPU memory begins at multiples of this, and so must the end of the guard.
static Status checkAlignment(const fb::Program &program) {
  constexpr uint64_t kMemoryAlignment = 256;
  bool isKept = program.alignment() <= kMemoryAlignment;
  if (!isKept)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact's buffers are aligned to " +
                             std::to_string(program.alignment()) +
                             " bytes, a GPU's memory to " +
                             std::to_string(kMemoryAlignment));
  return {};
}

Status checkProgram(const fb::Program &program, const CudaSite &site) {
  REPRISE_RETURN_IF_ERROR(checkAlignment(program));
  return site.mayAdapt ? Status() : checkLibraries(program, site.facts);
}

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

CudaStep CudaProgram::prepareHostCopy(const fb::Entry &entry,
                                      const fb::View &view, uint64_t host,
                                      StepAction action) {
  CudaStep step;
  step.action = action;
  step.operands.push_back(
      resolve(entry, view, action == StepAction::Fetch, step));
  step.onHost = site->hostMemory + host;
  return step;
}

CudaStep CudaProgram::prepareKernel(const fb::Entry &entry,
                                    const fb::KernelLaunch &launch) {
  CudaStep step;
  step.action = StepAction::Kernel;
  step.kernel = kernels[launch.kernel()];
  step.shape = {uint32_t(launch.grains()), threads[launch.kernel()]};
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
  auto found = calls.find(key);
  if (found != calls.end())
    return found->second;
  Expected<Call> prepared =
      driver->prepare(desc, implementation, workspace, site->mayAdapt);
  if (prepared.ok())
    calls.emplace(std::move(key), *prepared);
  return prepared;
}

Expected<CudaStep> CudaProgram::prepareRankCall(const fb::Entry &entry,
                                                const fb::LibraryCall &call) {
  RankCall made = {planCollective(rt::describe(call)), {}};
  uint64_t planned = call.workspace() ? *viewBytes(*call.workspace()) : 0;
  if (planned < made.plan.workspaceBytes())
    return Status::error(RP_INCOMPATIBLE,
                         "a collective call needs a workspace of " +
                             std::to_string(made.plan.workspaceBytes()) +
                             " bytes; the program was planned with " +
                             std::to_string(planned));
  CudaStep step;
  step.action = StepAction::LibraryCall;
  for (const fb::View *input : *call.inputs())
    made.operands.inputs.push_back(resolve(entry, *input, false, step));
  for (const fb::View *output : *call.outputs())
    made.operands.outputs.push_back(resolve(entry, *output, true, step));
  if (call.workspace())
    made.operands.workspace = resolve(entry, *call.workspace(), true, step);
  step.ofRanks = std::move(made);
  return step;
}

Expected<CudaStep> CudaProgram::prepareCall(const fb::Entry &entry,
                                            const fb::LibraryCall &call) {
  if (kLibraryFunctions[size_t(call.op())].isCollective)
    return prepareRankCall(entry, call);
  REPRISE_EXPECT(prepared, findCall(call));
  CudaStep step;
  step.action = StepAction::LibraryCall;
  step.call = *prepared;
  for (const fb::View *input : *call.inputs())
    step.operands.push_back(resolve(entry, *input, false, step));
  for (const fb::View *output : *call.outputs())
    step.operands.push_back(resolve(entry, *output, true, step));
  if (call.workspace())
    step.workspace = resolve(entry, *call.workspace(), true, step);
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
  case fb::Action::Offload: {
    const fb::Offload &offload = *step.action_as_Offload();
    return prepareHostCopy(entry, *offload.source(), offload.host(),
                           StepAction::Offload);
  }
  case fb::Action::Fetch: {
    const fb::Fetch &fetch = *step.action_as_Fetch();
    return prepareHostCopy(entry, *fetch.target(), fetch.host(),
                           StepAction::Fetch);
  }
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
    REPRISE_RETURN_IF_ERROR(findBeside(e));
  }
  return {};
}

/// Finds the steps that run beside others, and between which steps.
Status CudaProgram::findBeside(size_t entry) {
  EntrySteps &its = entries[entry];
  const fb::Entry &described = *program.entries()->Get(uint32_t(entry));
  its.windows = hostCopyWindows(program, described);
  std::vector<uint32_t> ends = collectiveWindows(program, described);
  for (uint32_t i = 0; i < its.steps.size(); ++i) {
    const CudaStep &step = its.steps[i];
    its.needsRanks |= step.ofRanks.has_value();
    if (streamOf(step) == stream)
      continue;
    if (step.ofRanks)
      its.windows[i] = {i, ends[i]};
    REPRISE_EXPECT(mayBegin, driver->createEvent());
    REPRISE_EXPECT(ended, driver->createEvent());
    its.beside[i] = {*mayBegin, *ended};
  }
  return {};
}

/// If memory does not suffice, fails with the plan's peak and the free bytes.
Status CudaSite::prepare(uint64_t bytes) {
  arenaBytes = bytes;
  REPRISE_EXPECT(made, driver->createStream());
  stream = *made;
  REPRISE_EXPECT(beside, driver->createStream());
  collectives = *beside;
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

Status CudaSite::prepareHost(uint64_t bytes) {
  if (bytes <= hostBytes)
    return {};
  if (hostBytes == 0) {
    REPRISE_EXPECT(out, driver->createStream());
    REPRISE_EXPECT(in, driver->createStream());
    offloads = *out;
    fetches = *in;
  }
  // Another program's steps refer to what there is.
  REPRISE_EXPECT(pinned, driver->allocatePinned(bytes));
  hostMemory = static_cast<uint8_t *>(*pinned);
  hostBytes = bytes;
  return {};
}

Status CudaProgram::loadCode() {
  if (!program.kernels() || program.kernels()->size() == 0)
    return {};
  REPRISE_EXPECT(code, readCode(program, site->facts.architecture));
  REPRISE_EXPECT(loaded, driver->load(code->image, code->bytes, code->names));
  kernels = std::move(*loaded);
  threads = std::move(code->threads);
  return {};
}

/// Returns the stream that a step of a graph runs on.
Stream CudaProgram::streamOf(const CudaStep &step) const {
  if (step.ofRanks && step.ofRanks->plan.op != LibraryOp::TakeShard)
    return site->collectives;
  return step.action == StepAction::Offload ? site->offloads
         : step.action == StepAction::Fetch ? site->fetches
                                            : stream;
}

/// Begins a step beside others, after the work issued so far.
Status CudaProgram::beginBeside(const EntrySteps &its, size_t index) {
  const BesideEvents &events = its.beside.at(index);
  Stream other = streamOf(its.steps[index]);
  REPRISE_RETURN_IF_ERROR(driver->record(stream, events.mayBegin));
  REPRISE_RETURN_IF_ERROR(driver->wait(other, events.mayBegin));
  REPRISE_RETURN_IF_ERROR(issue(its.steps[index], other));
  return driver->record(other, events.ended);
}

/// Issues a step, with those beside it that begin or end there.
Status CudaProgram::issueWithBeside(const EntrySteps &its, size_t index) {
  for (const auto &[other, events] : its.beside) {
    const CopyWindow &window = its.windows[other];
    bool isOffload = its.steps[other].action == StepAction::Offload;
    if (isOffload ? window.begin == index : other == index)
      REPRISE_RETURN_IF_ERROR(beginBeside(its, other));
    if (isOffload ? other == index : window.end == index)
      REPRISE_RETURN_IF_ERROR(driver->wait(stream, events.ended));
  }
  bool isBeside = its.beside.count(index) != 0;
  return isBeside ? Status() : issue(its.steps[index], stream);
}

/// Always ends the capture, even if a step fails: others continue with the
/// stream.
Expected<Graph> CudaProgram::captureSteps(const EntrySteps &its) {
  REPRISE_RETURN_IF_ERROR(driver->beginCapture(stream));
  Status status;
  for (size_t i = 0; i < its.steps.size() && status.ok(); ++i)
    status = issueWithBeside(its, i);
  // Results that no step reads.
  for (const auto &[other, events] : its.beside)
    if (status.ok() && its.windows[other].end == its.steps.size())
      status = driver->wait(stream, events.ended);
  Expected<Graph> graph = driver->endCapture(stream);
  REPRISE_RETURN_IF_ERROR(status);
  return graph;
}

/// Runs the steps of this rank once each, and leaves the arena zeroed.
Status CudaProgram::runOnZeros() {
  for (size_t e = 0; e < entries.size(); ++e)
    for (size_t i = 0; i < entries[e].steps.size(); ++i)
      if (!entries[e].steps[i].ofRanks)
        REPRISE_RETURN_IF_ERROR(runOne(e, i));
  return driver->fill(stream, arena, 0, site->arenaBytes);
}

/// Captures the entries whose ranks are there.
Status CudaProgram::captureEntries() {
  for (EntrySteps &its : entries) {
    if (its.graph || (its.needsRanks && !site->ranks))
      continue;
    REPRISE_EXPECT(graph, captureSteps(its));
    its.graph = *graph;
  }
  return {};
}

Status CudaSite::join(Communicator &others) {
  Meeting meeting = {};
  if (others.rank() == 0) {
    REPRISE_EXPECT(made, driver->makeMeeting());
    meeting = *made;
  }
  std::vector<Meeting> all(others.size());
  all[others.rank()] = meeting;
  REPRISE_RETURN_IF_ERROR(
      others.gather(all.data(), {all.size() * sizeof(Meeting), sizeof(Meeting)},
                    Patience::Preparing));
  REPRISE_RETURN_IF_ERROR(driver->join(all[0], others));
  ranks = &others;
  return {};
}

/// Fails unless `ranks` are those of all collective calls.
Status CudaProgram::checkRanks(Communicator *ranks) const {
  for (const EntrySteps &its : entries)
    for (const CudaStep &step : its.steps)
      if (step.ofRanks)
        REPRISE_RETURN_IF_ERROR(rt::checkRanks(step.ofRanks->plan, ranks));
  return {};
}

Status CudaProgram::captureWithRanks(Communicator &ranks) {
  if (!site->ranks)
    REPRISE_RETURN_IF_ERROR(site->join(ranks));
  return captureEntries();
}

Status CudaProgram::setCommunicator(Communicator *ranks) {
  bool isNeeded = std::any_of(entries.begin(), entries.end(),
                              [](const auto &its) { return its.needsRanks; });
  if (!isNeeded)
    return {};
  REPRISE_RETURN_IF_ERROR(checkRanks(ranks));
  if (site->ranks && site->ranks != ranks)
    return Status::error(RP_INVALID_ARGUMENT,
                         "the session is connected to other ranks already");
  REPRISE_RETURN_IF_ERROR(beginTurn());
  REPRISE_RETURN_IF_ERROR(settle());
  REPRISE_RETURN_IF_ERROR(driver->thaw());
  Status status = captureWithRanks(*ranks);
  Status frozen = driver->freeze();
  return status.ok() ? frozen : status;
}

/// Runs in a new arena or in one of zeros, and leaves it zeroed.
Status CudaProgram::prepare() {
  REPRISE_RETURN_IF_ERROR(loadCode());
  if (!site->memory)
    REPRISE_RETURN_IF_ERROR(site->prepare(program.arena_bytes()));
  REPRISE_RETURN_IF_ERROR(site->prepareHost(hostMemoryBytes(program)));
  arena = site->arena;
  stream = site->stream;
  REPRISE_RETURN_IF_ERROR(
      inputs.prepare(*driver, program, arena, stream, site->uploads));
  REPRISE_RETURN_IF_ERROR(prepareSteps());
  REPRISE_RETURN_IF_ERROR(runOnZeros());
  REPRISE_RETURN_IF_ERROR(captureEntries());
  REPRISE_RETURN_IF_ERROR(driver->freeze());
  return driver->synchronize(stream);
}

} // namespace reprise::rt::cuda
