//===- ProgramDigest.h - The digest of a program ----------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_PROGRAMDIGEST_H
#define REPRISE_RUNTIME_PROGRAMDIGEST_H

#include "reprise/Runtime/reprise.h"
#include <string>

namespace reprise::rt {

/// Returns the digest in the program's artifact, in 32 hexadecimal digits:
/// equal for equal code and plans.
std::string programDigest(const rp_program *program);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_PROGRAMDIGEST_H
