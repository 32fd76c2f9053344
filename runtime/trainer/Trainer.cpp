//===- Trainer.cpp - Training of a program --------------------------------===//
//
// Input:   a backend, data, the options of a run.
// Output:  trained variables, in the session and in the saved state.
// Method:  check everything that can be checked, then step: set batch and
//          learning rate, run, read the loss. If the device accepts inputs
//          while it runs, those of the next step are set before the loss is
//          read. The state is saved between steps only.
// Fails:   with the last good state on disk untouched.
//
//===----------------------------------------------------------------------===//
#include "reprise/Runtime/Trainer/Trainer.h"
#include "../support/Restate.h"
#include "Averages.h"
#include "CheckOptions.h"
#include "EntryBindings.h"
#include "NonFinite.h"
#include "Ranks.h"
#include "RunningMean.h"
#include "Saving.h"
#include "SkippedSteps.h"
#include "TrainingData.h"
#include "hooks/HookRun.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/Trainer/Loader.h"
#include "reprise/Runtime/Trainer/PathLock.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

using namespace reprise::rt;

namespace {

using Clock = std::chrono::steady_clock;

/// A step with its inputs: its batch, which belongs to the loader until the
/// next one; the batch's place; the learning rate.
struct FedStep {
  const Batch *batch = nullptr;
  uint64_t epoch = 0, position = 0, labels = 0; // labels that count
  float rate = 0;
  StepPlace place() const { return {epoch, batch->part}; }
  /// False if a program other than the running one will take them.
  bool isGiven = false;
};

/// One run from its first step to its last.
class Run {
public:
  Run(Backend &backend, const TrainOptions &options)
      : backend(backend), options(options), ranks(options.ranks),
        hooks(backend, options, result.position) {}
  Status prepare();
  Status loop();
  /// Reports the end to hooks, then saves.
  Status finish();
  /// Reports an error to hooks, and returns it.
  Status fail(const Status &error);
  TrainResult result;

private:
  Status chooseSettings();
  Expected<bool> ends();
  Status loadVariables();
  Status checkResumed() const;
  Status planSteps();
  Status openData();
  Status startLoader();
  Expected<std::optional<FedStep>> feed(uint64_t number, bool isRunning);
  StepAgain again(const FedStep &step) const;
  Status readResults(const FedStep &step);
  LoaderOptions loaderOptions() const;
  float rateAt(uint64_t number) const;
  Status give(FedStep &step, uint64_t number);
  Status repeatRate(FedStep &step);
  Status takeProgram(const StepPlace &place);
  Status finishStep(const FedStep &step);
  void advance(const FedStep &step);
  void countTime();
  Expected<Progress> progressOf(const FedStep &step);
  Status report(const FedStep &step);
  Status saveNow();
  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  /// Reports a span that began at `begin` and ends now.
  void tell(const char *what, uint64_t number, double begin) const {
    if (options.onSpan)
      options.onSpan({what, number, begin, now()});
  }
  static double now() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch())
        .count();
  }
  bool stopAsked() const { return options.stop && options.stop->load(); }

  Backend &backend;
  const TrainOptions &options;
  const Ranks ranks;
  const std::string entry = entryName(StepKind::Train);
  HookRun hooks;
  EntryBindings form; // of the run's first program; the batch of all ranks
  /// The form of the backend's present program, and the steps it runs.
  EntryBindings current;
  std::optional<StepPlace> currentPlace;
  PathLock lock; // on savePath
  std::unique_ptr<TrainingData> data;
  std::unique_ptr<Loader> loader;
  RunningMean recent;
  SkippedSteps skipped{options};
  bool isUnchanged = false; // no parameter was updated by the last step
  uint64_t total = 0;       // steps at the end
  uint64_t imagesDone = 0;  // of this run
  float rate = 0;
  double stepSeconds = 0; // of the last step
  /// Times of the last step, as in Progress, and the end of the work after it.
  double trainSeconds = 0, waitSeconds = 0, finished = 0;
  Clock::time_point start;
};

} // namespace

static Status invalid(const std::string &message,
                      const char *file = __builtin_FILE(),
                      int line = __builtin_LINE()) {
  return Status::error(RP_INVALID_ARGUMENT, message, file, line);
}

