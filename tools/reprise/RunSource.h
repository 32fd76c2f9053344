//===- RunSource.h - A model ready to run -----------------------*- C++ -*-===//
//
// Turns what a user names into a session: a model is compiled in memory, an
// artifact is loaded. What a model of the zoo is not told it takes from the
// data.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_RUNSOURCE_H
#define REPRISE_TOOLS_RUNSOURCE_H

#include "CompileFlags.h"
#include "ModelFlags.h"
#include "ModelRequest.h"
#include "artifact/ProgramFacts.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/ProcessMemory.h"

namespace reprise::tools {

/// What train and eval have in common.
struct RunFlags {
  std::string source, data, device; // empty: what the program is for
  uint64_t syntheticSize = 2048;
  bool checkMemory = false;
  rt::ImageSpec images;
  /// Names of the classes and of the split for tests, as in rt::DataSpec.
  std::vector<std::string> classNames;
  std::string testSplit;
  unsigned loaderThreads = 0; // 0: as many as the data are worth
  /// Bytes that the whole process may take; 0: what the system allows.
  uint64_t memoryLimit = 0;
  ModelFlags model;
  CompileFlags compile;
  void addTo(CLI::App &command);
  rt::DataSpec dataSpec() const;
  /// Returns the options for data that are opened before there is a program.
  rt::DatasetOptions dataOptions() const;
  /// Takes the names of classes of the state in `file`. Fails where the command
  /// line gives others, or gives some for data without folders of classes.
  rt::Status takeClassNames(const std::vector<std::string> &ofState,
                            const std::string &file);
  /// Takes the orientation of a state's course, which extents of volumes depend
  /// on, unless the command line says one.
  void takeOrientation(const rt::Course &course);
  /// Settings of images that the command line says, as a course names them.
  std::set<std::string> givenImages() const;
};

/// What a run needs of a program that is compiled for it.
struct RunRequest {
  bool gradients = false;
  /// Whether it says of each step if something was not finite.
  bool checkFinite = false;
  /// Of a zoo's model that is not told its own.
  std::optional<int64_t> batch;
  /// Of the data that it will read.
  rt::Split split = rt::Split::Train;
  /// Whether states are to be written.
  bool saves = true;
  /// Whether test data are read beside.
  bool evaluates = false;
  /// Whether they may be, where there are some.
  bool mayEvaluate = false;
  /// Whether training steps never run.
  bool onlyEvaluates = false;
  /// Whether nothing is evaluated, at the end neither.
  bool neverEvaluates = false;
  /// Whether what the program says of its steps is wanted beside.
  bool describes = false;
  /// Whether a model without a budget gets one where the limit on the process
  /// asks for it.
  bool choosesBudget = true;
};

/// A program, and what the process that runs it will hold.
struct PreparedRun {
  std::shared_ptr<rp_program> program;
  rt::ProcessMemory memory;
  /// What it was compiled for, because of its device; empty: what was asked.
  std::string target;
  /// Where it was asked for; else null.
  std::shared_ptr<const ProgramFacts> facts = nullptr;
};

/// A program that is opened.
struct BuiltProgram {
  std::shared_ptr<rp_program> program;
  /// Where they were asked for; else null.
  std::shared_ptr<const ProgramFacts> facts = nullptr;
};

/// The program of an artifact's bytes; `describes` asks for its facts.
rt::Expected<BuiltProgram> openBytes(const std::vector<uint8_t> &bytes,
                                     bool describes);

/// Looks for the device before anything is compiled, and has a model compiled
/// for it where no target is given: `target` is what it is then.
rt::Status settleDevice(RunFlags &flags, std::string &target);

/// What `flags` and the data say of a model of the zoo or a file of MLIR.
rt::Expected<ModelRequest> modelRequest(const RunFlags &flags,
                                        const RunRequest &request);

/// Compiles or loads, and opens nothing.
rt::Expected<PreparedRun> prepareRun(const RunFlags &flags,
                                     const RunRequest &request);

/// Owns a program and its session.
class RunningProgram {
public:
  /// Fails with RP_OUT_OF_MEMORY where the process would take more than it may.
  static rt::Expected<RunningProgram> open(const RunFlags &flags,
                                           const RunRequest &request);
  rt::Backend &backend() { return *session; }
  /// What the process was predicted to hold, before the arena was allocated.
  const rt::ProcessMemory &process() const { return memory; }
  /// The program that it was opened with.
  BuiltProgram opened() const { return {program, described}; }
  unsigned threads() const;
  uint64_t fixedBytes() const { return rp_program_fixed_bytes(program.get()); }
  /// As of PreparedRun.
  const std::string &target() const { return targetOfDevice; }
  /// How it was planned, as the compiler noted it.
  std::string planNote() const { return rp_program_plan_note(program.get()); }
  /// "resnet18 (28x28x1, 10 classes, batch 128)".
  std::string describe() const;

private:
  std::shared_ptr<rp_program> program; // outlives the session
  std::unique_ptr<rt::Backend> session;
  rt::ProcessMemory memory;
  std::string targetOfDevice;
  std::shared_ptr<const ProgramFacts> described;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_RUNSOURCE_H
