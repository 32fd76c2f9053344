//===- Trainer.h - Training and evaluation of a program ---------*- C++ -*-===//
//
// A program to train has the entry "train_step"; to be evaluated, "eval_step".
// Their inputs and outputs are found by roles (program.fbs), whatever their
// names:
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

/// An activity of a run between two moments of std::chrono::steady_clock, in
/// seconds.
struct RunSpan {
  /// "data": waits for a batch and copies it; "step": the program runs and its
  /// results are read; "hooks": hooks are called; "save": a state is written.
  const char *what = "";
  uint64_t step = 0; // the current or the last completed step; from 1
  double begin = 0, end = 0;
};

/// Sent after every step.
struct Progress {
  uint64_t epoch = 0;        // counted from 0
  uint64_t step = 0;         // steps done, including earlier runs
  uint64_t total = 0;        // steps at the end
  uint64_t skippedSteps = 0; // by loss scaling, including earlier runs
  double loss = 0;           // of this step
  double meanLoss = 0;       // of the last 50 steps of this run
  double learningRate = 0;
  std::map<std::string, double> metrics; // of this step, by output
  double stepSeconds = 0;                // of this step
  /// Seconds since the end of the previous step, without hooks and saves of
  /// states; and the part of it spent waiting for the batch. An asynchronous
  /// device may still run the previous step in that time.
  double trainSeconds = 0, waitSeconds = 0;
  uint64_t images = 0;        // of this step
  std::string program;        // of this step; empty if a run has only one
  double imagesPerSecond = 0; // of this run
  double secondsLeft = 0;
  size_t arenaBytes = 0;         // as allocated
  size_t predictedPeakBytes = 0; // of train_step
  size_t highWaterBytes = 0;     // of the arena's part passed to steps
  size_t changedBytes = 0;       // of the changed bytes, if memory is checked
  size_t residentBytes = 0;      // of the process
};

/// The part of the data that a run uses.
struct DataInventory {
  uint64_t rows = 0, steps = 0; // of an epoch
  /// Rows that each epoch drops, since they fill no batch.
  uint64_t leftOut = 0;
  bool isShuffled = true;
  SkippedRows skipped;
  /// Classes with names in the data, 0 if they have none, and those that the
  /// program tells apart, 0 if unknown.
  int32_t classes = 0, programClasses = 0;
};

struct TrainOptions {
  DataSpec data;
  /// Exactly one of the two, or none in a resumed run that ends as originally
  /// planned; the end of the run, including earlier runs.
  uint64_t epochs = 0, steps = 0;
  LearningRate learningRate;
  uint64_t seed = 0; // of initial values, dropout and order
  /// Settings that the user states: lr, schedule, warmup, seed, train-images,
  /// eval-images, normalize. A resumed run takes the others from its state, and
  /// also its length if neither field above is set.
  std::set<std::string> given;
  /// Settings of the state to replace; see RunSettings.h.
  std::set<std::string> overridden;
  std::string recipe;       // kept in states; empty: as in the resumed state
  std::string modelOptions; // kept in states that have none
  std::string savePath;     // empty: nothing is saved
  uint64_t saveEvery = 0;   // steps; 0: only at the end
  std::string resumePath;   // a state; excludes weightsPath
  /// True if a state that has completed all steps may be resumed: hooks and the
  /// last evaluation then do what they missed.
  bool mayBeDone = false;
  /// The number of steps that loss scaling may skip in a row before the run
  /// ends with an error; 0: any number.
  uint64_t maxSkippedSteps = 100;
  /// Called when many steps are skipped in a row, and for anomalies in the
  /// data.
  std::function<void(const std::string &)> onWarning;
  /// True if an evaluation will follow: its requirements on data that are only
  /// for tests are checked before the first step.
  bool willEvaluate = false;
  std::string weightsPath;   // parameters and running statistics
  bool newHead = false;      // that differs from the weights'; see Head
  std::string gradientsPath; // gradients of the last step
  std::function<void(const Progress &)> onProgress;
  std::function<void(const WeightsReport &)> onWeights;
  /// Called before the first step.
  std::function<void(const DataInventory &)> onData;
  /// Called during an evaluation that a hook requested, with the images done
  /// and their total.
  std::function<void(uint64_t done, uint64_t total)> onEvaluation;
  /// The ranks that share each step, which runs their collective calls; null: a
  /// run of one rank. Only rank 0 saves, has hooks and reports.
  Communicator *ranks = nullptr;
  /// The digest of the program, which ranks compare; see programDigest.
  std::string programDigest;
  /// Chooses the program of each step; null: all run the backend's. Outlives
  /// the run.
  Programs *programs = nullptr;
  /// Called with each span when it ends.
  std::function<void(const RunSpan &)> onSpan;
  /// Called in this order; they outlive the run.
  std::vector<Hook *> hooks;
  /// Called for each failure of a hook when it happens; of those after a step
  /// only for the first.
  std::function<void(const HookFailure &)> onHookFailure;
  /// When it becomes true the run saves its state and ends.
  const std::atomic<bool> *stop = nullptr;
  /// Set while files are written: the process should not end then.
  std::atomic<bool> *saving = nullptr;
};