Status Run::loadVariables() {
  result.position.seed = options.seed;
  if (!options.resumePath.empty()) {
    REPRISE_EXPECT(position,
                   loadState(backend, options.resumePath, options.onWarning));
    result.position = *position;
    return Status();
  }
  REPRISE_RETURN_IF_ERROR(backend.initialize(options.seed));
  if (options.weightsPath.empty())
    return Status();
  REPRISE_EXPECT(report,
                 loadWeights(backend, options.weightsPath,
                             options.newHead ? Head::Kept : Head::Loaded));
  if (options.onWeights)
    options.onWeights(*report);
  return beginAverages(backend);
}

/// The order of the images depends on their number and on the batch, so a run
/// continues with the same bits only if both are unchanged.
Status Run::checkResumed() const {
  const RunPosition &position = result.position;
  if (options.given.count("seed") && options.seed != position.seed)
    return invalid(
        "'" + options.resumePath + "' is the state of a run with the seed " +
        std::to_string(position.seed) + ", but here it is " +
        std::to_string(options.seed) + "; a seed is one of a whole run");
  if (position.images == data->all().size() && position.batch == form.batch)
    return Status();
  bool isOtherBatch = position.images == data->all().size();
  return invalid(
      "'" + options.resumePath + "' is the state of a run on " +
      std::to_string(position.images) + " images in batches of " +
      std::to_string(position.batch) + ", but here are " +
      std::to_string(data->all().size()) + " in batches of " +
      std::to_string(form.batch) +
      (isOtherBatch ? "; leave out the batch, or begin" : "; begin") +
      " a new run from it as weights");
}

/// Determines the settings of the run's course: the user's, or the state's.
Status Run::chooseSettings() {
  RunSettings asked = backend.settings();
  addLearningRate(options.learningRate, asked);
  uint64_t perEpoch = data->stepsPerEpoch(), steps = options.steps;
  if (options.epochs > 0 &&
      __builtin_mul_overflow(options.epochs, perEpoch, &steps))
    return invalid("a run of " + std::to_string(options.epochs) +
                   " epochs is too long");
  if (options.epochs > 0 || options.steps > 0)
    asked["steps"] = std::to_string(steps);
  REPRISE_EXPECT(described, describeData(data->all()));
  asked["data"] = *described;
  for (const auto &[name, value] : data->settings())
    asked[name] = value;
  asked["shuffle"] = options.data.keepsOrder ? "false" : "true";
  RunSettings &runSettings = result.position.runSettings;
  if (!options.resumePath.empty()) {
    // Runs whose states lack the setting followed the kind of data.
    runSettings.try_emplace("shuffle",
                            data->all().shuffledBefore() ? "true" : "false");
    std::set<std::string> given = options.given;
    if (asked.count("steps")) // an explicit length is always intended
      given.insert("steps");
    REPRISE_EXPECT(chosen,
                   continueSettings(options.resumePath, runSettings,
                                    {asked, given, options.overridden}));
    asked = std::move(*chosen);
  }
  runSettings = std::move(asked);
  if (!runSettings.count("steps"))
    return invalid("'" + options.resumePath +
                   "' does not say how long to train; give either the number "
                   "of epochs or the number of steps");
  REPRISE_RETURN_IF_ERROR(
      readLearningRate(options.resumePath, runSettings, result.learningRate));
  return readSteps(options.resumePath, runSettings, total);
}

Status Run::planSteps() {
  uint64_t perEpoch = data->stepsPerEpoch();
  bool isDone = options.mayBeDone && result.position.step == total;
  if (perEpoch > 0 && result.position.step >= total && !isDone)
    return invalid("'" + options.resumePath + "' has done " +
                   std::to_string(result.position.step) + " of " +
                   std::to_string(total) + " steps; ask for more");
  return perEpoch > 0 ? result.learningRate.check(total) : Status();
}

/// Opens the data with the settings of the run's state, if it resumes one.
Status Run::openData() {
  DataSpec spec = options.data;
  if (result.position.normalization)
    spec.normalization = result.position.normalization;
  if (!result.position.classNames.empty())
    spec.classNames = result.position.classNames;
  takeImageSettings(result.position.runSettings, options.given, spec);
  std::vector<Bucket> sizes;
  if (options.programs)
    sizes = options.programs->buckets();
  REPRISE_EXPECT(opened, TrainingData::open(spec, form, sizes));
  data = std::move(*opened);
  tellWarnings(data->all(), options.onWarning);
  return {};
}

LoaderOptions Run::loaderOptions() const {
  LoaderOptions wanted;
  wanted.batch = form.batch;
  wanted.seed = result.position.seed;
  wanted.shuffle = result.data.isShuffled;
  wanted.epoch = result.position.epoch;
  wanted.position = result.position.position;
  wanted.batches = total - result.position.step;
  wanted.threads = options.data.loaderThreads;
  wanted.rank = ranks.rank();
  wanted.ranks = ranks.size();
  return wanted;
}

