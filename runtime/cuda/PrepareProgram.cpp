//===- PrepareProgram.cpp - Prepare a program to run on a GPU -------------===//
//
// Loads code and library calls, runs each entry once on zeros, since CUDA loads
// code at first use, captures it as a graph, and freezes the driver: nothing is
// allocated after that.
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

Expected<CudaStep> CudaProgram::prepareCall(const fb::Entry &entry,
                                            const fb::LibraryCall &call) {
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
    REPRISE_RETURN_IF_ERROR(findCopies(e));
  }
  return {};
}

Status CudaProgram::findCopies(size_t entry) {
  EntrySteps &its = entries[entry];
  its.windows =
      hostCopyWindows(program, *program.entries()->Get(uint32_t(entry)));
  for (size_t i = 0; i < its.steps.size(); ++i) {
    StepAction action = its.steps[i].action;
    if (action != StepAction::Offload && action != StepAction::Fetch)
      continue;
    REPRISE_EXPECT(mayBegin, driver->createEvent());
    REPRISE_EXPECT(ended, driver->createEvent());
    its.copies[i] = {*mayBegin, *ended};
  }
  return {};
}

/// If memory does not suffice, fails with the plan's peak and the free bytes.
Status CudaSite::prepare(uint64_t bytes) {
  arenaBytes = bytes;
  REPRISE_EXPECT(made, driver->createStream());
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

/// Begins a copy to or from host memory on the stream of its direction, after
/// the work issued so far.
Status CudaProgram::beginCopy(const EntrySteps &its, size_t index) {
  const CudaStep &step = its.steps[index];
  const CopyEvents &events = its.copies.at(index);
  bool isOffload = step.action == StepAction::Offload;
  Stream beside = isOffload ? site->offloads : site->fetches;
  uint64_t bytes = step.touches[0].bytes;
  REPRISE_RETURN_IF_ERROR(driver->record(stream, events.mayBegin));
  REPRISE_RETURN_IF_ERROR(driver->wait(beside, events.mayBegin));
  REPRISE_RETURN_IF_ERROR(
      isOffload ? driver->download(beside, step.onHost, step.operands[0], bytes)
                : driver->upload(beside, step.operands[0], step.onHost, bytes));
  return driver->record(beside, events.ended);
}

/// Issues a step, with the copies that begin or end there.
Status CudaProgram::issueBeside(const EntrySteps &its, size_t index) {
  for (const auto &[copy, events] : its.copies) {
    const CopyWindow &window = its.windows[copy];
    bool isOffload = its.steps[copy].action == StepAction::Offload;
    if (isOffload ? window.begin == index : copy == index)
      REPRISE_RETURN_IF_ERROR(beginCopy(its, copy));
    if (isOffload ? copy == index : window.end == index)
      REPRISE_RETURN_IF_ERROR(driver->wait(stream, events.ended));
  }
  bool isCopy = its.copies.count(index) != 0;
  return isCopy ? Status() : issue(its.steps[index]);
}

/// Always ends the capture, even if a step fails: others continue with the
/// stream.
Expected<Graph> CudaProgram::captureSteps(const EntrySteps &its) {
  REPRISE_RETURN_IF_ERROR(driver->beginCapture(stream));
  Status status;
  for (size_t i = 0; i < its.steps.size() && status.ok(); ++i) {
    status = issueBeside(its, i);
  }
  // Fetched values that no step reads.
  for (const auto &[copy, events] : its.copies)
    if (status.ok() && its.windows[copy].end == its.steps.size())
      status = driver->wait(stream, events.ended);
  Expected<Graph> graph = driver->endCapture(stream);
  REPRISE_RETURN_IF_ERROR(status);
  return graph;
}

Status CudaProgram::captureEntries() {
  for (size_t e = 0; e < entries.size(); ++e) {
    EntrySteps &its = entries[e];
    for (size_t i = 0; i < its.steps.size(); ++i)
      REPRISE_RETURN_IF_ERROR(runOne(e, i));
    REPRISE_EXPECT(graph, captureSteps(its));
    its.graph = *graph;
  }
  return driver->fill(stream, arena, 0, site->arenaBytes);
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
  REPRISE_RETURN_IF_ERROR(captureEntries());
  REPRISE_RETURN_IF_ERROR(driver->freeze());
  return driver->synchronize(stream);
}

} // namespace reprise::rt::cuda
