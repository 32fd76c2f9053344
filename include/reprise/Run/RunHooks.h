//===- RunHooks.h - The hooks of a run --------------------------*- C++ -*-===//
#ifndef REPRISE_RUN_RUNHOOKS_H
#define REPRISE_RUN_RUNHOOKS_H

#include "reprise/Console/GivenOptions.h"
#include "reprise/Run/HookKind.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <memory>
#include <string>
#include <vector>

namespace reprise::driver {

/// The options of hooks: of each kind, and of those that RunHooks creates
/// itself, which exist if their path is given.
struct HookSettings {
  std::vector<std::unique_ptr<HookKind>> kinds = makeHookKinds();
  rt::LoggerOptions logger;
  rt::SaveBestOptions best;
  rt::ProfileTraceOptions trace;
  std::string traceSteps;
  std::string tablePath, checkpoint, reloadPath;
  std::vector<std::string> libraries;
};

/// The hooks of a run.
class RunHooks : public HookSettings {
public:
  /// Rejects options of a hook that is not used, and invalid values.
  rt::Status check(const GivenOptions &command);
  /// Resumes from the state of --reload if it exists.
  rt::Status reload(rt::TrainOptions &train) const;
  /// Loads hooks of libraries, before anything is compiled.
  rt::Status load();
  /// Creates the other hooks, which live as long as this, and returns all;
  /// `text` is shown with the curves, `memory` passed to HookKind::make.
  std::vector<rt::Hook *> make(const std::string &text,
                               const rt::MemoryMonitorOptions &memory);
  /// Returns the best of the evaluations that hooks requested; nothing without
  /// any.
  std::optional<rt::BestEvaluation> bestEvaluation() const {
    return teller ? teller->best() : std::nullopt;
  }
  /// Returns the path of the best state; empty if none is kept.
  std::string bestPath() const {
    return best.directory.empty() ? "" : best.directory + "/best.safetensors";
  }
  /// Returns true if steps are traced.
  bool traces() const { return !trace.path.empty(); }
  /// Creates that hook as well, before the others, for the program that
  /// `backend` has; for TrainOptions::onSpan.
  std::function<void(const rt::RunSpan &)>
  makeTrace(decltype(rt::ProfileTraceOptions::program) program,
            rt::Backend &backend, std::vector<rt::Hook *> &all);
  /// Warns if a run of `steps` steps ended before the traced ones.
  void warnOfTrace(uint64_t steps) const;
  /// Adds an evaluation that no hook requested to the table of epochs.
  rt::Status addEvaluation(uint64_t step, const rt::EvaluateResult &result) {
    return table ? table->add(step, result) : rt::Status();
  }
  /// Returns the options that name a hook's own file, and the files.
  std::vector<std::pair<std::string, std::string>> files() const {
    return {{"--epoch-table", tablePath}, {"--profile-trace", trace.path}};
  }
  /// Returns the path of the state saved on a signal or an error; empty: none.
  const std::string &checkpointPath() const { return checkpoint; }
  /// Saves there what the run has trained, if there is a path and nothing was
  /// saved yet.
  rt::Status saveCheckpoint(rt::Backend &backend,
                            const rt::RunPosition &position);
  /// Returns true if this run saved there.
  bool hasCheckpoint() const {
    return autoCheckpoint && autoCheckpoint->hasSaved();
  }
  /// Returns true if some hooks are the user's, whose behaviour is not known.
  bool hasLibraries() const { return !libraries.empty(); }
  /// Returns true if some hook evaluates.
  bool evaluates() const;

private:
  /// Checks, before anything is compiled, that every output can be written.
  rt::Status checkOutputs() const;

  std::vector<std::unique_ptr<rt::Hook>> hooks;
  rt::AutoCheckpoint *autoCheckpoint = nullptr;
  rt::EpochTable *table = nullptr;
  rt::EvaluationTeller *teller = nullptr;
};

} // namespace reprise::driver

#endif // REPRISE_RUN_RUNHOOKS_H
