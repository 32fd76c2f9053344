//===- ProgramSwitch.cpp - Switch between programs of a session -----------===//
//
// Programs of the same variables share the memory of a session where the device
// can prepare several in one memory. Variables at the same place stay there;
// others are moved through the host, and constants are filled again, since the
// other program has used their bytes. A program that needs more memory gets it
// after the old memory was freed: there are never two arenas at once.
//
//===----------------------------------------------------------------------===//
#include "../support/Restate.h"
#include "Session.h"
#include "reprise/Runtime/Expect.h"

#include <algorithm>
#include <map>

namespace reprise::rt {

namespace {
/// The rest of a session that could not switch back.
class LostProgram : public DeviceProgram {
public:
  explicit LostProgram(Status reason) : reason(std::move(reason)) {}
  Status write(uint64_t, const void *, uint64_t) override { return reason; }
  Status read(uint64_t, void *, uint64_t) override { return reason; }
  Status fill(uint64_t, uint8_t, uint64_t) override { return reason; }
  Status writeGuarded(uint64_t, const void *, uint64_t) override {
    return reason;
  }
  Status readGuarded(uint64_t, void *, uint64_t) override { return reason; }
  Status run(size_t, size_t, size_t) override { return reason; }
  uint64_t highWaterBytes() const override { return 0; }

private:
  Status reason;
};
} // namespace

using VariablesByName = std::map<std::string_view, const fb::Variable *>;

static VariablesByName variablesOf(const fb::Program &program) {
  VariablesByName found;
  if (program.variables())
    for (const fb::Variable *v : *program.variables())
      found[v->name()->string_view()] = v;
  return found;
}

static bool haveEqualForm(const fb::View &a, const fb::View &b) {
  uint32_t rank = a.shape() ? a.shape()->size() : 0;
  return a.type() == b.type() && rank == (b.shape() ? b.shape()->size() : 0) &&
         (rank == 0 ||
          std::equal(a.shape()->begin(), a.shape()->end(), b.shape()->begin()));
}

static Status otherVariables(const std::string &why,
                             const char *file = __builtin_FILE(),
                             int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT,
                       "the session cannot go on with this program: " + why,
                       file, line);
}

/// Checks that `next` has the variables of `now` and is for its device.
static Status checkSuccessor(const fb::Program &now, const fb::Program &next) {
  if (now.device()->string_view() != next.device()->string_view())
    return otherVariables("it is for device '" + next.device()->str() +
                          "', not for '" + now.device()->str() + "'");
  VariablesByName mine = variablesOf(now), theirs = variablesOf(next);
  for (const auto &[name, variable] : mine) {
    auto other = theirs.find(name);
    if (other == theirs.end())
      return otherVariables("it has no variable '" + std::string(name) + "'");
    bool isSame = haveEqualForm(*variable->view(), *other->second->view()) &&
                  variable->role() == other->second->role();
    if (!isSame)
      return otherVariables("its variable '" + std::string(name) +
                            "' has another type, shape or role");
  }
  for (const auto &[name, variable] : theirs)
    if (!mine.count(name))
      return otherVariables("it has a variable '" + std::string(name) +
                            "' that this one has not");
  return {};
}

/// Reads the variables that have another place in `next`, or all of them.
Expected<Session::Values> Session::readMoved(const fb::Program &next,
                                             bool all) {
  Values values;
  VariablesByName theirs = variablesOf(next);
  for (const auto &[name, variable] : variablesOf(program->root())) {
    const fb::Variable *target = theirs.find(name)->second;
    uint64_t at = arenaOffset(program->root(), nullptr, *variable->view());
    bool stays = at == arenaOffset(next, nullptr, *target->view());
    if (stays && !all)
      continue;
    std::vector<uint8_t> bytes(*viewBytes(*variable->view()));
    REPRISE_RETURN_IF_ERROR(prepared->read(at, bytes.data(), bytes.size()));
    values.push_back({target, std::move(bytes)});
  }
  return values;
}

Status Session::writeValues(const Values &values) {
  for (const auto &[variable, bytes] : values)
    REPRISE_RETURN_IF_ERROR(prepared->write(
        arenaOffset(program->root(), nullptr, *variable->view()), bytes.data(),
        bytes.size()));
  return {};
}

void Session::beginTurn(Parked turn) {
  program = std::move(turn.program);
  prepared = std::move(turn.prepared);
  entries = std::move(turn.entries);
  check = options.checkMemory ? static_cast<MemoryCheck *>(prepared.get())
                              : nullptr;
  memoryBytes = std::max(memoryBytes, program->root().arena_bytes());
  inputsOf = outputsOf = -1;
  for (EntryState &state : entries)
    state.inputSet.assign(state.inputSet.size(), false);
}

/// Switches to a program that shares the memory; parks the current one.
Status Session::takeTurn(const std::shared_ptr<const Program> &next) {
  auto found =
      std::find_if(parked.begin(), parked.end(), [&](const Parked &candidate) {
        return candidate.program == next;
      });
  if (check)
    REPRISE_RETURN_IF_ERROR(check->restore());
  REPRISE_EXPECT(moved, readMoved(next->root(), /*all=*/false));
  Parked turn = std::move(*found);
  parked.erase(found);
  parked.push_back(
      {std::move(program), std::move(prepared), std::move(entries)});
  beginTurn(std::move(turn));
  if (check)
    REPRISE_RETURN_IF_ERROR(check->adopt());
  bool fills = true;
  if (fills)
    REPRISE_RETURN_IF_ERROR(fillConstants());
  return writeValues(*moved);
}

/// Frees the memory and allocates that of `next`.
Status Session::replaceMemory(std::shared_ptr<const Program> next) {
  Expected<Values> all = readMoved(next->root(), /*all=*/true);
  Expected<Values> back = readMoved(program->root(), /*all=*/true);
  if (!all.ok() || !back.ok())
    return all.ok() ? back.status() : all.status();
  uint64_t before = memoryBytes;
  std::shared_ptr<const Program> old = program;
  parked.clear();
  check = nullptr;
  prepared.reset();
  memoryBytes = 0;
  Expected<std::unique_ptr<DeviceProgram>> opened = open(*next);
  if (opened.ok()) {
    std::vector<EntryState> states = entriesOf(*next);
    beginTurn({std::move(next), std::move(*opened), std::move(states)});
    REPRISE_RETURN_IF_ERROR(fillConstants());
    return writeValues(*all);
  }
  Status failed = opened.status();
  opened = open(*old);
  if (!opened.ok()) {
    prepared = std::make_unique<LostProgram>(
        restate(failed, failed.message() +
                            "; and the program before cannot be "
                            "opened again: " +
                            opened.status().message()));
    memoryBytes = before;
    return failed;
  }
  beginTurn({old, std::move(*opened), entriesOf(*old)});
  REPRISE_RETURN_IF_ERROR(fillConstants());
  REPRISE_RETURN_IF_ERROR(writeValues(*back));
  return failed;
}

Status Session::switchTo(std::shared_ptr<const Program> next) {
  if (next == program)
    return {};
  REPRISE_RETURN_IF_ERROR(checkSuccessor(program->root(), next->root()));
  bool isThere =
      std::any_of(parked.begin(), parked.end(), [&](const Parked &candidate) {
        return candidate.program == next;
      });
  if (isThere)
    return takeTurn(next);
  REPRISE_EXPECT(beside, prepared->prepareBeside(next->root()));
  if (!*beside)
    return replaceMemory(std::move(next));
  parked.push_back({next, std::move(*beside), entriesOf(*next)});
  return takeTurn(next);
}

} // namespace reprise::rt
