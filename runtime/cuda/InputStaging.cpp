//===- InputStaging.cpp - Inputs on their way beside a step ---------------===//
#include "InputStaging.h"
#include "../core/Views.h"
#include "reprise/Fault.h"

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

Status InputStaging::prepare(Driver &owner, const fb::Program &program,
                             Address itsArena, Stream its) {
  buffer = bufferOf(program);
  if (!buffer)
    return {};
  driver = &owner;
  arena = itsArena;
  steps = its;
  Expected<Stream> stream = driver->createStream();
  if (!stream.ok())
    return stream.status();
  uploads = *stream;
  for (Event *event : {&sent, &taken}) {
    Expected<Event> made = driver->createEvent();
    if (!made.ok())
      return made.status();
    *event = *made;
  }
  REPRISE_RETURN_IF_ERROR(host.prepare(*driver, uploads));
  return placeInputs(program);
}

Status InputStaging::write(size_t entry, uint32_t input, const void *data,
                           uint64_t bytes) {
  for (size_t e = 0; e < entries.size(); ++e)
    for (Input &other : entries[e])
      other.isWaiting &= e == entry;
  bool waits = isBeingTaken;
  REPRISE_FAULT("cuda-inputs-sent-early", waits = false);
  if (waits)
    REPRISE_RETURN_IF_ERROR(driver->wait(uploads, taken));
  isBeingTaken = false;
  Input &its = entries[entry][input];
  its.isWaiting = true;
  return host.write(arena + its.staged, data, bytes);
}

Status InputStaging::settle() {
  return buffer ? driver->synchronize(uploads) : Status();
}

Expected<uint64_t> InputStaging::take(size_t entry) {
  uint64_t end = 0;
  REPRISE_RETURN_IF_ERROR(driver->record(uploads, sent));
  bool waits = true;
  REPRISE_FAULT("cuda-inputs-taken-early", waits = false);
  if (waits)
    REPRISE_RETURN_IF_ERROR(driver->wait(steps, sent));
  for (Input &input : entries[entry]) {
    if (!input.isWaiting)
      continue;
    REPRISE_RETURN_IF_ERROR(driver->copy(steps, arena + input.offset,
                                         arena + input.staged, input.bytes));
    input.isWaiting = false;
    end = std::max(end, input.offset + input.bytes);
  }
  REPRISE_RETURN_IF_ERROR(driver->record(steps, taken));
  isBeingTaken = true;
  return end;
}

} // namespace reprise::rt::cuda
