//===- CApi.cpp - C interface of the runtime ------------------------------===//
//
// Nothing is thrown across this boundary and no null pointer is followed.
//
//===----------------------------------------------------------------------===//
#include "CStatus.h"
#include "Session.h"
#include "StepMemory.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/ProgramDigest.h"

#include <new>

using namespace reprise::rt;

struct rp_program {
  std::shared_ptr<const Program> program;
};

struct rp_session {
  std::unique_ptr<Session> session;
};

static Status missing(const char *what, const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT,
                       std::string("no ") + what + " was given", file, line);
}

//===----------------------------------------------------------------------===//
// Statuses
//===----------------------------------------------------------------------===//

rp_code rp_status_code(const rp_status *status) {
  return status ? status->status.code() : RP_OK;
}

const char *rp_status_message(const rp_status *status) {
  return status ? status->status.message().c_str() : "";
}

const char *rp_status_site(const rp_status *status) {
  if (!status)
    return "";
  const std::string &site = status->status.site();
  return site.c_str() + site.rfind('/') + 1; // npos + 1 is 0
}

void rp_status_free(rp_status *status) {
  if (status != &outOfMemory())
    delete status;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static Status hand(Expected<std::shared_ptr<const Program>> opened,
                   rp_program **program) {
  if (!opened.ok())
    return opened.status();
  *program = new rp_program{std::move(*opened)};
  return {};
}

rp_status *rp_program_open(const char *path, rp_program **program) {
  return guarded([&]() -> Status {
    if (!path || !program)
      return missing("path or place for the program");
    return hand(Program::open(path), program);
  });
}

rp_status *rp_program_from_memory(const void *data, size_t size,
                                  rp_program **program) {
  return guarded([&]() -> Status {
    if ((!data && size) || !program)
      return missing("data or place for the program");
    return hand(Program::fromMemory(data, size), program);
  });
}

void rp_program_close(rp_program *program) { delete program; }

static const char *text(const flatbuffers::String *s) {
  return s ? s->c_str() : "";
}

const char *rp_program_model(const rp_program *program) {
  return program ? text(program->program->root().model()) : "";
}

std::string reprise::rt::programDigest(const rp_program *program) {
  return program ? program->program->digest() : "";
}

const char *rp_program_plan_note(const rp_program *program) {
  return program ? text(program->program->root().plan_note()) : "";
}

uint32_t rp_program_threads(const rp_program *program) {
  return program ? program->program->root().threads() : 0;
}

size_t rp_program_arena_bytes(const rp_program *program) {
  return program ? program->program->root().arena_bytes() : 0;
}

size_t rp_program_fixed_bytes(const rp_program *program) {
  return program ? program->program->root().fixed_bytes() : 0;
}

size_t rp_program_code_bytes(const rp_program *program) {
  return program && program->program->root().code()
             ? program->program->root().code()->size()
             : 0;
}

const char *rp_program_device(const rp_program *program) {
  return program ? text(program->program->root().device()) : "";
}

rp_status *rp_program_host_bytes(const rp_program *program, size_t *arena,
                                 size_t *kept, size_t *during_calls) {
  return guarded([&]() -> Status {
    if (!program || !arena || !kept || !during_calls)
      return missing("program or place for the answer");
    const fb::Program &root = program->program->root();
    REPRISE_EXPECT(device, openDevice(root.device()->str()));
    HostBytes bytes = (*device)->hostBytes(root);
    *arena = bytes.holdsArena ? root.arena_bytes() : 0;
    *kept = bytes.kept;
    *during_calls = bytes.duringCalls;
    return {};
  });
}

size_t rp_program_variable_count(const rp_program *program) {
  return program && program->program->root().variables()
             ? program->program->root().variables()->size()
             : 0;
}

static rp_tensor_info infoOf(const flatbuffers::String *name,
                             const fb::View &view) {
  rp_tensor_info info = {};
  info.name = name->c_str();
  info.type = rp_element_type(view.type());
  info.rank = view.shape() ? view.shape()->size() : 0;
  info.shape = info.rank ? view.shape()->data() : nullptr;
  info.bytes = *viewBytes(view);
  return info;
}

rp_status *rp_program_variable(const rp_program *program, size_t index,
                               rp_tensor_info *info) {
  return guarded([&]() -> Status {
    if (!program || !info)
      return missing("program or place for the answer");
    if (index >= rp_program_variable_count(program))
      return Status::error(
          RP_INVALID_ARGUMENT,
          "variable " + std::to_string(index) + " of " +
              std::to_string(rp_program_variable_count(program)));
    const fb::Variable &v =
        *program->program->root().variables()->Get(uint32_t(index));
    *info = infoOf(v.name(), *v.view());
    info->role = rp_role(v.role());
    if (v.file_permutation() && v.file_permutation()->size())
      info->file_permutation = v.file_permutation()->data();
    if (v.whole_shape() && v.whole_shape()->size()) {
      info->whole_rank = v.whole_shape()->size();
      info->whole_shape = v.whole_shape()->data();
    }
    return {};
  });
}

static const fb::Entry *findEntry(const rp_program *program,
                                  const char *entry) {
  int number = program && entry ? program->program->findEntry(entry) : -1;
  return number < 0 ? nullptr : &program->program->entry(size_t(number));
}

size_t rp_program_entry_count(const rp_program *program) {
  return program && program->program->root().entries()
             ? program->program->root().entries()->size()
             : 0;
}

const char *rp_program_entry(const rp_program *program, size_t index) {
  return index < rp_program_entry_count(program)
             ? program->program->entry(index).name()->c_str()
             : "";
}

int rp_program_has_entry(const rp_program *program, const char *entry) {
  return findEntry(program, entry) != nullptr;
}

size_t rp_program_input_count(const rp_program *program, const char *entry) {
  const fb::Entry *e = findEntry(program, entry);
  return e && e->inputs() ? e->inputs()->size() : 0;
}

size_t rp_program_output_count(const rp_program *program, const char *entry) {
  const fb::Entry *e = findEntry(program, entry);
  return e && e->outputs() ? e->outputs()->size() : 0;
}

namespace {
enum class Direction { Input, Output };
} // namespace

static Status binding(const rp_program *program, const char *entry,
                      size_t index, rp_tensor_info *info, Direction direction) {
  if (!program || !info || !entry)
    return missing("program, entry or place for the answer");
  REPRISE_EXPECT(number, program->program->entryNumber(entry));
  const fb::Entry &e = program->program->entry(*number);
  auto *bindings = direction == Direction::Input ? e.inputs() : e.outputs();
  size_t count = bindings ? bindings->size() : 0;
  if (index >= count)
    return Status::error(
        RP_INVALID_ARGUMENT,
        (direction == Direction::Input ? "input " : "output ") +
            std::to_string(index) + " of " + std::to_string(count) +
            " of entry '" + entry + "'");
  const fb::Binding &b = *bindings->Get(uint32_t(index));
  *info = infoOf(b.name(), *b.view());
  info->binding = rp_binding_role(b.role());
  if (b.role() == fb::BindingRole::Gradient)
    info->variable = b.variable()->c_str();
  return {};
}

rp_status *rp_program_input(const rp_program *program, const char *entry,
                            size_t index, rp_tensor_info *info) {
  return guarded(
      [&] { return binding(program, entry, index, info, Direction::Input); });
}

rp_status *rp_program_output(const rp_program *program, const char *entry,
                             size_t index, rp_tensor_info *info) {
  return guarded(
      [&] { return binding(program, entry, index, info, Direction::Output); });
}

/// Returns null if an input has none.
static const flatbuffers::Vector<flatbuffers::Offset<fb::IndexRange>> *
rangesOf(const rp_program *program, const char *entry, size_t input) {
  const fb::Entry *e = findEntry(program, entry);
  bool isThere = e && e->inputs() && input < e->inputs()->size();
  return isThere ? e->inputs()->Get(uint32_t(input))->ranges() : nullptr;
}

size_t rp_program_index_range_count(const rp_program *program,
                                    const char *entry, size_t input) {
  const auto *ranges = rangesOf(program, entry, input);
  return ranges ? ranges->size() : 0;
}

rp_status *rp_program_index_range(const rp_program *program, const char *entry,
                                  size_t input, size_t index,
                                  rp_index_range *range) {
  return guarded([&]() -> Status {
    if (!range)
      return missing("place for the answer");
    size_t count = rp_program_index_range_count(program, entry, input);
    if (index >= count)
      return Status::error(RP_INVALID_ARGUMENT,
                           "range " + std::to_string(index) + " of " +
                               std::to_string(count) + " of input " +
                               std::to_string(input));
    const fb::IndexRange &from =
        *rangesOf(program, entry, input)->Get(uint32_t(index));
    *range = {rp_index_use(from.use()),   from.limit(),
              from.ignored().has_value(), from.ignored().value_or(0),
              from.runs()->data(),        from.runs()->size()};
    return {};
  });
}

/// Queries a number of bytes of an entry.
static rp_status *askEntry(const rp_program *program, const char *entry,
                           size_t *bytes, size_t (*answer)(const fb::Entry &)) {
  return guarded([&]() -> Status {
    if (!program || !entry || !bytes)
      return missing("program, entry or place for the answer");
    REPRISE_EXPECT(number, program->program->entryNumber(entry));
    *bytes = answer(program->program->entry(*number));
    return {};
  });
}

rp_status *rp_program_peak_bytes(const rp_program *program, const char *entry,
                                 size_t *bytes) {
  return askEntry(program, entry, bytes,
                  [](const fb::Entry &e) -> size_t { return e.peak_bytes(); });
}

rp_status *rp_program_budget_bytes(const rp_program *program, const char *entry,
                                   size_t *bytes) {
  return askEntry(program, entry, bytes, [](const fb::Entry &e) -> size_t {
    return e.certificate() ? e.certificate()->budget() : 0;
  });
}

const char *rp_program_checkpointing(const rp_program *program) {
  return program ? text(program->program->root().checkpointing()) : "";
}

size_t rp_program_step_count(const rp_program *program, const char *entry) {
  const fb::Entry *e = findEntry(program, entry);
  return e && e->steps() ? e->steps()->size() : 0;
}

rp_status *rp_program_step_memory(const rp_program *program, const char *entry,
                                  rp_step_memory *steps, size_t count) {
  return guarded([&]() -> Status {
    if (!program || !entry || (!steps && count))
      return missing("program, entry or place for the answer");
    REPRISE_EXPECT(number, program->program->entryNumber(entry));
    if (size_t all = rp_program_step_count(program, entry); count != all)
      return Status::error(RP_INVALID_ARGUMENT,
                           "place for " + std::to_string(count) +
                               " steps was given, but '" + std::string(entry) +
                               "' has " + std::to_string(all));
    fillStepMemory(program->program->root(), program->program->entry(*number),
                   steps);
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

rp_status *rp_session_create(const rp_program *program,
                             const rp_session_options *options,
                             rp_session **session) {
  return guarded([&]() -> Status {
    if (!program || !session)
      return missing("program or place for the session");
    SessionOptions chosen;
    if (options) {
      if (options->device)
        chosen.device = options->device;
      chosen.poison = options->poison != 0;
      chosen.profile = options->profile != 0;
      chosen.checkMemory = options->check_memory != 0;
    }
    REPRISE_EXPECT(created, Session::create(program->program, chosen));
    *session = new rp_session{std::move(*created)};
    return {};
  });
}

void rp_session_destroy(rp_session *session) { delete session; }

/// Runs `body` on the session if there is one.
template <typename Body>
static rp_status *withSession(const rp_session *session, Body body) noexcept {
  return guarded([&]() -> Status {
    return session ? body(*session->session) : missing("session");
  });
}

rp_status *rp_session_switch(rp_session *session, const rp_program *program) {
  return withSession(session, [&](Session &s) {
    return program ? s.switchTo(program->program) : missing("program");
  });
}

rp_status *rp_session_initialize(rp_session *session, uint64_t seed) {
  return withSession(session, [&](Session &s) { return s.initialize(seed); });
}

rp_status *rp_session_set_input(rp_session *session, const char *entry,
                                const char *name, const void *data,
                                size_t bytes) {
  return withSession(session, [&](Session &s) {
    return s.setInput(entry, name, data, bytes);
  });
}

rp_status *rp_session_run(rp_session *session, const char *entry) {
  return withSession(session, [&](Session &s) { return s.run(entry); });
}

rp_status *rp_session_run_guarded(rp_session *session, const char *entry,
                                  const char *output, int32_t *stopped) {
  return withSession(session, [&](Session &s) -> Status {
    if (!stopped)
      return missing("place for the answer");
    bool isStopped = false;
    Status ran = s.runGuarded(entry, output, isStopped);
    *stopped = isStopped;
    return ran;
  });
}

rp_status *rp_session_find_nonfinite(rp_session *session, const char *entry,
                                     const char *output, rp_origin *origin,
                                     const char **text) {
  return withSession(session, [&](Session &s) -> Status {
    if (!origin || !text)
      return missing("place for the answer");
    return s.findNonFinite(entry, output, *origin, *text);
  });
}

int32_t rp_session_stages_inputs(const rp_session *session) {
  return session && session->session->stagesInputs();
}

rp_status *rp_session_get_output(rp_session *session, const char *entry,
                                 const char *name, void *data, size_t bytes) {
  return withSession(session, [&](Session &s) {
    return s.getOutput(entry, name, data, bytes);
  });
}

rp_status *rp_session_read_variable(rp_session *session, const char *name,
                                    void *data, size_t bytes) {
  return withSession(
      session, [&](Session &s) { return s.readVariable(name, data, bytes); });
}

rp_status *rp_session_write_variable(rp_session *session, const char *name,
                                     const void *data, size_t bytes) {
  return withSession(
      session, [&](Session &s) { return s.writeVariable(name, data, bytes); });
}

rp_status *rp_session_memory(const rp_session *session,
                             rp_memory_stats *stats) {
  return withSession(session, [&](Session &s) -> Status {
    if (!stats)
      return missing("place for the answer");
    *stats = s.memory();
    return {};
  });
}

size_t rp_session_step_count(const rp_session *session, const char *entry) {
  return session ? session->session->stepCount(entry) : 0;
}

rp_status *rp_session_set_communicator(rp_session *session,
                                       void *communicator) {
  return withSession(session, [&](Session &of) {
    return of.setCommunicator(static_cast<Communicator *>(communicator));
  });
}

rp_status *rp_session_set_profile(rp_session *session, int32_t profile) {
  return withSession(session,
                     [&](Session &s) { return s.setProfile(profile != 0); });
}

rp_status *rp_session_step_seconds(const rp_session *session, const char *entry,
                                   size_t step, double *seconds) {
  return withSession(session, [&](Session &s) -> Status {
    if (!seconds)
      return missing("place for the answer");
    REPRISE_EXPECT(measured, s.stepTimes(entry, step));
    *seconds = measured->end - measured->begin;
    return {};
  });
}

rp_status *rp_session_step_times(const rp_session *session, const char *entry,
                                 size_t step, rp_step_times *times) {
  return withSession(session, [&](Session &s) -> Status {
    if (!times)
      return missing("place for the answer");
    REPRISE_EXPECT(measured, s.stepTimes(entry, step));
    *times = *measured;
    return {};
  });
}
