//===- GuardedRun.cpp - Runs that look for values that are not finite -----===//
//
// A step whose loss is not finite ends before it updates a parameter, so that
// it can run again from the same values. Running statistics may have changed by
// then: a training step computes nothing from them but their next values.
//
//===----------------------------------------------------------------------===//
#include "FiniteCheck.h"
#include "Session.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>

namespace reprise::rt {

static bool isRunningStatistics(const fb::Program &program, uint32_t buffer) {
  return program.variables() &&
         std::any_of(program.variables()->begin(), program.variables()->end(),
                     [&](const fb::Variable *variable) {
                       return variable->view()->buffer() == buffer &&
                              variable->role() == fb::Role::RunningStatistics;
                     });
}

/// Returns true if a step up to `last` writes a variable that forward passes
/// read.
static bool changesVariables(const fb::Program &program, const fb::Entry &entry,
                             uint32_t last) {
  uint32_t fixed = program.buffers() ? program.buffers()->size() : 0;
  for (uint32_t i = 0; i <= last; ++i)
    for (const fb::View *result :
         viewsOf(*entry.steps()->Get(i), program, entry).results)
      if (result->buffer() < fixed &&
          !isRunningStatistics(program, result->buffer()))
        return true;
  return false;
}

void Session::chooseGuard(size_t number, uint32_t output) {
  const fb::Program &root = program->root();
  const fb::Entry &entry = program->entry(number);
  const fb::Binding &binding = *entry.outputs()->Get(output);
  EntryState &state = entries[number];
  if (state.guarded == binding.name()->string_view())
    return;
  state.guarded = binding.name()->str();
  state.guardedSteps.reset();
  bool isScalar = isFloatingPoint(binding.view()->type()) &&
                  *viewBytes(*binding.view()) <= sizeof(double);
  std::optional<uint32_t> maker = lastWriter(root, entry, *binding.view());
  if (isScalar && maker && !changesVariables(root, entry, *maker))
    state.guardedSteps = *maker + 1;
}

/// Begins a run whose output `output` is examined.
Status Session::beginRun(const char *entryName, const char *output,
                         size_t &number, uint32_t &index) {
  REPRISE_EXPECT(entry, beginRun(entryName));
  REPRISE_EXPECT(found, outputNumber(*entry, output));
  number = *entry;
  index = *found;
  return {};
}

Status Session::runGuarded(const char *entryName, const char *output,
                           bool &stopped) {
  stopped = false;
  size_t number = 0;
  uint32_t index = 0;
  REPRISE_RETURN_IF_ERROR(beginRun(entryName, output, number, index));
  size_t first = 0;
  chooseGuard(number, index);
  const std::optional<size_t> &guard = entries[number].guardedSteps;
  if (guard && !prepared->stagesInputs()) {
    REPRISE_RETURN_IF_ERROR(runSteps(number, 0, *guard));
    const fb::Entry &entry = program->entry(number);
    const fb::View &view = *entry.outputs()->Get(index)->view();
    uint8_t bytes[sizeof(double)] = {};
    REPRISE_RETURN_IF_ERROR(prepared->read(
        arenaOffset(program->root(), &entry, view), bytes, *viewBytes(view)));
    stopped = !surveyNumbers(view, bytes).isFinite();
    first = *guard;
  }
  if (!stopped)
    REPRISE_RETURN_IF_ERROR(
        runSteps(number, first, entries[number].times.size()));
  outputsOf = int(number);
  return {};
}

Status Session::findNonFinite(const char *entryName, const char *output,
                              rp_origin &origin, const char *&text) {
  size_t number = 0;
  uint32_t index = 0;
  REPRISE_RETURN_IF_ERROR(beginRun(entryName, output, number, index));
  REPRISE_EXPECT(values, readMoved(program->root(), /*all=*/true));
  FiniteCheck check(program->root(), number, *prepared);
  Status ran = check.run(index);
  REPRISE_RETURN_IF_ERROR(writeValues(*values));
  origin = check.origin();
  explanation = check.text();
  text = explanation.c_str();
  return ran;
}

} // namespace reprise::rt
