//===- LibraryCalls.cpp - Run planned oneDNN calls ------------------------===//
//
// Primitives and memory objects are made when a program is prepared, with
// final addresses, so that a step only executes. oneDNN itself keeps the
// table of arguments of an execution on the heap: some small nodes a call.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"

namespace reprise::rt {

static void *address(Place place, const LibraryPlan &plan,
                     const LibraryOperands &operands) {
  switch (place) {
  case Place::Input0:
    return operands.inputs[0];
  case Place::Input1:
    return operands.inputs[1];
  case Place::Output:
    return operands.output;
  case Place::Packed:
    return operands.workspace;
  case Place::Scratchpad:
    return static_cast<char *>(operands.workspace) + plan.scratchpadOffset;
  }
  return nullptr;
}

BoundLibraryCall::BoundLibraryCall(
    const LibraryPlan &plan, const std::vector<dnnl::primitive> &primitives,
    const LibraryOperands &operands) {
  for (size_t i = 0; i < primitives.size(); ++i) {
    Bound bound{primitives[i], {}, {}};
    for (const PlannedPrimitive::Argument &a : plan.primitives[i].arguments) {
      bound.memories.emplace_back(a.desc, cpuEngine(),
                                  address(a.place, plan, operands));
      bound.arguments.push_back({a.name, bound.memories.back().get()});
    }
    sequence.push_back(std::move(bound));
  }
}

Status BoundLibraryCall::run(dnnl::stream &stream) {
  for (Bound &bound : sequence) {
    dnnl_status_t status = dnnl_primitive_execute(
        bound.primitive.get(), stream.get(), int(bound.arguments.size()),
        bound.arguments.data());
    if (status != dnnl_success)
      return Status::error(
          status == dnnl_out_of_memory ? RP_OUT_OF_MEMORY : RP_INTERNAL,
          "oneDNN failed with status " + std::to_string(int(status)));
  }
  return {};
}

Expected<const LibraryCache::Entry *>
LibraryCache::get(const LibraryCallDesc &desc) {
  std::unique_ptr<Entry> &slot = entries[libraryCallKey(desc)];
  if (slot)
    return slot.get();
  Expected<LibraryPlan> plan = planLibraryCall(desc, threads);
  if (!plan.ok())
    return plan.status();
  auto entry = std::make_unique<Entry>();
  entry->plan = std::move(*plan);
  ThreadScope scope(threads);
  try {
    for (const PlannedPrimitive &p : entry->plan.primitives)
      entry->primitives.emplace_back(const_dnnl_primitive_desc_t(p.desc.get()));
  } catch (const dnnl::error &error) {
    return Status::error(RP_INTERNAL,
                         std::string("oneDNN could not generate code: ") +
                             error.what());
  }
  slot = std::move(entry);
  return slot.get();
}

} // namespace reprise::rt
