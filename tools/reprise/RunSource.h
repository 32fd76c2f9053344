//===- RunSource.h - A model ready to run -----------------------*- C++ -*-===//
//
// Turns what a user names into a session: a model is compiled in memory, an
// artifact is loaded. What a model of the zoo is not told it takes from the
// data.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_RUNSOURCE_H
#define REPRISE_TOOLS_RUNSOURCE_H

#include "ModelFlags.h"
#include "artifact/ProgramFacts.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"

namespace reprise::tools {

/// What train and eval have in common.
struct RunFlags {
  std::string source, data, device = "cpu";
  uint64_t syntheticSize = 2048;
  bool checkMemory = false;
  ModelFlags model;
  CompileFlags compile;
  void addTo(CLI::App &command);
  rt::DataSpec dataSpec() const;
};

/// Owns a program and its session.
class RunningProgram {
public:
  /// `batch`: of a zoo's model that is not told its own.
  static rt::Expected<RunningProgram>
  open(const RunFlags &flags, bool gradients, std::optional<int64_t> batch);
  rt::Backend &backend() { return *session; }
  /// Resident bytes of the process before the arena was allocated.
  size_t residentBefore() const { return resident; }
  unsigned threads() const;
  /// "resnet18 (28x28x1, 10 classes, batch 128)".
  std::string describe() const;

private:
  std::shared_ptr<rp_program> program; // outlives the session
  std::unique_ptr<rt::Backend> session;
  size_t resident = 0;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_RUNSOURCE_H
