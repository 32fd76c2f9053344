//===- Hooks.h - The built-in hooks -----------------------------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_TRAINER_HOOKS_H
#define REPRISE_RUNTIME_TRAINER_HOOKS_H

#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <memory>
#include <optional>

namespace reprise::rt {

/// Writes TensorBoard event files: loss, learning rate, metrics, images per
/// second, seconds left and memory of steps, and loss and accuracy of
/// evaluations.
struct LoggerOptions {
  std::string directory; // created if missing
  uint64_t every = 1;    // steps
  uint64_t skip = 0;     // steps of this run that are not logged
  std::string text;      // shown next to the curves; Markdown
};
std::unique_ptr<Hook> makeTrainValLogger(const LoggerOptions &options);

/// Writes a table of the completed epochs as a file of comma-separated values,
/// which is replaced as a whole: learning rate of the last step, mean loss of
/// the steps, results of an evaluation at the epoch's end, and times. A cell is
/// empty if there was no evaluation, or if the mean would not cover all steps
/// because their state was saved without this hook.
///
/// Everything but times is in every state, so that a resumed run has the rows
/// of an uninterrupted one and none twice. Times are those of the file, if it
/// still exists; an interrupted epoch has its speed and no seconds.
class EpochTable final : public Hook {
public:
  explicit EpochTable(std::string path) : path(std::move(path)) {}
  std::string name() const override { return "epoch_table"; }
  /// Refuses to replace a file that is not such a table.
  Status begin(HookContext &run) override;
  Status afterStep(HookContext &run, const Progress &step) override;
  Status afterEpoch(HookContext &run) override;
  Status evaluated(HookContext &run, const EvaluateResult &result) override;
  /// Adds an evaluation of the variables after so many steps, requested by a
  /// hook or not.
  Status add(uint64_t step, const EvaluateResult &result);

private:
  /// Cells as they are written.
  struct Row {
    std::string epoch, step, learningRate, loss;
    std::vector<std::string> evaluation, times; // three each
  };
  /// Sums of the current epoch.
  struct Sums {
    double loss = 0;
    uint64_t steps = 0;      // in `loss`
    uint64_t stepsTimed = 0; // of this process
    uint64_t images = 0;
    double seconds = 0, waitSeconds = 0;
  };

  static std::string line(const Row &row);
  static std::optional<Row> readLine(const std::string &text);
  void remember(HookContext &run) const;
  void recall(const std::string &memory);
  Status takeTimes();
  Status write() const;

