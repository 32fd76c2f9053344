//===- StateFlags.h - Options of a program from a state ---------*- C++ -*-===//
#ifndef REPRISE_TOOLS_STATEFLAGS_H
#define REPRISE_TOOLS_STATEFLAGS_H

#include "RunFlags.h"

namespace reprise::driver {

/// Takes the options that no flag gives from `state`, since the variables of a
/// program depend on the model's options and the optimizer, among others, and
/// the names of classes; without a state, only the names, from `weights`.
rt::Status takeFromState(CLI::App &command, RunFlags &run,
                         const std::string &state, const std::string &weights);

} // namespace reprise::driver

#endif // REPRISE_TOOLS_STATEFLAGS_H
