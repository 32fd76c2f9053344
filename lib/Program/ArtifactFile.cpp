//===- ArtifactFile.cpp - Read artifacts ----------------------------------===//

#include "reprise/Program/ArtifactFile.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/CollectiveWindows.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Library.h"
#include "reprise/Runtime/Trainer/File.h"
#include <cstdlib>
#include <cstring>

using namespace reprise;
using namespace reprise::driver;
namespace fb = reprise::rt::fb;

static constexpr uint64_t kDigestAt = 24, kDigestBytes = 16;

static std::shared_ptr<uint8_t> allocate(uint64_t size) {
  uint64_t rounded = (size / kAlignment + 1) * kAlignment;
  return std::shared_ptr<uint8_t>(
      static_cast<uint8_t *>(std::aligned_alloc(kAlignment, rounded)),
      [](uint8_t *p) { std::free(p); });
}

static rt::Status outOfMemory(uint64_t size) {
  return rt::Status::error(RP_OUT_OF_MEMORY, "cannot allocate " +
                                                 std::to_string(size) +
                                                 " bytes for an artifact");
}

rt::Expected<ArtifactFile> ArtifactFile::adopt(std::shared_ptr<uint8_t> bytes,
                                               uint64_t size) {
  const uint8_t *payload = nullptr;
  size_t payloadSize = 0;
  REPRISE_RETURN_IF_ERROR(
      rt::openContainer(bytes.get(), size, &payload, &payloadSize));
  REPRISE_RETURN_IF_ERROR(rt::verifyProgram(payload, payloadSize));
  ArtifactFile file;
  file.bytes = std::move(bytes);
  file.size = size;
  file.program = fb::GetProgram(payload);
  return file;
}

rt::Expected<ArtifactFile> ArtifactFile::fromMemory(const void *data,
                                                    size_t size) {
  std::shared_ptr<uint8_t> bytes = allocate(size);
  if (!bytes)
    return outOfMemory(size);
  if (size)
    std::memcpy(bytes.get(), data, size);
  return adopt(std::move(bytes), size);
}

rt::Expected<ArtifactFile> ArtifactFile::open(const std::string &path) {
  REPRISE_EXPECT(input, rt::InputFile::open(path));
  std::shared_ptr<uint8_t> bytes = allocate(input->size());
  if (!bytes)
    return outOfMemory(input->size());
  REPRISE_RETURN_IF_ERROR(input->readAt(0, bytes.get(), input->size()));
  rt::Expected<ArtifactFile> file = adopt(std::move(bytes), input->size());
  if (!file.ok())
    return rt::Status::error(file.status().code(),
                             "'" + path + "': " + file.status().message());
  return file;
}