/// The weights that an evaluation of a file uses.
enum class EvaluatedWeights {
  Usual,    // a state's moving averages if it has them
  Averages, // its moving averages; it is an error if it has none
  Last,     // those of its last step
};

struct EvaluateResult {
  uint64_t images = 0, correct = 0;
  /// The number of images whose label is among the five classes of the largest
  /// logits; equal logits rank by class number. All images if there are five
  /// classes or fewer.
  uint64_t correctTop5 = 0;
  int32_t classes = 0; // that the logits distinguish; 0 without logits
  /// Images by label (row) and class of the largest logit (column), classes
  /// each, if requested and both are known.
  std::vector<uint64_t> confusion;
  /// The data's class names by label; empty if they have none.
  std::vector<std::string> classNames;
  std::vector<std::string> absentClasses; // those that no row has
  SkippedRows skipped;                    // of the data
  std::vector<std::string> warnings;      // of the data
  /// True if the program has labels and logits. Then every image counts, and
  /// the loss is the mean cross-entropy, computed from the logits. Otherwise
  /// only full batches count, and it is the mean of the program's losses.
  bool hasAccuracy = true;
  bool ofAverages = false; // of the weights, which a run keeps beside them
  double loss = 0;
  /// Means over full batches, by output.
  std::map<std::string, double> metrics;
  double accuracy() const { return images ? double(correct) / images : 0; }
  double accuracyTop5() const {
    return images ? double(correctTop5) / images : 0;
  }
  /// Returns true if correctTop5 is meaningful.
  bool hasTop5() const { return hasAccuracy && classes > 5; }
};

struct TrainResult {
  uint64_t steps = 0; // done in this run
  RunPosition position;
  LearningRate learningRate;
  double loss = 0, meanLoss = 0;
  std::map<std::string, double> metrics; // of the last step, by output
  double seconds = 0;
  /// Sums over its steps, as in Progress.
  double trainSeconds = 0, waitSeconds = 0;
  /// By `stop`, before the last step or within an evaluation that a hook
  /// requested after it.
  bool stopped = false;
  DataInventory data;
  /// The reason if a hook ended the run; else empty.
  std::string stopReason;
  std::vector<HookFailure> hookFailures;
  FailedEvaluations failedEvaluations; // that hooks requested
  /// The step of the state that this run saved last to TrainOptions::savePath;
  /// nothing if it saved none.
  std::optional<uint64_t> savedStep;
  /// The evaluation of the variables at the end, if a hook requested it.
  std::optional<EvaluateResult> evaluation;
};

/// Trains until the requested end, holding a lock on `savePath` all the time.
/// On an error only hooks save; the last saved state is unchanged. If an error
/// follows the last step, `trained`, unless null, still receives the result of
/// the steps.
Expected<TrainResult> train(Backend &backend, const TrainOptions &options,
                            std::optional<TrainResult> *trained = nullptr);

/// Returns `data` for an evaluation of a run at `position`: scaled, resized and
/// with the class numbers of the training data, except for settings `given`.
DataSpec evaluationData(const DataSpec &data, const RunPosition &position,
                        const std::set<std::string> &given = {});

/// Fails unless the training rows of `spec` fit the inputs and the logits of
/// `step` and are enough for one batch: for a program that is not compiled yet.
Status checkTrainingData(const DataSpec &spec, const EntryInfo &step);

/// Fails if an evaluation of rows that are only for tests would fail because of
/// their shape, their classes or their number. Reads no images.
Status checkEvaluation(const Backend &backend, const DataSpec &data);

struct EvaluateOptions {
  DataSpec data;
  /// A state or weights to load first; both empty: the variables are unchanged.
  std::string statePath, weightsPath;
  EvaluatedWeights weights = EvaluatedWeights::Usual;
  /// Settings of images that override the state's.
  std::set<std::string> given;
  Split split = Split::Test;
  uint64_t batches = 0;   // 0: all
  bool confusion = false; // computes it; takes classes^2 numbers
  /// Called before the first batch, with the number of classes that logits
  /// distinguish (0: without logits).
  std::function<void(const Dataset &data, int32_t classes)> onData;
  std::function<void(uint64_t done, uint64_t total)> onProgress; // images
  /// Called with the logits of each row, one a class, in the order of the rows;
  /// the program then needs no labels.
  std::function<void(uint64_t row, const float *logits)> onLogits;
  const std::atomic<bool> *stop = nullptr;
  /// The opened `split` of `data`; outlives the call. Null: it is opened for
  /// this evaluation.
  const Dataset *opened = nullptr;
};

Expected<EvaluateResult> evaluate(Backend &backend,
                                  const EvaluateOptions &options);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_TRAINER_TRAINER_H