Status Run::startLoader() {
  const RunPosition &position = result.position;
  LoaderOptions wanted = loaderOptions();
  REPRISE_EXPECT(created, data->load(wanted));
  loader = std::move(*created);
  std::vector<StepPlace> places;
  for (size_t part : loader->partsAhead())
    places.push_back({position.epoch, part});
  if (options.programs)
    options.programs->expect(places);
  return {};
}

Status Run::prepare() {
  REPRISE_RETURN_IF_ERROR(checkOptions(options));
  REPRISE_EXPECT(read, readEntryBindings(backend, StepKind::Train));
  form = *read;
  form.batch *= ranks.size();
  current = form;
  REPRISE_RETURN_IF_ERROR(ranks.connect(backend));
  REPRISE_RETURN_IF_ERROR(checkOutputs(backend, options, lock));
  REPRISE_RETURN_IF_ERROR(loadVariables());
  if (options.willEvaluate)
    REPRISE_RETURN_IF_ERROR(checkEvaluation(
        backend, evaluationData(options.data, result.position, options.given)));
  REPRISE_RETURN_IF_ERROR(openData());
  if (!options.resumePath.empty())
    REPRISE_RETURN_IF_ERROR(checkResumed());
  REPRISE_RETURN_IF_ERROR(chooseSettings());
  RunPosition &position = result.position;
  if (!options.recipe.empty())
    position.recipe = options.recipe;
  if (position.modelOptions.empty())
    position.modelOptions = options.modelOptions;
  position.batch = form.batch;
  position.images = data->all().size();
  position.normalization = data->all().normalization();
  if (auto names = data->all().classNames(); !names.empty())
    position.classNames = std::move(names);
  REPRISE_RETURN_IF_ERROR(planSteps());
  result.data = data->inventory();
  REPRISE_RETURN_IF_ERROR(readShuffle(options.resumePath, position.runSettings,
                                      result.data.isShuffled));
  REPRISE_RETURN_IF_ERROR(
      ranks.compare(backend, position, options.programDigest));
  REPRISE_RETURN_IF_ERROR(ranks.placeDraws(backend));
  REPRISE_RETURN_IF_ERROR(startLoader());
  if (options.onData)
    options.onData(result.data);
  REPRISE_RETURN_IF_ERROR(hooks.begin(total, loader->batchesPerEpoch()));
  start = Clock::now();
  return Status();
}

/// Makes the backend run the program of a step.
Status Run::takeProgram(const StepPlace &place) {
  if (!options.programs ||
      (currentPlace && options.programs->isSame(*currentPlace, place)))
    return {};
  if (!options.programs->await(place, options.stop)) {
    result.stopped = true;
    return Status::error(RP_UNAVAILABLE, "stopped before its program is there");
  }
  REPRISE_RETURN_IF_ERROR(options.programs->use(backend, place));
  currentPlace = place;
  REPRISE_EXPECT(read, readEntryBindings(backend, StepKind::Train));
  current = *read;
  size_t batch = data->batchOf(place.bucket);
  if (current.batch == batch && current.columns.size() == form.columns.size())
    return {};
  return Status::error(RP_INTERNAL,
                       "the program for steps of " + std::to_string(batch) +
                           " images takes " + std::to_string(current.batch));
}

/// The schedule advances with the steps that update the parameters.
float Run::rateAt(uint64_t number) const {
  uint64_t updates = number - result.position.skippedSteps;
  return float(
      result.learningRate.at(updates, total, loader->batchesPerEpoch()));
}

/// Sets the rate of a step again that was fed before the preceding step turned
/// out to be skipped.
Status Run::repeatRate(FedStep &step) {
  step.rate = rateAt(result.position.step);
  if (!step.isGiven)
    return {};
  return backend.setInput(entry, current.learningRate, &step.rate,
                          sizeof step.rate);
}

/// Sets the inputs of a step, counted from the run's first.
Status Run::give(FedStep &step, uint64_t number) {
  REPRISE_RETURN_IF_ERROR(takeProgram(step.place()));
  REPRISE_RETURN_IF_ERROR(
      setBatch(backend, current, *step.batch,
               {result.position.seed, number, ranks.rank()}));
  step.isGiven = true;
  return backend.setInput(entry, current.learningRate, &step.rate,
                          sizeof step.rate);
}

