//===- CStatus.h - Statuses of the C interface ------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CORE_CSTATUS_H
#define REPRISE_RUNTIME_CORE_CSTATUS_H

#include "reprise/Runtime/Status.h"
#include <exception>
#include <new>

struct rp_status {
  reprise::rt::Status status;
};

namespace reprise::rt {

/// Returned when there is no memory for a status; never freed.
inline rp_status &outOfMemory() {
  static rp_status status{
      Status::error(RP_OUT_OF_MEMORY, "out of memory on the host")};
  return status;
}

/// Returns null for success.
inline rp_status *wrap(Status status) noexcept {
  if (status.ok())
    return nullptr;
  rp_status *wrapped = new (std::nothrow) rp_status{std::move(status)};
  return wrapped ? wrapped : &outOfMemory();
}

/// Runs the body of a C function; no exception leaves it.
template <typename Body> rp_status *guarded(Body body) noexcept {
  try {
    return wrap(body());
  } catch (const std::bad_alloc &) {
    return &outOfMemory();
  } catch (const std::exception &e) {
    try {
      return wrap(Status::error(RP_INTERNAL, e.what()));
    } catch (...) {
      return &outOfMemory();
    }
  }
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_CSTATUS_H
