//===- Session.cpp - One running program ----------------------------------===//
//
// Entries share the arena, so setting an input of one destroys the outputs and
// inputs of another; the session keeps track and reports an error instead of
// returning overwritten bytes.
//
//===----------------------------------------------------------------------===//
#include "Session.h"
#include "Initialize.h"
#include "VerifyProgram.h"
#include "reprise/Averages.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <chrono>

namespace reprise::rt {

static Status wrong(const std::string &what,
                    const char *file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT, what, file, line);
}

static uint32_t stepsOf(const fb::Entry &entry) {
  return entry.steps() ? entry.steps()->size() : 0;
}

using Bindings = flatbuffers::Vector<flatbuffers::Offset<fb::Binding>>;

/// Returns the number of the binding of that name, or -1.
static int findBinding(const Bindings *bindings, std::string_view name) {
  if (bindings)
    for (uint32_t i = 0; i < bindings->size(); ++i)
      if (bindings->Get(i)->name()->string_view() == name)
        return int(i);
  return -1;
}

static Status checkTransfer(const std::string &what, const fb::View &view,
                            const void *data, size_t bytes) {
  uint64_t expected = *viewBytes(view);
  if (bytes != expected)
    return wrong(what + " has " + std::to_string(expected) + " bytes, not " +
                 std::to_string(bytes));
  if (!data)
    return wrong(what + " was given no memory");
  return {};
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

std::vector<Session::EntryState> Session::entriesOf(const Program &program) {
  const fb::Program &root = program.root();
  std::vector<EntryState> entries;
  for (uint32_t i = 0; root.entries() && i < root.entries()->size(); ++i) {
    const fb::Entry &entry = *root.entries()->Get(i);
    EntryState &state = entries.emplace_back();
    state.inputSet.resize(entry.inputs() ? entry.inputs()->size() : 0);
    state.times.resize(stepsOf(entry));
    state.dying.resize(stepsOf(entry));
    for (uint32_t b = 0; entry.buffers() && b < entry.buffers()->size(); ++b)
      if (entry.buffers()->Get(b)->last_step() < stepsOf(entry))
        state.dying[entry.buffers()->Get(b)->last_step()].push_back(b);
    if (state.dying.empty() || !entry.outputs())
      continue;
    // Outputs are read after the last step.
    uint32_t fixed = root.buffers() ? root.buffers()->size() : 0;
    std::vector<uint32_t> &last = state.dying.back();
    for (const fb::Binding *output : *entry.outputs())
      for (size_t k = last.size(); k-- > 0;)
        if (last[k] + fixed == output->view()->buffer())
          last.erase(last.begin() + long(k));
  }
  return entries;
}

Status Session::setCommunicator(Communicator *wanted) {
  REPRISE_RETURN_IF_ERROR(prepared->setCommunicator(wanted));
  ranks = wanted;
  return {};
}

Status Session::fillConstants() {
  const fb::Program &root = program->root();
  if (!root.constants())
    return {};
  for (const fb::Constant *c : *root.constants())
    REPRISE_RETURN_IF_ERROR(
        prepared->write(root.buffers()->Get(c->buffer())->offset(),
                        c->data()->data(), c->data()->size()));
  return {};
}

Expected<std::unique_ptr<DeviceProgram>> Session::open(const Program &wanted) {
  Expected<std::unique_ptr<DeviceProgram>> opened = device->prepare(
      wanted.root(), options.checkMemory ? MemoryCheck::kGuardBytes : 0);
  if (opened.ok() && ranks)
    REPRISE_RETURN_IF_ERROR((*opened)->setCommunicator(ranks));
  if (!opened.ok() || !options.checkMemory)
    return opened;
  return std::unique_ptr<DeviceProgram>(
      std::make_unique<MemoryCheck>(wanted.root(), std::move(*opened)));
}

Expected<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const Program> program,
                const SessionOptions &options) {
  if (options.profile && options.checkMemory)
    return wrong("steps are not timed while their memory is checked; create "
                 "the session with profile or with check_memory");
  std::unique_ptr<Session> session(new Session(std::move(program), options));
  std::string own = session->program->root().device()->str();
  const std::string &wanted = options.device.empty() ? own : options.device;
  REPRISE_EXPECT(device, openDevice(wanted));
  bool isOwn = wanted.substr(0, wanted.find(':')) == own;
  if (!isOwn)
    return Status::error(RP_INCOMPATIBLE,
                         "the artifact was compiled for device '" + own +
                             "', not for '" + wanted +
                             "'; compile the model again for that one");
  session->device = std::move(*device);
  REPRISE_EXPECT(prepared, session->open(*session->program));
  session->beginTurn(
      {session->program, std::move(*prepared), entriesOf(*session->program)});
  REPRISE_RETURN_IF_ERROR(session->fillConstants());
  return session;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// Returns the variable whose initial value `v` has: the one that it averages,
/// or `v`.
const fb::Variable &Session::begunAs(const fb::Variable &v) const {
  if (v.role() != fb::Role::OptimizerState)
    return v;
  std::string name(averagedName(v.name()->string_view()));
  const fb::Variable *averaged = findVariable(name.c_str());
  return averaged && averaged->view()->type() == v.view()->type() &&
                 sameShape(*averaged->view(), *v.view())
             ? *averaged
             : v;
}

Status Session::initialize(uint64_t seed) {
  const fb::Program &root = program->root();
  if (!root.variables())
    return {};
  for (const fb::Variable *v : *root.variables()) {
    std::vector<uint8_t> bytes = initialBytes(begunAs(*v), seed);
    REPRISE_RETURN_IF_ERROR(prepared->write(
        arenaOffset(root, nullptr, *v->view()), bytes.data(), bytes.size()));
  }
  return {};
}

const fb::Variable *Session::findVariable(const char *name) const {
  if (name && program->root().variables())
    for (const fb::Variable *v : *program->root().variables())
      if (v->name()->string_view() == name)
        return v;
  return nullptr;
}

static Status unknownVariable(const char *name,
                              const char *file = __builtin_FILE(),
                              int line = __builtin_LINE()) {
  return wrong(std::string("the program has no variable '") +
                   (name ? name : "") + "'",
               file, line);
}

Status Session::readVariable(const char *name, void *data, size_t bytes) {
  const fb::Variable *v = findVariable(name);
  if (!v)
    return unknownVariable(name);
  REPRISE_RETURN_IF_ERROR(checkTransfer(std::string("variable '") + name + "'",
                                        *v->view(), data, bytes));
  return prepared->read(arenaOffset(program->root(), nullptr, *v->view()), data,
                        bytes);
}

Status Session::writeVariable(const char *name, const void *data,
                              size_t bytes) {
  const fb::Variable *v = findVariable(name);
  if (!v)
    return unknownVariable(name);
  REPRISE_RETURN_IF_ERROR(checkTransfer(std::string("variable '") + name + "'",
                                        *v->view(), data, bytes));
  return prepared->write(arenaOffset(program->root(), nullptr, *v->view()),
                         data, bytes);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Session::setInput(const char *entryName, const char *name,
                         const void *data, size_t bytes) {
  REPRISE_EXPECT(number, program->entryNumber(entryName ? entryName : ""));
  const fb::Entry &entry = program->entry(*number);
  int index = findBinding(entry.inputs(), name ? name : "");
  if (index < 0)
    return wrong("entry '" + entry.name()->str() + "' has no input '" +
                 (name ? name : "") + "'");
  const fb::View &view = *entry.inputs()->Get(uint32_t(index))->view();
  REPRISE_RETURN_IF_ERROR(
      checkTransfer(std::string("input '") + name + "'", view, data, bytes));
  if (inputsOf >= 0 && inputsOf != int(*number))
    entries[size_t(inputsOf)].inputSet.assign(
        entries[size_t(inputsOf)].inputSet.size(), false);
  inputsOf = int(*number);
  if (!prepared->stagesInputs())
    outputsOf = -1;
  REPRISE_RETURN_IF_ERROR(prepared->writeInput(
      *number, uint32_t(index), arenaOffset(program->root(), &entry, view),
      data, bytes));
  entries[*number].inputSet[size_t(index)] = true;
  return {};
}

Status Session::checkInputs(size_t number) const {
  const fb::Entry &entry = program->entry(number);
  for (size_t i = 0; i < entries[number].inputSet.size(); ++i)
    if (!entries[number].inputSet[i])
      return wrong("input '" + entry.inputs()->Get(uint32_t(i))->name()->str() +
                   "' of entry '" + entry.name()->str() +
                   "' was not set since the last run");
  return {};
}

/// Fills everything but fixed memory and the inputs just set.
Status Session::poisonBefore(size_t number) {
  const fb::Program &root = program->root();
  const fb::Entry &entry = program->entry(number);
  uint32_t fixed = root.buffers() ? root.buffers()->size() : 0;
  std::vector<std::pair<uint64_t, uint64_t>> kept;
  if (entry.inputs())
    for (const fb::Binding *input : *entry.inputs()) {
      const fb::Buffer &b =
          *entry.buffers()->Get(input->view()->buffer() - fixed);
      kept.push_back({b.offset(), b.offset() + b.size()});
    }
  std::sort(kept.begin(), kept.end());
  uint64_t at = root.fixed_bytes();
  for (const auto &[begin, end] : kept) {
    if (begin > at)
      REPRISE_RETURN_IF_ERROR(prepared->fill(at, 0xFF, begin - at));
    at = std::max(at, end);
  }
  return prepared->fill(at, 0xFF, root.arena_bytes() - at);
}

Status Session::poisonAfter(size_t number, size_t step) {
  const fb::Entry &entry = program->entry(number);
  for (uint32_t index : entries[number].dying[step]) {
    const fb::Buffer &b = *entry.buffers()->Get(index);
    REPRISE_RETURN_IF_ERROR(prepared->fill(b.offset(), 0xFF, b.size()));
  }
  return {};
}

static rp_step_times later(rp_step_times times, double seconds) {
  times.begin += seconds;
  times.end += seconds;
  if (times.beside_end > 0) {
    times.beside_begin += seconds;
    times.beside_end += seconds;
  }
  return times;
}

Status Session::runSteps(size_t number, size_t first, size_t end) {
  if (!options.poison && !options.profile)
    return prepared->run(number, first, end);
  if (first == 0)
    start = Clock::now();
  if (options.poison && first == 0)
    REPRISE_RETURN_IF_ERROR(poisonBefore(number));
  // Poisoning follows each step, which must therefore have ended.
  size_t together = options.poison ? 1 : end - first;
  for (size_t i = first; i < end; i += together) {
    std::vector<rp_step_times> &times = entries[number].times;
    double begin = std::chrono::duration<double>(Clock::now() - start).count();
    REPRISE_RETURN_IF_ERROR(prepared->runTimed(number, i, i + together, times));
    for (size_t k = i; k < i + together; ++k)
      times[k] = later(times[k], begin);
    if (options.poison)
      REPRISE_RETURN_IF_ERROR(poisonAfter(number, i));
  }
  return {};
}

/// Checks that all inputs are set; the run consumes them.
Expected<size_t> Session::beginRun(const char *entryName) {
  REPRISE_EXPECT(number, program->entryNumber(entryName ? entryName : ""));
  REPRISE_RETURN_IF_ERROR(checkInputs(*number));
  outputsOf = -1;
  for (EntryState &state : entries) {
    state.inputSet.assign(state.inputSet.size(), false);
  }
  return number;
}

Status Session::run(const char *entryName) {
  REPRISE_EXPECT(number, beginRun(entryName));
  REPRISE_RETURN_IF_ERROR(runSteps(*number, 0, entries[*number].times.size()));
  outputsOf = int(*number);
  return {};
}

Expected<uint32_t> Session::outputNumber(size_t number,
                                         const char *name) const {
  const fb::Entry &entry = program->entry(number);
  int index = findBinding(entry.outputs(), name ? name : "");
  if (index < 0)
    return wrong("entry '" + entry.name()->str() + "' has no output '" +
                 (name ? name : "") + "'");
  return uint32_t(index);
}

Status Session::getOutput(const char *entryName, const char *name, void *data,
                          size_t bytes) {
  REPRISE_EXPECT(number, program->entryNumber(entryName ? entryName : ""));
  const fb::Entry &entry = program->entry(*number);
  REPRISE_EXPECT(index, outputNumber(*number, name));
  if (outputsOf != int(*number))
    return wrong("the outputs of entry '" + entry.name()->str() +
                 "' are not there: run it, and read them before another run "
                 "or input");
  const fb::View &view = *entry.outputs()->Get(*index)->view();
  REPRISE_RETURN_IF_ERROR(
      checkTransfer(std::string("output '") + name + "'", view, data, bytes));
  return prepared->read(arenaOffset(program->root(), &entry, view), data,
                        bytes);
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

rp_memory_stats Session::memory() const {
  return {size_t(memoryBytes), size_t(prepared->highWaterBytes()),
          check ? size_t(check->changedBytes()) : 0};
}

Status Session::setProfile(bool profile) {
  if (profile && options.checkMemory)
    return wrong("a session with check_memory does not time its steps");
  options.profile = profile;
  return {};
}

size_t Session::stepCount(const char *entry) const {
  int number = program->findEntry(entry ? entry : "");
  return number < 0 ? 0 : entries[size_t(number)].times.size();
}

Expected<rp_step_times> Session::stepTimes(const char *entry,
                                           size_t step) const {
  REPRISE_EXPECT(number, program->entryNumber(entry ? entry : ""));
  if (!options.profile)
    return wrong("the session does not time its steps: it was not created "
                 "with profile, and set_profile is off");
  const std::vector<rp_step_times> &times = entries[*number].times;
  if (step >= times.size())
    return wrong("step " + std::to_string(step) + " of " +
                 std::to_string(times.size()));
  return times[step];
}

} // namespace reprise::rt