std::string ArtifactFile::digest() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint64_t i = kDigestAt; i < kDigestAt + kDigestBytes; ++i) {
    text += digits[bytes.get()[i] >> 4];
    text += digits[bytes.get()[i] & 15];
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static std::string textOf(const flatbuffers::String *text) {
  return text ? text->str() : std::string();
}

/// Visits a FlatBuffers vector, if it is present.
template <typename T, typename Function>
static void forEach(const flatbuffers::Vector<T> *vector, Function function) {
  for (uint32_t i = 0; vector && i < vector->size(); ++i)
    function(vector->Get(i));
}

static BufferFacts factsOf(const fb::Buffer &buffer) {
  BufferFacts facts;
  facts.name = textOf(buffer.name());
  facts.kind = BufferKind(buffer.kind());
  facts.offset = buffer.offset();
  facts.size = buffer.size();
  facts.firstStep = buffer.first_step();
  facts.lastStep = buffer.last_step();
  facts.reason = Reason(buffer.reason());
  return facts;
}

static StepAction actionOf(const fb::Step &step) {
  switch (step.action_type()) {
  case fb::Action::LibraryCall:
    return StepAction::LibraryCall;
  case fb::Action::Copy:
    return StepAction::Copy;
  case fb::Action::Offload:
    return StepAction::Offload;
  case fb::Action::Fetch:
    return StepAction::Fetch;
  default:
    return StepAction::Kernel;
  }
}

static ViewFacts factsOf(const fb::View &view) {
  uint64_t elements = 1;
  forEach(view.shape(), [&](int64_t extent) { elements *= uint64_t(extent); });
  return {view.buffer(),
          elements * rt::elementBytes(rp_element_type(view.type()))};
}

/// Returns the bytes of the scores (B,H,N,N), in f32, for qkv (B,N,3,H,D).
static uint64_t scoreBytes(const fb::View &qkv) {
  uint64_t tokens = qkv.shape()->Get(1);
  return 4 * qkv.shape()->Get(0) * qkv.shape()->Get(3) * tokens * tokens;
}

static void addCall(const fb::LibraryCall &call, StepFacts &facts) {
  if (call.op() == fb::LibraryOp::Attention)
    facts.unstored = scoreBytes(*call.inputs()->Get(0));
  forEach(call.inputs(),
          [&](const fb::View *view) { facts.reads.push_back(factsOf(*view)); });
  forEach(call.outputs(), [&](const fb::View *view) {
    facts.writes.push_back(factsOf(*view));
  });
  if (call.workspace())
    facts.workspace = factsOf(*call.workspace());
  const LibraryFunction &function = kLibraryFunctions[size_t(call.op())];
  if (function.isCollective)
    facts.collective = LibraryOp(call.op());
  std::optional<unsigned> addend = function.overwritten;
  if (call.epilogues())
    addend = addendOf(function, *call.epilogues());
  for (unsigned k = 0; addend && k < facts.writes.size(); ++k)
    if (facts.reads[*addend + k].buffer == facts.writes[k].buffer)
      facts.inPlace.push_back({k, *addend + k});
}

static void addLaunch(const fb::KernelLaunch &launch, StepFacts &facts) {
  uint32_t args = launch.args() ? launch.args()->size() : 0;
  std::vector<bool> isWritten(args);
  forEach(launch.writes(), [&](uint32_t number) { isWritten[number] = true; });
  // The number of each argument among the reads, or among the writes.
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < args; ++i) {
    std::vector<ViewFacts> &views = isWritten[i] ? facts.writes : facts.reads;
    numbers.push_back(uint32_t(views.size()));
    views.push_back(factsOf(*launch.args()->Get(i)));
  }
  const auto *pairs = launch.in_place();
  for (uint32_t i = 0; pairs && i + 1 < pairs->size(); i += 2)
    facts.inPlace.push_back(
        {numbers[pairs->Get(i)], numbers[pairs->Get(i + 1)]});
}

static StepFacts factsOf(const fb::Step &step) {
  StepFacts facts;
  facts.name = textOf(step.name());
  facts.module = textOf(step.module_());
  facts.location = textOf(step.location());
  facts.phase = Phase(step.phase());
  facts.action = actionOf(step);
  facts.flops = step.flops();
  facts.bytes = step.bytes();
  facts.picoseconds = step.picoseconds();
  if (step.clone_of() >= 0)
    facts.cloneOf = uint32_t(step.clone_of());
  facts.isAsked = step.asked();
  if (const auto *call = step.action_as_LibraryCall())
    addCall(*call, facts);
  if (const auto *launch = step.action_as_KernelLaunch())
    addLaunch(*launch, facts);
  if (const auto *copy = step.action_as_Copy()) {
    facts.reads.push_back(factsOf(*copy->source()));
    facts.writes.push_back(factsOf(*copy->target()));
  }
  if (const auto *offload = step.action_as_Offload())
    facts.reads.push_back(factsOf(*offload->source()));
  if (const auto *fetch = step.action_as_Fetch())
    facts.writes.push_back(factsOf(*fetch->target()));
  return facts;
}

static PointFacts factsOf(const fb::Point &point) {
  return {point.bytes(), millisecondsOf(point.picoseconds()),
          textOf(point.kernels())};
}

