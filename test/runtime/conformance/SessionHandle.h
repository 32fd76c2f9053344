//===- SessionHandle.h - The C interface for tests --------------*- C++ -*-===//
//
// Owns a program and a session; statuses become strings, empty for success.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_RUNTIME_CONFORMANCE_SESSIONHANDLE_H
#define REPRISE_TEST_RUNTIME_CONFORMANCE_SESSIONHANDLE_H

#include "reprise/Runtime/reprise.h"
#include <string>
#include <vector>

namespace reprise::test {

struct Outcome {
  rp_code code = RP_OK;
  std::string message, site;
};

inline Outcome take(rp_status *status) {
  Outcome outcome{rp_status_code(status), rp_status_message(status),
                  rp_status_site(status)};
  rp_status_free(status);
  return outcome;
}

class SessionHandle {
public:
  SessionHandle() = default;
  SessionHandle(const SessionHandle &) = delete;
  SessionHandle &operator=(const SessionHandle &) = delete;
  ~SessionHandle() {
    rp_session_destroy(session);
    rp_program_close(program);
  }

  Outcome open(const std::vector<uint8_t> &artifact,
               rp_session_options options) {
    Outcome outcome = take(
        rp_program_from_memory(artifact.data(), artifact.size(), &program));
    if (outcome.code != RP_OK)
      return outcome;
    return take(rp_session_create(program, &options, &session));
  }
  template <typename T>
  Outcome setInput(const char *name, const std::vector<T> &values) {
    return take(rp_session_set_input(session, "step", name, values.data(),
                                     values.size() * sizeof(T)));
  }
  Outcome run() { return take(rp_session_run(session, "step")); }
  template <typename T>
  Outcome getOutput(const char *name, std::vector<T> &values) {
    return take(rp_session_get_output(session, "step", name, values.data(),
                                      values.size() * sizeof(T)));
  }
  template <typename T>
  Outcome readVariable(const char *name, std::vector<T> &values) {
    return take(rp_session_read_variable(session, name, values.data(),
                                         values.size() * sizeof(T)));
  }
  template <typename T>
  Outcome writeVariable(const char *name, const std::vector<T> &values) {
    return take(rp_session_write_variable(session, name, values.data(),
                                          values.size() * sizeof(T)));
  }
  rp_memory_stats memory() {
    rp_memory_stats stats = {};
    rp_status_free(rp_session_memory(session, &stats));
    return stats;
  }

  rp_program *program = nullptr;
  rp_session *session = nullptr;
};

} // namespace reprise::test

#endif // REPRISE_TEST_RUNTIME_CONFORMANCE_SESSIONHANDLE_H
