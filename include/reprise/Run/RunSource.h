//===- RunSource.h - A model ready to run -----------------------*- C++ -*-===//
//
// Turns a source into a session: a model is compiled in memory, an artifact is
// loaded. Missing settings of a model of the zoo follow from the data.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUN_RUNSOURCE_H
#define REPRISE_RUN_RUNSOURCE_H

#include "reprise/Driver/ModelRequest.h"
#include "reprise/Program/ProgramFacts.h"
#include "reprise/Run/BuiltProgram.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/ProcessMemory.h"

namespace reprise::driver {

/// The model of a run, its data and its device.
struct RunSource {
  std::string source, data, device; // empty device: the program's
  uint64_t syntheticSize = 2048;
  bool checkMemory = false;
  bool isUnlabelled = false; // as in rt::DataSpec
  rt::ImageSpec images;
  /// Names of the classes and of the test split, as in rt::DataSpec.
  std::vector<std::string> classNames;
  std::string testSplit;
  unsigned loaderThreads = 0; // 0: chosen by the cost of the data
  /// The limit on the bytes of the whole process; 0: the system's.
  uint64_t memoryLimit = 0;
  /// The model to compile, without the settings that follow from the data;
  /// nothing for an artifact. Its costs need not be settled.
  std::optional<ModelRequest> request;

  rt::DataSpec dataSpec() const;
  /// Returns the options for data opened before there is a program.
  rt::DatasetOptions dataOptions() const;
};

/// A run's requirements on a program that is compiled for it.
struct RunRequest {
  bool gradients = false;
  /// True if each step reports values that are not finite.
  bool checkFinite = false;
  /// The batch of a zoo's model without a given one.
  std::optional<int64_t> batch;
  /// The split of the data that it will read.
  rt::Split split = rt::Split::Train;
  /// The state that it begins from; empty: none.
  std::string state;
  /// True if states will be written.
  bool saves = true;
  /// True if test data is read too.
  bool evaluates = false;
  /// True if test data may be read, if there is some.
  bool mayEvaluate = false;
  /// True if training steps never run.
  bool onlyEvaluates = false;
  /// True if every training step reads rows in the model's own size, so that
  /// data that do not fit are refused before the model is compiled.
  bool trainsInOwnSize = false;
  /// True if nothing is evaluated, not even at the end.
  bool neverEvaluates = false;
  /// True if the facts about the program's steps are requested too.
  bool describes = false;
  /// True if a model without a budget gets one if the limit on the process
  /// requires it.
  bool choosesBudget = true;
};

/// A program, and the predicted memory of the process that runs it.
struct PreparedRun {
  std::shared_ptr<rp_program> program;
  rt::ProcessMemory memory;
  /// The target it was compiled for, because of its device; empty: the
  /// requested one.
  std::string target;
  /// Null if not requested.
  std::shared_ptr<const ProgramFacts> facts = nullptr;
};

/// Finds the device before anything is compiled, and targets it if no target is
/// given; `target` receives that target.
rt::Status settleDevice(RunSource &source, std::string &target);

/// Returns the request of a source that is no artifact, with the settings that
/// follow from its data, and with costs.
rt::Expected<ModelRequest> modelRequest(const RunSource &source,
                                        const RunRequest &request);

/// Compiles or loads without opening a session.
rt::Expected<PreparedRun> prepareRun(const RunSource &source,
                                     const RunRequest &request);

/// Owns a program and its session.
class RunningProgram {
public:
  /// Fails with RP_OUT_OF_MEMORY if the process would exceed its limit.
  static rt::Expected<RunningProgram> open(const RunSource &source,
                                           const RunRequest &request);
  rt::Backend &backend() { return *session; }
  /// Returns the predicted memory of the process, from before the arena was
  /// allocated.
  const rt::ProcessMemory &process() const { return memory; }
  /// Returns the program that it was opened with.
  BuiltProgram opened() const { return {program, described}; }
  unsigned threads() const;
  uint64_t fixedBytes() const { return rp_program_fixed_bytes(program.get()); }
  /// Returns PreparedRun's target.
  const std::string &target() const { return targetOfDevice; }
  /// Returns the compiler's note on its planning.
  std::string planNote() const { return rp_program_plan_note(program.get()); }
  /// Returns "resnet18 (28x28x1, 10 classes, batch 128)".
  std::string describe() const;

private:
  std::shared_ptr<rp_program> program; // outlives the session
  std::unique_ptr<rt::Backend> session;
  rt::ProcessMemory memory;
  std::string targetOfDevice;
  std::shared_ptr<const ProgramFacts> described;
};

} // namespace reprise::driver

#endif // REPRISE_RUN_RUNSOURCE_H
