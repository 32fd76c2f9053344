//===- Trainer.h - Training and evaluation of a program ---------*- C++ -*-===//
//
// A program to train has the entry "train_step"; to be evaluated, "eval_step".
// What they take and give is found by roles (program.fbs), whatever it is
// called:
//
//   data           inputs, at least one: rows of the data, by their names
//   (B,...) label          input, if any: the rows' classes (B; i32)
//   learning_rate  input, f32 scalar; of train_step
//   seed, step     inputs, if any: i64 scalars
//   mix_ratio      input, if any, f32 scalar; of train_step: a draw for each
//                  step of the Beta distribution of the setting mixup, by seed
//                  and step
//   loss           output, f32 scalar
//   logits         output, if any (B,K; f32): bounds the labels; gives accuracy
//   nonfinite      output, if any, i1 scalar: a run ends where it is true
//   metric         outputs, if any, f32 scalars: reported
//   gradient       outputs, if any: can be written to a file
//
// The optimizer is part of the program.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_TRAINER_TRAINER_H
#define REPRISE_RUNTIME_TRAINER_TRAINER_H

#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/Trainer/Backend.h"
#include "reprise/Runtime/Trainer/Dataset.h"
#include "reprise/Runtime/Trainer/Hook.h"
#include "reprise/Runtime/Trainer/LearningRate.h"
#include "reprise/Runtime/Trainer/Programs.h"
#include "reprise/Runtime/Trainer/State.h"
#include <atomic>
#include <functional>
#include <optional>

