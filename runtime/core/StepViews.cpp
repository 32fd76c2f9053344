//===- StepViews.cpp - Operands and results of a step ---------------------===//

#include "StepViews.h"

namespace reprise::rt {

static StepViews viewsOf(const fb::LibraryCall &call) {
  StepViews views;
  views.reads.assign(call.inputs()->begin(), call.inputs()->end());
  views.results.assign(call.outputs()->begin(), call.outputs()->end());
  if (call.workspace())
    views.scratch.push_back(call.workspace());
  return views;
}

static StepViews viewsOf(const fb::KernelLaunch &launch,
                         const fb::Program &program, const fb::Entry &entry) {
  StepViews views;
  if (launch.args())
    views.reads.assign(launch.args()->begin(), launch.args()->end());
  for (uint32_t i = 0; launch.writes() && i < launch.writes()->size(); ++i) {
    const fb::View *view = launch.args()->Get(launch.writes()->Get(i));
    bool isScratch =
        bufferOf(program, &entry, *view)->kind() == fb::BufferKind::Workspace;
    (isScratch ? views.scratch : views.results).push_back(view);
  }
  return views;
}

StepViews viewsOf(const fb::Step &step, const fb::Program &program,
                  const fb::Entry &entry) {
  switch (step.action_type()) {
  case fb::Action::LibraryCall:
    return viewsOf(*step.action_as_LibraryCall());
  case fb::Action::KernelLaunch:
    return viewsOf(*step.action_as_KernelLaunch(), program, entry);
  case fb::Action::Copy: {
    const fb::Copy &copy = *step.action_as_Copy();
    return {{copy.source()}, {copy.target()}, {}};
  }
  case fb::Action::Offload:
    return {{step.action_as_Offload()->source()}, {}, {}};
  case fb::Action::Fetch:
    return {{}, {step.action_as_Fetch()->target()}, {}};
  case fb::Action::NONE:
    break;
  }
  return {};
}

bool holdsValues(const fb::Program &program, const fb::Entry &entry,
                 uint32_t index, const fb::View &view) {
  uint32_t fixed = program.buffers() ? program.buffers()->size() : 0;
  if (view.buffer() < fixed ||
      bufferOf(program, &entry, view)->first_step() < index)
    return true;
  if (entry.inputs())
    for (const fb::Binding *input : *entry.inputs())
      if (input->view()->buffer() == view.buffer())
        return true;
  return false;
}

std::optional<uint32_t> lastWriter(const fb::Program &program,
                                   const fb::Entry &entry,
                                   const fb::View &view) {
  for (uint32_t i = entry.steps() ? entry.steps()->size() : 0; i-- > 0;)
    for (const fb::View *result :
         viewsOf(*entry.steps()->Get(i), program, entry).results)
      if (result->buffer() == view.buffer())
        return i;
  return std::nullopt;
}

static std::string text(const flatbuffers::String *s) {
  return s ? s->str() : "";
}

std::string describeStep(const fb::Entry &entry, uint32_t index) {
  const fb::Step &step = *entry.steps()->Get(index);
  std::string module = text(step.module_());
  return "step " + std::to_string(index) + " (" + text(step.name()) +
         (module.empty() ? "" : " in '" + module + "'") + ") of entry '" +
         text(entry.name()) + "'";
}

} // namespace reprise::rt
