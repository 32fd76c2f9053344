//===- Status.h - Results of the runtime ------------------------*- C++ -*-===//
//
// C++ side of rp_status: a Status is success, or a code with one sentence and
// the place where it was created. Expected<T> carries a value instead of
// success.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_STATUS_H
#define REPRISE_RUNTIME_STATUS_H

#include "reprise/Runtime/reprise.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace reprise::rt {

class [[nodiscard]] Status {
public:
  Status() = default;
  static Status error(rp_code code, std::string message,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
    Status s;
    s.state = std::make_shared<State>(
        State{code, std::move(message),
              std::string(file) + ":" + std::to_string(line)});
    return s;
  }
  bool ok() const { return !state; }
  rp_code code() const { return state ? state->code : RP_OK; }
  const std::string &message() const {
    static const std::string none;
    return state ? state->message : none;
  }
  const std::string &site() const {
    static const std::string none;
    return state ? state->site : none;
  }

private:
  struct State {
    rp_code code;
    std::string message, site;
  };
  std::shared_ptr<const State> state;
};

/// A value, or the Status that explains why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Status status) : error(std::move(status)) {}
  bool ok() const { return value.has_value(); }
  const Status &status() const { return error; }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

private:
  std::optional<T> value;
  Status error;
};

} // namespace reprise::rt

/// Returns the status of an expression from the enclosing function unless ok.
#define REPRISE_RETURN_IF_ERROR(expr)                                          \
  do {                                                                         \
    if (::reprise::rt::Status status_ = (expr); !status_.ok())                 \
      return status_;                                                          \
  } while (false)

#endif // REPRISE_RUNTIME_STATUS_H
