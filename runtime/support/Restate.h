//===- Restate.h - Another message for an error -----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_SUPPORT_RESTATE_H
#define REPRISE_RUNTIME_SUPPORT_RESTATE_H

#include "reprise/Runtime/Status.h"
#include <cstdlib>

namespace reprise::rt {

/// Returns the error `status` with another message; its site remains that of
/// the original error.
inline Status restate(const Status &status, std::string message) {
  const std::string &site = status.site();
  size_t colon = site.rfind(':');
  return Status::error(status.code(), std::move(message),
                       site.substr(0, colon).c_str(),
                       std::atoi(site.c_str() + colon + 1));
}

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_SUPPORT_RESTATE_H