  std::string path;
  std::vector<Row> rows;
  Sums sums;
  double rate = 0;
};

/// Evaluates and saves states by epochs, counted from 1: the best by accuracy
/// (without one by loss) as best.safetensors, one every `saveEvery` epochs as
/// epoch-N.safetensors, of which the last `keep` remain, and, from epoch
/// `saveLatestStart` on, every `saveLatestEvery` epochs as latest.safetensors.
struct SaveBestOptions {
  std::string directory; // created if missing
  uint64_t testEvery = 1, testStart = 1;
  uint64_t saveEvery = 1, saveStart = 1; // every 0: none
  uint64_t saveLatestStart = 0;          // 0: none
  uint64_t saveLatestEvery = 1;
  uint64_t keep = 3; // 0: all
};
std::unique_ptr<Hook> makeAutoSaveBest(const SaveBestOptions &options);

/// Saves the state when a signal or an error ends the run.
class AutoCheckpoint : public Hook {
public:
  explicit AutoCheckpoint(std::string path) : path(std::move(path)) {}
  std::string name() const override { return "auto_checkpoint"; }
  Status begin(HookContext &run) override;
  Status end(HookContext &run, bool wasStopped) override;
  Status failed(HookContext &run, const Status &error) override;
  /// Saves the state of a run whose hooks have ended: something failed after
  /// them.
  Status save(Backend &backend, const RunPosition &position);
  /// Returns true if this run has saved a state.
  bool hasSaved() const { return saved; }

private:
  std::string path;
  bool saved = false;
};

/// Stops a run whose evaluations did not improve `patience` times in a row.
struct EarlyStopOptions {
  uint64_t patience = 1;
  uint64_t every = 1;  // epochs between evaluations
  double least = 0;    // smaller improvements do not count
  bool byLoss = false; // else by accuracy, if there is one
};
std::unique_ptr<Hook> makeEarlyStop(const EarlyStopOptions &options);

/// The best evaluation of a run so far: of the variables after so many steps.
struct BestEvaluation {
  uint64_t step = 0;
  uint64_t epoch = 0; // the epoch that ended there, counted from 1; 0: none
  double value = 0;   // the accuracy, or the loss if there is none
  bool isAccuracy = true;
};

/// Reports each evaluation that hooks request, and if it `remembers`, keeps the
/// best in states, so that a resumed run knows the best of the runs before it.
class EvaluationTeller final : public Hook {
public:
  /// `here` is the evaluation just done, in the same form.
  using Show = std::function<void(const EvaluateResult &result,
                                  const BestEvaluation &here,
                                  const BestEvaluation &best)>;
  EvaluationTeller(Show show, bool remembers)
      : show(std::move(show)), remembers(remembers) {}
  std::string name() const override { return "evaluations"; }
  Status evaluated(HookContext &run, const EvaluateResult &result) override;
  /// Nothing if this run evaluated nothing.
  const std::optional<BestEvaluation> &best() const { return known; }

private:
  Show show;
  bool remembers;
  std::string ofThisRun; // replaces the text of states
  std::optional<BestEvaluation> known;
};

/// Memory after a step, in bytes. Between two steps only the fixed bytes of the
/// arena are needed.
struct MemoryReading {
  uint64_t step = 0;       // steps done
  uint64_t arenaBytes = 0; // allocated
  uint64_t fixedBytes = 0; // of it: variables and constants
  uint64_t peakBytes = 0;  // of it, passed to steps so far
  uint64_t residentBytes = 0, residentPeakBytes = 0; // of the process
  /// The limit that leaves least.
  MemoryLimit limit;
};

/// Reads memory after every `every`-th step, at least 1, and passes it to
/// `show`. A limit of 0 is none.
struct MemoryMonitorOptions {
  uint64_t every = 1; // steps
  uint64_t fixedBytes = 0;
  uint64_t limitBytes = 0; // of the run; the system's limits are always read
  std::function<void(const MemoryReading &)> show;
};
std::unique_ptr<Hook> makeMemoryMonitor(const MemoryMonitorOptions &options);

/// A step of a program, as a trace shows it.
struct TracedOp {
  std::string name, module, phase;
  std::string kind; // "kernel", "library", "copy"
  uint64_t bytes = 0, flops = 0;
  uint64_t liveBytes = 0; // of the arena while it runs, without fixed bytes
};

/// A program whose steps are traced.
struct TracedProgram {
  std::string name;          // among those of a run; empty if it is the only
                             // one
  std::vector<TracedOp> ops; // of train_step, in order
  uint64_t fixedBytes = 0;   // of the arena
};

struct ProfileTraceOptions {
  std::string path;             // of the file
  uint64_t first = 2, last = 4; // steps of this run to trace, from 1
  /// The backend's current program; never null.
  std::function<std::shared_ptr<const TracedProgram>()> program;
  Backend *backend = nullptr; // in use by the run; outlives the hook
};

/// Writes steps of a run as a trace that Perfetto opens. The program's steps
/// are timed only in these steps of the run; the others run at full speed. It
/// must be the first of a run's hooks, since others may have the backend run
/// more. The file is written after the step that follows the last one, or at
/// the run's end.
class ProfileTrace final : public Hook {
public:
  /// The times of the program's steps in one step of the run.
  struct Timed {
    uint64_t step;
    double begin; // of the step, as RunSpan
    std::vector<rp_step_times> times;
    std::shared_ptr<const TracedProgram> program;
  };

  explicit ProfileTrace(ProfileTraceOptions options)
      : options(std::move(options)) {}
  std::string name() const override { return "profile_trace"; }
  /// Receives the spans of TrainOptions::onSpan.
  void add(const RunSpan &span);
  Status begin(HookContext &run) override;
  Status afterStep(HookContext &run, const Progress &step) override;
  Status end(HookContext &run, bool wasStopped) override { return write(); }
  Status failed(HookContext &run, const Status &error) override {
    return write();
  }

private:
  Status write();

  ProfileTraceOptions options;
  std::string model;
  uint64_t start = 0; // steps of earlier runs
  double stepBegin = 0;
  std::vector<RunSpan> spans;
  std::vector<Timed> steps;
  bool written = false;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_HOOKS_H