namespace reprise::rt {

/// What a run does between two moments of std::chrono::steady_clock, in
/// seconds.
struct RunSpan {
  /// "data": waits for a batch and hands it over; "step": the program runs and
  /// its results are read; "hooks": they are told; "save": a state is written.
  const char *what = "";
  uint64_t step = 0; // that is under way, or was done last; from 1
  double begin = 0, end = 0;
};

/// Sent after every step.
struct Progress {
  uint64_t epoch = 0;        // counted from 0
  uint64_t step = 0;         // steps done, earlier runs included
  uint64_t total = 0;        // steps at the end
  uint64_t skippedSteps = 0; // by loss scaling, earlier runs included
  double loss = 0;           // of this step
  double meanLoss = 0;       // of the last 50 steps of this run
  double learningRate = 0;
  std::map<std::string, double> metrics; // of this step, by output
  double stepSeconds = 0;                // of this step
  /// From the end of the step before, without hooks and saves of states; of it,
  /// waited for the batch. A device that works beside the host may be running
  /// the step before meanwhile.
  double trainSeconds = 0, waitSeconds = 0;
  uint64_t images = 0;        // of this step
  std::string program;        // that ran; empty where a run has one
  double imagesPerSecond = 0; // of this run
  double secondsLeft = 0;
  size_t arenaBytes = 0;         // as they are allocated
  size_t predictedPeakBytes = 0; // of train_step
  size_t highWaterBytes = 0;     // of what steps were given of the arena
  size_t changedBytes = 0;       // of what changed, where memory is checked
  size_t residentBytes = 0;      // of the process
};

/// The part of the data that a run uses.
struct DataInventory {
  uint64_t rows = 0, steps = 0; // of an epoch
  /// Rows that each epoch leaves out, since they fill no batch.
  uint64_t leftOut = 0;
  bool isShuffled = true;
  SkippedRows skipped;
};

struct TrainOptions {
  DataSpec data;
  /// Exactly one of both, none in a resumed run that ends where it was to; the
  /// end of the run, earlier runs included.
  uint64_t epochs = 0, steps = 0;
  LearningRate learningRate;
  uint64_t seed = 0; // of initial values, dropout and order
  /// Settings that the user states: lr, schedule, warmup, seed, train-images,
  /// eval-images, normalize. A resumed run
  /// takes the others from its state; its length where none is said above.
  std::set<std::string> given;
  /// Settings of the state that are to be replaced; see Course.h.
  std::set<std::string> overridden;
  std::string recipe; // kept in states; empty: as in the state to go on from
  std::string modelOptions; // kept in states that have none
  std::string savePath;     // empty: nothing is saved
  uint64_t saveEvery = 0;   // steps; 0: only at the end
  std::string resumePath;   // a state; excludes weightsPath
  /// Whether a state that has done all steps is one to go on from: hooks and
  /// the last evaluation make up for what they missed.
  bool mayBeDone = false;
  /// Steps that loss scaling may skip in a row before the run ends with an
  /// error; 0: any number.
  uint64_t maxSkippedSteps = 100;
  /// Told when many are skipped in a row, and what is odd in the data.
  std::function<void(const std::string &)> onWarning;
  /// True if an evaluation will follow: what it needs of data that are only for
  /// tests is looked at before the first step.
  bool willEvaluate = false;
  std::string weightsPath;   // parameters and running statistics
  std::string gradientsPath; // gradients of the last step
  std::function<void(const Progress &)> onProgress;
  std::function<void(const WeightsReport &)> onWeights;
  /// Before the first step.
  std::function<void(const DataInventory &)> onData;
  /// Images that an evaluation, which a hook asked for, has behind it, and all.
  std::function<void(uint64_t done, uint64_t total)> onEvaluation;
  /// Chooses the program of each step; null: all are the backend's. Outlives
  /// the run.
  Programs *programs = nullptr;
  /// Told of each span when it ends.
  std::function<void(const RunSpan &)> onSpan;
  /// Told in this order; they outlive the run.
  std::vector<Hook *> hooks;
  /// The first failure of each hook, when it happens.
  std::function<void(const HookFailure &)> onHookFailure;
  /// When it becomes true the run saves its state and ends.
  const std::atomic<bool> *stop = nullptr;
  /// Set while files are written: not the moment to end the process.
  std::atomic<bool> *saving = nullptr;
};

struct EvaluateResult {
  uint64_t images = 0, correct = 0;
  /// Images whose label is among the five classes of the largest logits, those
  /// of equal logits counted by their number. All, of five classes or fewer.
  uint64_t correctTop5 = 0;
  int32_t classes = 0; // that the logits tell apart; 0 without
  /// Images by label (row) and class of the largest logit (column), classes
  /// each, where asked for and both are known.
  std::vector<uint64_t> confusion;
  /// Of the data, by label; empty where they have none.
  std::vector<std::string> classNames;
  std::vector<std::string> absentClasses; // those that no row has
  SkippedRows skipped;                    // of the data
  std::vector<std::string> warnings;      // of the data
  /// Whether the program has labels and logits. Then every image counts, and
  /// the loss is the mean cross-entropy, computed from the logits. Otherwise
  /// only full batches count, and it is the mean of the program's losses.
  bool hasAccuracy = true;
  double loss = 0;
  /// Means over full batches, by output.
  std::map<std::string, double> metrics;
  double accuracy() const { return images ? double(correct) / images : 0; }
  double accuracyTop5() const {
    return images ? double(correctTop5) / images : 0;
  }
  /// Whether the second of them says anything.
  bool hasTop5() const { return hasAccuracy && classes > 5; }
};

struct TrainResult {
  uint64_t steps = 0; // done in this run
  RunPosition position;
  LearningRate learningRate;
  double loss = 0, meanLoss = 0;
  std::map<std::string, double> metrics; // of the last step, by output
  double seconds = 0;
  /// Sums of those of its steps, as in Progress.
  double trainSeconds = 0, waitSeconds = 0;
  bool stopped = false; // by `stop`
  DataInventory data;
  /// Why a hook ended the run; empty where none did.
  std::string stopReason;
  std::vector<HookFailure> hookFailures;
  /// The step of the state that this run saved last to TrainOptions::savePath;
  /// nothing if it saved none.
  std::optional<uint64_t> savedStep;
  /// Of the variables at the end, where a hook asked for it.
  std::optional<EvaluateResult> evaluation;
};

/// Trains until the asked end. On an error nothing is saved but by hooks; the
/// last saved state stays as it was. Holds a lock on `savePath` all the time.
/// Trains. If an error follows the last step, `trained`, unless null, still
/// receives the result of the steps.
Expected<TrainResult> train(Backend &backend, const TrainOptions &options,
                            std::optional<TrainResult> *trained = nullptr);

/// Returns `data` for an evaluation of a run that stands at `position`: scaled,
/// made to size and numbered as the training data, but for settings `given`.
DataSpec evaluationData(const DataSpec &data, const RunPosition &position,
                        const std::set<std::string> &given = {});

/// Fails where an evaluation of rows that are only for tests would fail for
/// their shape, their classes or their number. Reads no images.
Status checkEvaluation(const Backend &backend, const DataSpec &data);

struct EvaluateOptions {
  DataSpec data;
  /// A state or weights to load first; both empty: the variables as they are.
  std::string statePath, weightsPath;
  /// Settings of images that hold whatever the state says.
  std::set<std::string> given;
  Split split = Split::Test;
  uint64_t batches = 0;   // 0: all
  bool confusion = false; // whether to count it; takes classes^2 numbers
  /// Told before the first batch, with the classes that logits tell apart (0:
  /// without logits).
  std::function<void(const Dataset &data, int32_t classes)> onData;
  std::function<void(uint64_t done, uint64_t total)> onProgress; // images
  const std::atomic<bool> *stop = nullptr;
  /// What `data` says of `split`, opened; outlives the call. Null: it is opened
  /// for this evaluation.
  const Dataset *opened = nullptr;
};

Expected<EvaluateResult> evaluate(Backend &backend,
                                  const EvaluateOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_TRAINER_H
