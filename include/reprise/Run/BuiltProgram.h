//===- BuiltProgram.h - A program opened for runs ---------------*- C++ -*-===//
#ifndef REPRISE_RUN_BUILTPROGRAM_H
#define REPRISE_RUN_BUILTPROGRAM_H

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Runtime/reprise.h"
#include <memory>
#include <string>
#include <vector>

namespace reprise::driver {

/// An opened program.
struct BuiltProgram {
  std::shared_ptr<rp_program> program;
  /// Null if not requested.
  std::shared_ptr<const ProgramFacts> facts = nullptr;
};

/// Opens the program of an artifact's bytes; `describes` requests its facts.
rt::Expected<BuiltProgram> openBytes(const std::vector<uint8_t> &bytes,
                                     bool describes);

/// Opens the program of an artifact's file like openBytes, and warns of an
/// artifact with more threads than processors.
rt::Expected<BuiltProgram> openFile(const std::string &path, bool describes);

} // namespace reprise::driver

#endif // REPRISE_RUN_BUILTPROGRAM_H
