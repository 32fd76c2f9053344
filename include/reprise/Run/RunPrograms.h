//===- RunPrograms.h - The programs of a run with several -------*- C++ -*-===//
//
// Programs of one model by epochs (modes of checkpointing) and by sizes of
// images (buckets). They are compiled in the background, those of the next
// steps first. Programs that may be refused, because of a budget or a memory
// limit, are planned before the first step, and only their code is generated
// later. Compiled programs are kept in memory, and on disk for later runs.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUN_RUNPROGRAMS_H
#define REPRISE_RUN_RUNPROGRAMS_H

#include "reprise/Run/ProgramBuild.h"
#include "reprise/Run/ProgramPlan.h"
#include "reprise/Run/ProgramQueue.h"
#include "reprise/Run/RunSource.h"
#include <algorithm>
#include <map>

namespace reprise::rt {
struct TracedProgram;
}

namespace reprise::driver {

/// Returns a program in the form of a trace, with the name `name`.
std::shared_ptr<const rt::TracedProgram> tracedProgram(const BuiltProgram &of,
                                                       const std::string &name);

/// A program that ran, and its memory.
struct UsedProgram {
  std::string name; // "segments=8", "224x192@8", "segments=8, 224x192@8"
  size_t predictedBytes = 0, measuredBytes = 0;
  size_t changedBytes = 0; // if memory is checked
};

class RunPrograms final : public rt::Programs {
public:
  RunPrograms(RunSource source, RunRequest request, ProgramPlan plan)
      : source(std::move(source)), request(std::move(request)),
        plan(std::move(plan)) {}

  /// Opens the program of `epoch` in the size of the model, or the one for
  /// programs that do not fit; plans those that may not fit, and begins to
  /// compile.
  rt::Expected<RunningProgram> open(uint64_t epoch);

  /// Returns the buckets with the images of a step, of all its micro-batches.
  std::vector<rt::Bucket> buckets() const override;
  bool isSame(const rt::StepPlace &a, const rt::StepPlace &b) const override;
  void expect(const std::vector<rt::StepPlace> &places) override;
  bool await(const rt::StepPlace &place,
             const std::atomic<bool> *stop) override;
  std::string name(const rt::StepPlace &place) const override {
    return nameOf(keyOf(place));
  }
  rt::Status use(rt::Backend &backend, const rt::StepPlace &place) override;
  rt::Status useForEvaluation(rt::Backend &backend) override;
  /// Notes the memory of the running program.
  rt::Status note(rt::Backend &backend);

  /// Returns the predicted memory of the process, by the programs that ran.
  rt::Expected<rt::ProcessMemory> process() const;
  /// Returns the running program in the form of a trace, if requested.
  std::shared_ptr<const rt::TracedProgram> traced();
  /// Each program that ran, in order of the phases.
  std::vector<UsedProgram> used() const;
  /// Returns the seconds that planning and compiling were waited for since the
  /// run was opened.
  double compileSeconds() const { return planned + awaited; }
  /// Returns the other seconds of planning and compiling, while steps ran.
  double hiddenSeconds() const {
    return std::max(0.0, queue.seconds() - awaited - beforeSteps);
  }

private:
  using Ticket = ProgramQueue::Ticket;
  /// A phase, and a bucket or kOwnSize.
  using Key = std::pair<size_t, size_t>;
  static constexpr size_t kOwnSize = SIZE_MAX;

  size_t phaseOf(uint64_t epoch) const;
  Key keyOf(const rt::StepPlace &place) const;
  const ProgramMode &modeOf(size_t phase) const;
  std::string nameOf(const Key &key) const;
  RunSource sourceOf(size_t phase) const;
  rt::Expected<ModelRequest> requestFor(const ProgramMode &mode,
                                        size_t bucket) const;
  rt::Expected<ModelRequest> requestOf(const Key &key) const {
    return requestFor(modeOf(key.first), key.second);
  }
  rt::Status settle();
  void takeSizeOfBucket();
  rt::Status prepareBuckets(size_t phase);
  std::vector<Key> keysToCome() const;
  rt::Status preparePhases();
  rt::Status checkVariables(const rt::Bucket &bucket,
                            const std::vector<ModelVariable> &mine,
                            const std::vector<ModelVariable> &theirs) const;
  bool isOwnSize(const rt::Bucket &bucket) const;
  rt::Expected<std::shared_ptr<ProgramBuild>>
  build(const rt::Expected<ModelRequest> &wanted, Advice advice);
  Ticket ticketOf(const Key &key);
  bool awaitTicket(const Key &key, const std::atomic<bool> *stop);
  rt::Expected<BuiltProgram> programOf(const Key &key);
  rt::Status switchTo(rt::Backend &backend, const Key &key);
  rt::Status checkArena(uint64_t wanted, uint64_t held) const;
  /// Returns true if another mode may be tried for the phase, and chooses it.
  bool takeOther(const Key &key, const rt::Status &status);

  RunSource source;
  RunRequest request;
  ProgramPlan plan;
  ModelRequest own; // for the device and data, without mode and bucket
  /// Phases that are trained in the mode plan.onOutOfMemory.
  std::map<size_t, bool> isOther;
  std::map<Key, BuiltProgram> programs;
  std::map<Key, Ticket> coming;
  std::map<Key, UsedProgram> memory;
  std::map<Key, std::shared_ptr<const rt::TracedProgram>> traces;
  bool hasTrained = false; // in the running program
  Key current = {0, kOwnSize};
  BuiltProgram first;              // opened with the run
  BuiltProgram running;            // of `current`; a backend has it
  rt::ProcessMemory predicted;     // with the first one
  double planned = 0, awaited = 0; // seconds
  double beforeSteps = 0;          // of the queue, beside what was awaited
  ProgramQueue queue;
};

} // namespace reprise::driver

#endif // REPRISE_RUN_RUNPROGRAMS_H
