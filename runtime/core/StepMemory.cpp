//===- StepMemory.cpp - Memory of a plan over its steps -------------------===//
#include "StepMemory.h"
#include <algorithm>

using namespace reprise::rt;

void reprise::rt::fillStepMemory(const fb::Program &program,
                                 const fb::Entry &entry,
                                 rp_step_memory *steps) {
  size_t count = entry.steps() ? entry.steps()->size() : 0;
  for (size_t i = 0; i < count; ++i) {
    steps[i] = {};
    steps[i].phase = rp_phase(entry.steps()->Get(uint32_t(i))->phase());
    steps[i].end_bytes = program.fixed_bytes();
    if (!program.buffers())
      continue;
    for (const fb::Buffer *b : *program.buffers())
      steps[i].live_bytes[size_t(b->kind())] += b->size();
  }
  if (!entry.buffers())
    return;
  for (const fb::Buffer *b : *entry.buffers()) {
    size_t end = std::min(size_t(b->last_step()) + 1, count);
    for (size_t i = b->first_step(); i < end; ++i) {
      steps[i].live_bytes[size_t(b->kind())] += b->size();
      steps[i].end_bytes =
          std::max<size_t>(steps[i].end_bytes, b->offset() + b->size());
    }
  }
}
