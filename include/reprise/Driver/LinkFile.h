//===- LinkFile.h - A link by its numbers or from a file --------*- C++ -*-===//
#ifndef REPRISE_DRIVER_LINKFILE_H
#define REPRISE_DRIVER_LINKFILE_H

#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Link.h"

#include <string>

namespace reprise::driver {

/// Returns the link that a user gave as text::parseLink reads it, or else the
/// one in the file of that name, which `reprise profile --link --json` printed.
rt::Expected<rt::Link> readLink(const std::string &given);

} // namespace reprise::driver

#endif // REPRISE_DRIVER_LINKFILE_H
