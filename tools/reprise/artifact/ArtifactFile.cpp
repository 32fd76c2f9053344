//===- ArtifactFile.cpp - An artifact for reading -------------------------===//

#include "ArtifactFile.h"
#include "reprise/Limits.h"
#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/Trainer/File.h"
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::tools;
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
  rt::Expected<rt::InputFile> input = rt::InputFile::open(path);
  if (!input.ok())
    return input.status();
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

/// A FlatBuffers vector, or nothing where it is absent.
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
  return facts;
}

static Action actionOf(const fb::Step &step) {
  switch (step.action_type()) {
  case fb::Action::LibraryCall:
    return Action::LibraryCall;
  case fb::Action::Copy:
    return Action::Copy;
  default:
    return Action::Kernel;
  }
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
  return facts;
}

static TensorFacts factsOf(const fb::Binding &binding) {
  TensorFacts facts;
  facts.name = textOf(binding.name());
  facts.role = rp_binding_role(binding.role());
  if (const fb::View *view = binding.view())
    for (uint32_t i = 0; view->shape() && i < view->shape()->size(); ++i)
      facts.shape.push_back(view->shape()->Get(i));
  return facts;
}

static EntryFacts factsOf(const fb::Entry &entry) {
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
  return facts;
}

/// A text in a plan note, which other compilers may leave out.
static std::string noted(const std::string &note, const char *key) {
  auto json = nlohmann::json::parse(note, nullptr, false);
  if (!json.is_object() || !json.contains(key) || !json[key].is_string())
    return "";
  return json[key].get<std::string>();
}

ProgramFacts reprise::tools::factsOf(const ArtifactFile &artifact) {
  const fb::Program &program = artifact.root();
  ProgramFacts facts;
  facts.model = textOf(program.model());
  facts.checkpointing = noted(textOf(program.plan_note()), "checkpointing");
  facts.command = noted(textOf(program.plan_note()), "command");
  facts.producer = textOf(program.producer());
  facts.device = textOf(program.device());
  facts.target = textOf(program.target());
  facts.library = textOf(program.library());
  facts.threads = program.threads();
  facts.arena = program.arena_bytes();
  facts.fixed = program.fixed_bytes();
  forEach(program.buffers(), [&](const fb::Buffer *buffer) {
    facts.buffers.push_back(::factsOf(*buffer));
  });
  forEach(program.entries(), [&](const fb::Entry *entry) {
    facts.entries.push_back(::factsOf(*entry));
  });
  return facts;
}
