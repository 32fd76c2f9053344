//===- RunPrograms.h - The programs of a run that has several ---*- C++ -*-===//
//
// Programs of one model by epochs (modes of checkpointing) and by sizes of
// images (buckets). The program of the next phase is compiled in the background
// while this one trains; those of buckets before the first step, so that one
// that does not fit is refused before anything is trained. What was compiled is
// kept in memory, and on disk for later runs.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TOOLS_RUNPROGRAMS_H
#define REPRISE_TOOLS_RUNPROGRAMS_H

#include "ProgramFlags.h"
#include "RunSource.h"
#include <future>
#include <map>

namespace reprise::tools {

/// A program that ran, and its memory.
struct UsedProgram {
  std::string name; // "segments=8", "224x192@8", "segments=8, 224x192@8"
  size_t predictedBytes = 0, measuredBytes = 0;
};

class RunPrograms final : public rt::Programs {
public:
  RunPrograms(RunFlags flags, RunRequest request, ProgramPlan plan)
      : flags(std::move(flags)), request(std::move(request)),
        plan(std::move(plan)) {}

  /// Opens the program of `epoch` in the size of the model, or the one for what
  /// does not fit, and compiles the programs of buckets.
  rt::Expected<RunningProgram> open(uint64_t epoch);

  std::vector<rt::Bucket> buckets() const override { return plan.buckets; }
  bool isSame(const rt::StepPlace &a, const rt::StepPlace &b) const override;
  std::string name(const rt::StepPlace &place) const override {
    return nameOf(keyOf(place));
  }
  rt::Status use(rt::Backend &backend, const rt::StepPlace &place) override;
  rt::Status useForEvaluation(rt::Backend &backend) override;
  /// Notes the memory of the program that runs.
  rt::Status note(rt::Backend &backend);

  /// Each program that ran, in order of the phases.
  std::vector<UsedProgram> used() const;
  /// How long compilations were waited for since the run was opened.
  double compileSeconds() const { return seconds; }

private:
  using Program = std::shared_ptr<rp_program>;
  /// A phase, and a bucket or kOwnSize.
  using Key = std::pair<size_t, size_t>;
  static constexpr size_t kOwnSize = SIZE_MAX;

  size_t phaseOf(uint64_t epoch) const;
  Key keyOf(const rt::StepPlace &place) const;
  std::string modeOf(size_t phase) const;
  std::string nameOf(const Key &key) const;
  RunFlags flagsOf(const Key &key) const;
  rt::Status checkModes() const;
  rt::Status settleBuckets();
  rt::Status compileBuckets(size_t phase);
  rt::Status compileBudgets();
  rt::Status checkVariables(const rt::Bucket &bucket, rp_program *program);
  void compileAhead(const Key &key);
  rt::Expected<Program> programOf(const Key &key);
  rt::Status switchTo(rt::Backend &backend, const Key &key);
  bool mayTake(rp_program *next) const;
  /// Whether another mode may be tried for the phase; takes it.
  bool takeOther(const Key &key, const rt::Status &status);

  RunFlags flags;
  RunRequest request;
  ProgramPlan plan;
  /// Phases that are trained as plan.onOutOfMemory says.
  std::map<size_t, bool> isOther;
  std::map<Key, Program> programs;
  std::map<Key, std::future<rt::Expected<Program>>> coming;
  std::map<Key, UsedProgram> memory;
  bool hasTrained = false; // in the program that runs
  Key current = {0, kOwnSize};
  Program running; // of `current`; a backend has it
  double seconds = 0;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_RUNPROGRAMS_H