/// Returns the next step. Its inputs are set unless `isRunning` and it needs
/// another program. Nothing if there are no more batches.
Expected<std::optional<FedStep>> Run::feed(uint64_t number, bool isRunning) {
  double begin = now();
  REPRISE_EXPECT(batch, loader->next());
  if (!*batch)
    return std::optional<FedStep>();
  FedStep step = {*batch, (*batch)->epoch, (*batch)->position,
                  keptLabels(form, **batch), rateAt(number)};
  bool waits = isRunning && options.programs &&
               !options.programs->isSame(*currentPlace, step.place());
  if (!waits)
    REPRISE_RETURN_IF_ERROR(give(step, number));
  tell("data", number + 1, begin);
  return std::optional<FedStep>(step);
}

/// Errors of a device are not attributed to a step of this run.
static Status ofStep(uint64_t number, const Status &status) {
  if (status.ok())
    return status;
  return restate(status, "training step " + std::to_string(number + 1) + ": " +
                             status.message());
}

StepAgain Run::again(const FedStep &step) const {
  LoaderOptions batch = loaderOptions();
  batch.epoch = step.epoch;
  batch.position = step.position;
  batch.batches = batch.threads = 1;
  return {*data,     current,     batch,      result.position.step,
          step.rate, isUnchanged, step.labels};
}

Status Run::readResults(const FedStep &step) {
  REPRISE_EXPECT(loss, readFiniteLoss(backend, again(step)));
  result.loss = *loss;
  recent.add(*loss);
  REPRISE_RETURN_IF_ERROR(ofStep(
      result.position.step, readMetrics(backend, current, result.metrics)));
  Status taken =
      skipped.take(result.metrics, result.position.step + 1, result.position);
  if (taken.ok())
    return taken;
  isUnchanged = true;
  skipped.restoreScale(backend);
  return Status::error(
      taken.code(), taken.message() + tellFirstNonFinite(backend, again(step)));
}

/// Moves the position past the step's batch.
void Run::advance(const FedStep &step) {
  hooks.stepEnds();
  RunPosition &position = result.position;
  ++result.steps;
  imagesDone += current.batch;
  ++position.step;
  position.epoch = step.epoch;
  position.position = step.position + form.batch;
  if (position.position / form.batch == loader->batchesPerEpoch()) {
    ++position.epoch;
    position.position = 0;
  }
}

/// Records the finished step's time, and its wait for the batch.
void Run::countTime() {
  trainSeconds = elapsed() - finished;
  waitSeconds = loader->waitedSeconds() - result.waitSeconds;
  result.trainSeconds += trainSeconds;
  result.waitSeconds += waitSeconds;
}

Expected<Progress> Run::progressOf(const FedStep &step) {
  REPRISE_EXPECT(memory, backend.memory());
  Progress progress;
  progress.epoch = step.epoch;
  progress.step = result.position.step;
  progress.total = total;
  progress.skippedSteps = result.position.skippedSteps;
  progress.loss = result.loss;
  progress.meanLoss = recent.mean();
  progress.learningRate = rate;
  progress.metrics = result.metrics;
  progress.stepSeconds = stepSeconds;
  progress.trainSeconds = trainSeconds;
  progress.waitSeconds = waitSeconds;
  progress.images = current.batch;
  if (options.programs)
    progress.program = options.programs->name(*currentPlace);
  // A coarse clock may not have moved.
  double seconds = std::max(elapsed(), 1e-9), done = double(result.steps);
  progress.imagesPerSecond = double(imagesDone) / seconds;
  progress.secondsLeft = seconds / done * double(total - progress.step);
  progress.predictedPeakBytes = backend.entry(entry)->peakBytes;
  progress.arenaBytes = memory->arena_bytes;
  progress.highWaterBytes = memory->high_water_bytes;
  progress.changedBytes = memory->changed_bytes;
  progress.residentBytes = residentBytes();
  return progress;
}

Status Run::report(const FedStep &step) {
  if (!options.onProgress && !hooks.any())
    return Status();
  REPRISE_EXPECT(progress, progressOf(step));
  if (options.onProgress)
    options.onProgress(*progress);
  hooks.afterStep(*progress);
  return Status();
}

Status Run::saveNow() {
  Saving guard(options.saving);
  REPRISE_RETURN_IF_ERROR(
      saveState(backend, options.savePath, result.position));
  result.savedStep = result.position.step;
  return Status();
}

