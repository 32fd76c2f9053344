//===- InputStaging.cpp - Send inputs while a step runs -------------------===//
#include "InputStaging.h"
#include "../core/Views.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>

namespace reprise::rt::cuda {

const fb::Buffer *InputStaging::bufferOf(const fb::Program &program) {
  // The inputs that a step reads are buffers of its entry.
  if (program.buffers())
    for (const fb::Buffer *each : *program.buffers())
      if (each->kind() == fb::BufferKind::Input)
        return each;
  return nullptr;
}

Status InputStaging::placeInputs(const fb::Program &program) {
  uint64_t unit = program.alignment();
  for (uint32_t e = 0; program.entries() && e < program.entries()->size();
       ++e) {
    const fb::Entry &entry = *program.entries()->Get(e);
    std::vector<Input> &inputs = entries.emplace_back();
    uint64_t used = 0;
    for (uint32_t i = 0; entry.inputs() && i < entry.inputs()->size(); ++i) {
      const fb::View &view = *entry.inputs()->Get(i)->view();
      uint64_t bytes = *viewBytes(view);
      inputs.push_back({buffer->offset() + used,
                        arenaOffset(program, &entry, view), bytes, false});
      used += (bytes + unit - 1) / unit * unit;
    }
    if (used > buffer->size())
      return Status::error(
          RP_INCOMPATIBLE,
          "the artifact keeps " + std::to_string(buffer->size()) +
              " bytes for inputs of the next run, entry '" +
              entry.name()->str() + "' takes " + std::to_string(used));
  }
  return {};
}

Status Uploads::prepare(Driver &driver) {
  if (isThere)
    return {};
  REPRISE_EXPECT(made, driver.createStream());
  stream = *made;
  for (Event *event : {&sent, &taken}) {
    REPRISE_EXPECT(one, driver.createEvent());
    *event = *one;
  }
  REPRISE_RETURN_IF_ERROR(host.prepare(driver, stream));
  isThere = true;
  return {};
}

Status InputStaging::prepare(Driver &owner, const fb::Program &program,
                             Address itsArena, Stream its, Uploads &shared) {
  buffer = bufferOf(program);
  if (!buffer)
    return {};
  driver = &owner;
  arena = itsArena;
  steps = its;
  uploads = &shared;
  REPRISE_RETURN_IF_ERROR(uploads->prepare(*driver));
  return placeInputs(program);
}

Status InputStaging::write(size_t entry, uint32_t input, const void *data,
                           uint64_t bytes) {
  for (size_t e = 0; e < entries.size(); ++e)
    for (Input &other : entries[e])
      other.isWaiting &= e == entry;
  bool waits = isBeingTaken;
  if (waits)
    REPRISE_RETURN_IF_ERROR(driver->wait(uploads->stream, uploads->taken));
  isBeingTaken = false;
  Input &its = entries[entry][input];
  its.isWaiting = true;
  return uploads->host.write(arena + its.staged, data, bytes);
}

Status InputStaging::settle() {
  return buffer ? driver->synchronize(uploads->stream) : Status();
}

Expected<uint64_t> InputStaging::take(size_t entry) {
  uint64_t end = 0;
  REPRISE_RETURN_IF_ERROR(driver->record(uploads->stream, uploads->sent));
  bool waits = true;
  if (waits)
    REPRISE_RETURN_IF_ERROR(driver->wait(steps, uploads->sent));
  for (Input &input : entries[entry]) {
    if (!input.isWaiting)
      continue;
    REPRISE_RETURN_IF_ERROR(driver->copy(steps, arena + input.offset,
                                         arena + input.staged, input.bytes));
    input.isWaiting = false;
    end = std::max(end, input.offset + input.bytes);
  }
  REPRISE_RETURN_IF_ERROR(driver->record(steps, uploads->taken));
  isBeingTaken = true;
  return end;
}

} // namespace reprise::rt::cuda
