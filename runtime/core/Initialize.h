//===- Initialize.h - Initial values of variables ---------------*- C++ -*-===//
//
// A variable's values depend on the seed, its name, its initializer, its type
// and its shape, and on nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CORE_INITIALIZE_H
#define REPRISE_RUNTIME_CORE_INITIALIZE_H

#include "Views.h"

namespace reprise::rt {

/// Returns the bytes of a verified variable's initial value.
std::vector<uint8_t> initialBytes(const fb::Variable &variable, uint64_t seed);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CORE_INITIALIZE_H