/// Handles the results of a finished step.
Status Run::finishStep(const FedStep &step) {
  countTime();
  advance(step);
  double begin = now();
  REPRISE_RETURN_IF_ERROR(report(step));
  tell("hooks", result.position.step, begin);
  finished = elapsed();
  if (options.saveEvery == 0 || result.position.step % options.saveEvery != 0)
    return Status();
  begin = now();
  REPRISE_RETURN_IF_ERROR(saveNow());
  tell("save", result.position.step, begin);
  finished = elapsed();
  return Status();
}

/// Returns true if the run ends before its next step.
Expected<bool> Run::ends() {
  RunEnd own = stopAsked()                  ? RunEnd::Stop
               : hooks.stopReason().empty() ? RunEnd::None
                                            : RunEnd::Hook;
  Expected<RunEnd> end = ranks.agree(own, backend);
  REPRISE_RETURN_IF_ERROR(ofStep(result.position.step, end.status()));
  result.stopped |= *end == RunEnd::Stop;
  return *end != RunEnd::None;
}

Status Run::loop() {
  std::optional<Expected<std::optional<FedStep>>> next;
  while (result.position.step < total) {
    REPRISE_EXPECT(isEnd, ends());
    if (*isEnd)
      return Status();
    if (!next)
      next = feed(result.position.step, /*isRunning=*/false);
    if (!next->ok())
      return next->status();
    if (!**next)
      return Status();
    FedStep step = ***next;
    next.reset();
    if (!step.isGiven)
      REPRISE_RETURN_IF_ERROR(give(step, result.position.step));
    rate = step.rate;
    double begin = elapsed(), moment = now();
    hooks.stepBegins();
    Expected<bool> stopped = backend.runGuarded(entry, current.loss);
    REPRISE_RETURN_IF_ERROR(ofStep(result.position.step, stopped.status()));
    isUnchanged = *stopped;
    // Its errors are reported after this step, which is not lost.
    if (backend.stagesInputs())
      next = feed(result.position.step + 1, /*isRunning=*/true);
    REPRISE_RETURN_IF_ERROR(readResults(step));
    stepSeconds = elapsed() - begin;
    tell("step", result.position.step + 1, moment);
    REPRISE_RETURN_IF_ERROR(finishStep(step));
    if (skipped.last() && next && next->ok() && **next)
      REPRISE_RETURN_IF_ERROR(repeatRate(***next));
    // An evaluation has overwritten these inputs, and may have switched the
    // program.
    if (!hooks.tookInputs())
      continue;
    currentPlace.reset();
    if (next && next->ok() && **next)
      REPRISE_RETURN_IF_ERROR(give(***next, result.position.step));
  }
  return Status();
}

Status Run::finish() {
  result.meanLoss = recent.mean();
  result.seconds = elapsed();
  // Gradients first: a state that cannot be saved must not lose them, and an
  // evaluation overwrites them.
  if (!options.gradientsPath.empty() && result.steps > 0 &&
      hooks.gradientsStep() != result.position.step) {
    Saving guard(options.saving);
    REPRISE_RETURN_IF_ERROR(
        writeGradients(backend, entry, options.gradientsPath));
  }
  std::map<std::string, std::string> before = result.position.hooks;
  hooks.end(result.stopped);
  result.stopped |= hooks.wasEvaluationCut();
  bool remembers = result.position.hooks != before;
  result.stopReason = hooks.stopReason();
  result.hookFailures = hooks.failures();
  result.failedEvaluations = hooks.failedEvaluations();
  if (const EvaluateResult *evaluation = hooks.evaluation())
    result.evaluation = *evaluation;
  if (!options.savePath.empty() &&
      (result.savedStep != result.position.step || remembers))
    REPRISE_RETURN_IF_ERROR(saveNow());
  // Prepares for an evaluation after the run.
  return options.programs ? options.programs->useForEvaluation(backend)
                          : Status();
}

Status Run::fail(const Status &error) {
  // Before the first step hooks have nothing to rescue.
  if (result.position.step > 0)
    hooks.failed(error);
  return error;
}

Expected<TrainResult> reprise::rt::train(Backend &backend,
                                         const TrainOptions &options,
                                         std::optional<TrainResult> *trained) {
  Run run(backend, options);
  REPRISE_RETURN_IF_ERROR(run.prepare());
  // A run that stopped while it waited for a program stopped between two steps.
  if (Status status = run.loop(); !status.ok() && !run.result.stopped)
    return run.fail(status);
  if (Status status = run.finish(); !status.ok()) {
    if (trained)
      *trained = run.result;
    return run.fail(status);
  }
  return std::move(run.result);
}
