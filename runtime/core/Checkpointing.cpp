//===- Checkpointing.cpp - Switch checkpointing while training ------------===//
#include "reprise/Runtime/Checkpointing.h"
#include "CStatus.h"

#include <map>
#include <memory>

using namespace reprise::rt;

struct rp_checkpointing {
  struct Close {
    void operator()(rp_program *program) const { rp_program_close(program); }
  };
  rp_session *session = nullptr;
  uint32_t segments = 0;
  rp_make_program make = nullptr;
  void *context = nullptr;
  const rp_program *program = nullptr; // of the session, after a switch
  std::map<uint32_t, std::unique_ptr<rp_program, Close>> programs;
};

static Status invalid(const char *what, const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT, what, file, line);
}

/// Continues with a number of segments; returns the status of the failed call.
static rp_status *switchTo(rp_checkpointing &it, uint32_t segments) {
  if (it.segments == segments)
    return nullptr;
  auto found = it.programs.find(segments);
  if (found == it.programs.end()) {
    rp_program *made = nullptr;
    if (rp_status *failed = it.make(it.context, segments, &made)) {
      rp_program_close(made);
      return failed;
    }
    if (!made)
      return wrap(invalid("no program was made, and no error was told"));
    found = it.programs.emplace(segments, nullptr).first;
    found->second.reset(made);
  }
  if (rp_status *failed = rp_session_switch(it.session, found->second.get()))
    return failed;
  it.segments = segments;
  it.program = found->second.get();
  return nullptr;
}

rp_status *rp_checkpointing_create(rp_session *session, uint32_t segments,
                                   rp_make_program make, void *context,
                                   rp_checkpointing **checkpointing) {
  return guarded([&]() -> Status {
    if (!session || !make || !checkpointing)
      return invalid("no session, function or place for the switch was given");
    auto created = std::make_unique<rp_checkpointing>();
    created->session = session;
    created->segments = segments;
    created->make = make;
    created->context = context;
    *checkpointing = created.release();
    return {};
  });
}

void rp_checkpointing_destroy(rp_checkpointing *checkpointing) {
  delete checkpointing;
}

/// The same, with exceptions returned as a status.
static rp_status *guardedSwitch(rp_checkpointing *checkpointing,
                                uint32_t segments) {
  rp_status *status = nullptr;
  rp_status *thrown = guarded([&]() -> Status {
    if (!checkpointing)
      return invalid("no switch of checkpointing was given");
    status = switchTo(*checkpointing, segments);
    return {};
  });
  return thrown ? thrown : status;
}

rp_status *rp_checkpointing_enable(rp_checkpointing *checkpointing,
                                   uint32_t segments) {
  if (segments == 0)
    return wrap(invalid("checkpointing in 0 segments; rp_checkpointing_disable "
                        "switches it off"));
  return guardedSwitch(checkpointing, segments);
}

rp_status *rp_checkpointing_disable(rp_checkpointing *checkpointing) {
  return guardedSwitch(checkpointing, 0);
}

int32_t rp_checkpointing_is_enabled(const rp_checkpointing *checkpointing) {
  return checkpointing && checkpointing->segments != 0;
}

const rp_program *
rp_checkpointing_program(const rp_checkpointing *checkpointing) {
  return checkpointing ? checkpointing->program : nullptr;
}