static CertificateFacts factsOf(const fb::Certificate &certificate) {
  CertificateFacts facts;
  facts.budget = certificate.budget();
  facts.plan = factsOf(*certificate.plan());
  facts.plain = factsOf(*certificate.plain());
  facts.smallest = factsOf(*certificate.smallest());
  facts.bound = millisecondsOf(certificate.bound());
  facts.picosecondsPerMiB = certificate.price();
  facts.provenBytes = certificate.proven_bytes();
  facts.provenAt = textOf(certificate.proven_at());
  forEach(certificate.pinned(), [&](const fb::Pinned *pinned) {
    ValueFacts value;
    value.name = textOf(pinned->name());
    value.module = textOf(pinned->module_());
    value.bytes = pinned->bytes();
    value.milliseconds = millisecondsOf(pinned->picoseconds());
    facts.pinned.push_back(std::move(value));
  });
  return facts;
}

static TensorFacts factsOf(const fb::Binding &binding) {
  TensorFacts facts;
  facts.name = textOf(binding.name());
  facts.role = rp_binding_role(binding.role());
  if (const fb::View *view = binding.view())
    facts.buffer = view->buffer();
  if (const fb::View *view = binding.view())
    for (uint32_t i = 0; view->shape() && i < view->shape()->size(); ++i)
      facts.shape.push_back(view->shape()->Get(i));
  return facts;
}

static EntryFacts factsOf(const fb::Program &program, const fb::Entry &entry) {
  EntryFacts facts;
  facts.name = textOf(entry.name());
  forEach(entry.inputs(), [&](const fb::Binding *binding) {
    facts.inputs.push_back(factsOf(*binding));
  });
  forEach(entry.outputs(), [&](const fb::Binding *binding) {
    facts.outputs.push_back(factsOf(*binding));
  });
  facts.peak = entry.peak_bytes();
  facts.maxLive = entry.max_live_bytes();
  facts.baseFlops = entry.base_flops();
  forEach(entry.buffers(), [&](const fb::Buffer *buffer) {
    facts.buffers.push_back(factsOf(*buffer));
  });
  forEach(entry.steps(),
          [&](const fb::Step *step) { facts.steps.push_back(factsOf(*step)); });
  std::vector<uint32_t> windows = rt::collectiveWindows(program, entry);
  for (size_t i = 0; i < windows.size(); ++i)
    facts.steps[i].window = windows[i];
  facts.forwardSteps = entry.forward_steps();
  facts.kept = entry.kept_bytes();
  if (entry.certificate())
    facts.certificate = factsOf(*entry.certificate());
  return facts;
}

static void addShards(const fb::Program &program, ProgramFacts &facts) {
  forEach(program.variables(), [&](const fb::Variable *variable) {
    if (!variable->whole_shape() || variable->whole_shape()->size() == 0)
      return;
    uint64_t bytes =
        rt::elementBytes(rp_element_type(variable->view()->type()));
    forEach(variable->whole_shape(),
            [&](int64_t extent) { bytes *= uint64_t(extent); });
    facts.shards += factsOf(*variable->view()).bytes;
    facts.sharded += bytes;
  });
}

ProgramFacts reprise::driver::factsOf(const ArtifactFile &artifact) {
  return factsOf(artifact.root());
}

ProgramFacts reprise::driver::factsOf(const fb::Program &program) {
  ProgramFacts facts;
  facts.model = textOf(program.model());
  facts.checkpointing = textOf(program.checkpointing());
  facts.command = textOf(program.command());
  facts.producer = textOf(program.producer());
  facts.device = textOf(program.device());
  facts.target = textOf(program.target());
  facts.library = textOf(program.library());
  facts.threads = program.threads();
  facts.arena = program.arena_bytes();
  facts.fixed = program.fixed_bytes();
  addShards(program, facts);
  forEach(program.buffers(), [&](const fb::Buffer *buffer) {
    facts.buffers.push_back(::factsOf(*buffer));
  });
  forEach(program.entries(), [&](const fb::Entry *entry) {
    facts.entries.push_back(::factsOf(program, *entry));
  });
  return facts;
}
