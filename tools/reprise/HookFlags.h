//===- HookFlags.h - Options of hooks ---------------------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_HOOKFLAGS_H
#define REPRISE_TOOLS_HOOKFLAGS_H

#include "reprise/Runtime/Trainer/Hooks.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace reprise::tools {

/// Which hooks a run has; each is there when its place, or its patience, is
/// said.
class HookFlags {
public:
  void addTo(CLI::App &app);
  /// Refuses an option of a hook that is not there, and what makes no sense.
  rt::Status check();
  /// Goes on from the state of --reload where there is one.
  rt::Status reload(rt::TrainOptions &train) const;
  /// Loads those of libraries, before anything is compiled.
  rt::Status load();
  /// Makes the others, which live as long as this, and hands out all; `text` is
  /// shown beside the curves. Of `memory` it takes all but what options say.
  std::vector<rt::Hook *> make(const std::string &text,
                               rt::MemoryMonitorOptions memory);
  /// The best of the evaluations that hooks asked for; nothing without any.
  std::optional<rt::BestEvaluation> bestEvaluation() const {
    return teller ? teller->best() : std::nullopt;
  }
  /// The path of the best state; empty if none is kept.
  std::string bestPath() const {
    return best.directory.empty() ? "" : best.directory + "/best.safetensors";
  }
  /// Whether steps are to be traced.
  bool traces() const { return !trace.path.empty(); }
  /// Makes that hook as well, before the others, of the program that `backend`
  /// has; for TrainOptions::onSpan.
  std::function<void(const rt::RunSpan &)>
  makeTrace(decltype(rt::ProfileTraceOptions::program) program,
            rt::Backend &backend, std::vector<rt::Hook *> &all);
  /// Says so where a run of `steps` steps ended before those to be traced.
  void warnOfTrace(uint64_t steps) const;
  /// Tells the table of epochs of an evaluation that no hook asked for.
  rt::Status addEvaluation(uint64_t step, const rt::EvaluateResult &result) {
    return table ? table->add(step, result) : rt::Status();
  }
  /// Options that name a file of a hook's own, and the files.
  std::vector<std::pair<std::string, std::string>> files() const {
    return {{"--epoch-table", tablePath}, {"--profile-trace", trace.path}};
  }
  /// Where a signal or an error leaves the state; empty: nowhere.
  const std::string &checkpointPath() const { return checkpoint; }
  /// Whether this run saved there.
  bool hasCheckpoint() const {
    return autoCheckpoint && autoCheckpoint->hasSaved();
  }
  /// Whether some are of the user, of which nothing is known.
  bool hasLibraries() const { return !libraries.empty(); }
  /// Whether some hook evaluates.
  bool evaluates() const {
    return !best.directory.empty() || stop.patience > 0;
  }

private:
  /// Checks, before anything is compiled, that every output can be written.
  rt::Status checkOutputs() const;
  void addLogger();
  void addSaveBest();
  void addOthers();
  void addMonitors();
  void addTrace();
  void addLibraries();

  CLI::App *command = nullptr;
  rt::LoggerOptions logger;
  rt::SaveBestOptions best;
  rt::EarlyStopOptions stop;
  rt::ProfileTraceOptions trace;
  std::string traceSteps;
  uint64_t memoryEvery = 0; // steps; 0: never
  std::string tablePath, checkpoint, reloadPath, stopMetric = "accuracy";
  std::vector<std::string> libraries;
  std::vector<std::unique_ptr<rt::Hook>> hooks;
  rt::AutoCheckpoint *autoCheckpoint = nullptr;
  rt::EpochTable *table = nullptr;
  rt::EvaluationTeller *teller = nullptr;
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_HOOKFLAGS_H
