//===- TrainCommand.cpp - reprise train -----------------------------------===//
//
// Compiles or loads a program, trains it, says what it cost. Everything that
// can be refused is refused before the first step; an interrupt ends the run
// between two steps and saves it where --save says.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "CommandLine.h"
#include "Console.h"
#include "Evaluation.h"
#include "Interrupts.h"
#include "RunSource.h"
#include "TypedCommand.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/Trainer/PathLock.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include "text/Size.h"
#include "text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::tools;

namespace {
struct TrainCommandOptions {
  CLI::App *command = nullptr;
  RunFlags run;
  rt::TrainOptions train;
  std::vector<std::string> overridden;
  double rate = 0.05;
  std::string schedule = "constant";
  bool evaluate = false, noEvaluate = false, json = false;
  bool checkFinite = false;
};

/// What a run cost and gave.
struct Outcome {
  rt::TrainResult result;
  rt::Progress last;
  uint64_t processHighWater = 0;
  std::optional<rt::EvaluateResult> evaluation;
};
} // namespace

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

static std::string progressText(const rt::Progress &progress) {
  std::string text =
      text::formatPercent(double(progress.step) / double(progress.total)) +
      "  step " + std::to_string(progress.step) + "/" +
      std::to_string(progress.total) + "  loss " +
      text::formatFixed(progress.meanLoss, 4) + "  " +
      text::formatFixed(progress.imagesPerSecond, 1) + " images/s  ";
  text += progress.step == progress.total
              ? "done"
              : text::formatSeconds(progress.secondsLeft) + " left";
  return text + "  memory " + text::formatSize(progress.highWaterBytes);
}

/// Shows progress, remembers the last one, and how long steps take.
static std::function<void(const rt::Progress &)> follow(ProgressLine &line,
                                                        rt::Progress &last) {
  return [&line, &last](const rt::Progress &progress) {
    noteStepSeconds(progress.stepSeconds);
    using Place = ProgressLine::Place;
    Place place = last.step == 0                    ? Place::First
                  : progress.step == progress.total ? Place::Last
                                                    : Place::Middle;
    last = progress;
    if (line.wants(place))
      line.show(progressText(progress));
  };
}

static void reportWeights(const rt::WeightsReport &report) {
  if (report.unexpected.empty())
    return;
  warn("the weights hold " + std::to_string(report.unexpected.size()) +
       " tensors that the model has no variable for, such as '" +
       report.unexpected.front() + "'");
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static rt::Status readSchedule(TrainCommandOptions &options) {
  rt::LearningRate &rate = options.train.learningRate;
  if (options.schedule == "cosine")
    rate.schedule = rt::LearningRate::Schedule::Cosine;
  else if (options.schedule == "step")
    rate.schedule = rt::LearningRate::Schedule::Step;
  else if (options.schedule != "constant")
    return misuse("--schedule is '" + options.schedule +
                  "'; say constant, step or cosine");
  for (const char *name : {"--step-size", "--gamma"})
    if (options.schedule != "step" && options.command->count(name))
      return misuse(std::string(name) +
                    " is of --schedule step; say that as well");
  if (rate.stepEpochs == 0)
    return misuse("--step-size is 0; it must be an epoch or more");
  if (!(rate.gamma > 0 && rate.gamma <= 1))
    return misuse("--gamma is " + rt::courseNumber(rate.gamma) +
                  "; it must be above 0 and at most 1");
  return {};
}

static rt::Status completeOptions(TrainCommandOptions &options) {
  rt::TrainOptions &train = options.train;
  train.data = options.run.dataSpec();
  train.learningRate.base = options.rate;
  if (options.rate < 0)
    return misuse("--lr is " + rt::courseNumber(options.rate) +
                  "; it must not be negative");
  REPRISE_RETURN_IF_ERROR(readSchedule(options));
  for (const char *name :
       {"--lr", "--schedule", "--warmup", "--steps", "--epochs", "--seed"})
    if (options.command->count(name))
      train.given.insert(name == std::string("--epochs") ? "steps" : name + 2);
  for (const std::string &name : options.run.givenImages())
    train.given.insert(name);
  train.overridden.insert(options.overridden.begin(), options.overridden.end());
  bool isResumed = !train.resumePath.empty();
  bool both =
      options.command->count("--epochs") && options.command->count("--steps");
  bool none = !train.given.count("steps");
  if (both || (none && !isResumed))
    return misuse("say how long to train: either --epochs N or --steps N");
  if (!none && train.epochs == 0 && train.steps == 0)
    return misuse("a run of 0 steps trains nothing; ask for one at least");
  if (!train.overridden.empty() && !isResumed)
    return misuse("--override is for the settings of a state; name one with "
                  "--resume");
  if (train.saveEvery && train.savePath.empty())
    return misuse("--save-every needs a file; name it with --save");
  if (!train.resumePath.empty() && !train.weightsPath.empty())
    return misuse("a run begins either with --resume or with --weights");
  if (!train.savePath.empty())
    REPRISE_RETURN_IF_ERROR(checkOutput(train.savePath));
  if (!train.gradientsPath.empty())
    REPRISE_RETURN_IF_ERROR(checkOutput(train.gradientsPath));
  return {};
}

/// Reads where the run stands that is to go on, and takes from it what no
/// option says. What options say otherwise is refused before anything is
/// compiled for it.
static rt::Status takeFromState(TrainCommandOptions &options,
                                std::optional<int64_t> &batch) {
  rt::TrainOptions &train = options.train;
  auto position = rt::readStatePosition(train.resumePath);
  if (!position.ok())
    return position.status();
  rt::Course all, given, stored;
  rt::addLearningRate(train.learningRate, all);
  for (const char *name : {"lr", "schedule", "warmup"})
    if (train.given.count(name))
      given[name] = all[name];
  options.run.compile.addGiven(given, position->course);
  for (const auto &[name, value] : position->course)
    if (given.count(name))
      stored[name] = value;
  auto course = rt::continueCourse(train.resumePath, stored,
                                   {given, train.given, train.overridden});
  if (!course.ok())
    return course.status();
  options.run.compile.resume(position->course);
  if (!options.command->count("--synthetic-size"))
    options.run.syntheticSize = train.data.syntheticSize = position->images;
  batch = int64_t(position->batch /
                  std::max(1u, options.run.compile.microBatches()));
  return {};
}

static rt::Status trainAndEvaluate(const TrainCommandOptions &options,
                                   RunningProgram &running, Outcome &outcome) {
  ProgressLine line;
  rt::TrainOptions train = options.train;
  train.onProgress = follow(line, outcome.last);
  train.onWeights = reportWeights;
  train.stop = &interrupted();
  train.saving = &saving();
  catchInterrupts();
  auto result = rt::train(running.backend(), train);
  lastStepDone();
  if (!result.ok())
    return result.status();
  outcome.result = *result;
  line.keep();
  warnOfSkipped(result->skipped);
  bool wanted =
      options.evaluate || rt::traitsOf(options.run.dataSpec()).hasTest;
  if (result->stopped || options.noEvaluate || !wanted)
    return {};
  rt::EvaluateOptions evaluation;
  evaluation.data = train.data;
  // The test images are scaled as the training images were.
  evaluation.data.normalization = result->position.normalization;
  rt::takeImageSettings(result->position.course, {}, evaluation.data.images);
  auto evaluated = evaluateWithProgress(running.backend(), evaluation);
  if (!evaluated.ok())
    return evaluated.status();
  outcome.evaluation = *evaluated;
  return {};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static std::string resultText(const TrainCommandOptions &options,
                              RunningProgram &running, const Outcome &outcome) {
  const rt::TrainResult &result = outcome.result;
  const rt::Progress &last = outcome.last;
  text::Facts lines;
  lines.add("model", running.describe());
  lines.add("data", options.run.data + ", " +
                        text::formatInteger(result.position.images) +
                        " images");
  lines.add("steps",
            std::to_string(result.steps) + " in " +
                text::formatSeconds(result.seconds) + ", " +
                text::formatFixed(last.imagesPerSecond, 1) + " images/s on " +
                std::to_string(running.threads()) + " threads" +
                (result.stopped
                     ? "; stopped at step " + std::to_string(last.step) +
                           " of " + std::to_string(last.total)
                     : ""));
  lines.add("loss", text::formatFixed(result.loss, 6) + ", mean of the last " +
                        std::to_string(std::min<uint64_t>(50, result.steps)) +
                        " steps " + text::formatFixed(result.meanLoss, 6));
  for (const auto &[name, value] : result.metrics)
    lines.add("metric " + name, text::formatFixed(value, 6));
  auto bytes = [](uint64_t value) {
    return text::formatInteger(value) + " bytes (" + text::formatSize(value) +
           ")";
  };
  lines.add("memory, predicted", bytes(last.predictedPeakBytes));
  lines.add("memory, measured",
            options.run.checkMemory
                ? bytes(last.changedBytes) +
                      ", the highest byte of the arena that changed"
                : bytes(last.highWaterBytes) +
                      ", the highest byte of the arena that steps were given");
  lines.add("process, predicted", bytes(running.process().peak()));
  lines.add("process, measured",
            bytes(outcome.processHighWater) + ", high water of all it held");
  if (outcome.evaluation)
    lines.add(describeSplit(options.run.dataSpec(), rt::Split::Test,
                            *outcome.evaluation),
              describe(*outcome.evaluation));
  if (!options.train.gradientsPath.empty())
    lines.add("gradients", options.train.gradientsPath);
  if (!options.train.savePath.empty())
    lines.add("saved", options.train.savePath + ", step " +
                           std::to_string(result.position.step));
  return lines.str();
}

static std::string resultJson(const TrainCommandOptions &options,
                              RunningProgram &running, const Outcome &outcome) {
  const rt::TrainResult &result = outcome.result;
  nlohmann::ordered_json json = {
      {"model", running.backend().model()},
      {"data", options.run.data},
      {"images", result.position.images},
      {"batch", result.position.batch},
      {"threads", running.threads()},
      {"steps", result.steps},
      {"step", result.position.step},
      {"total_steps", outcome.last.total},
      {"stopped", result.stopped},
      {"seconds", result.seconds},
      {"images_per_second", outcome.last.imagesPerSecond},
      {"loss", result.loss},
      {"mean_loss", result.meanLoss},
      {"predicted_peak_bytes", outcome.last.predictedPeakBytes},
      {"high_water_bytes", outcome.last.highWaterBytes},
      {"process_predicted_bytes", running.process().peak()},
      {"process_high_water_bytes", outcome.processHighWater}};
  if (!result.metrics.empty())
    json["metrics"] = result.metrics;
  if (options.run.checkMemory)
    json["changed_bytes"] = outcome.last.changedBytes;
  if (outcome.evaluation) {
    json["test_images"] = outcome.evaluation->images;
    if (outcome.evaluation->hasAccuracy)
      json["test_accuracy"] = outcome.evaluation->accuracy();
    if (outcome.evaluation->hasTop5())
      json["test_accuracy_top5"] = outcome.evaluation->accuracyTop5();
    json["test_loss"] = outcome.evaluation->loss;
    if (!outcome.evaluation->metrics.empty())
      json["test_metrics"] = outcome.evaluation->metrics;
  }
  return json.dump(2) + "\n";
}

/// A run that was interrupted before its first step has nothing to tell.
static rt::Status report(const TrainCommandOptions &options,
                         RunningProgram &running, const Outcome &outcome) {
  if (options.json)
    return print(resultJson(options, running, outcome));
  if (outcome.result.steps > 0)
    return print(resultText(options, running, outcome));
  return {};
}

static rt::Status train(TrainCommandOptions &options) {
  REPRISE_RETURN_IF_ERROR(completeOptions(options));
  RunRequest request;
  if (!options.train.resumePath.empty())
    REPRISE_RETURN_IF_ERROR(takeFromState(options, request.batch));
  // The run takes the lock itself; nothing is compiled for one that cannot.
  if (!options.train.savePath.empty())
    REPRISE_RETURN_IF_ERROR(
        rt::PathLock::acquire(options.train.savePath).status());
  request.gradients = !options.train.gradientsPath.empty();
  request.checkFinite = options.checkFinite;
  request.saves = !options.train.savePath.empty() || request.gradients;
  auto running = RunningProgram::open(options.run, request);
  if (!running.ok())
    return running.status();
  Outcome outcome;
  REPRISE_RETURN_IF_ERROR(trainAndEvaluate(options, *running, outcome));
  outcome.processHighWater = rt::residentHighWaterBytes();
  REPRISE_RETURN_IF_ERROR(report(options, *running, outcome));
  if (!outcome.result.stopped)
    return {};
  if (options.train.savePath.empty())
    return invalid("interrupted; nothing was saved (--save names a file)");
  std::string goesOn = typedCommand()
                           .dropOption({"--resume"})
                           .dropOption({"--weights"})
                           .add("--resume")
                           .add(options.train.savePath)
                           .str();
  return invalid("interrupted; this goes on:\n  " + goesOn);
}

static void addRunOptions(CLI::App &command, TrainCommandOptions &options) {
  rt::TrainOptions &train = options.train;
  const char *group = "Training";
  command
      .add_option("--epochs", train.epochs,
                  "Times to go through the data, earlier runs included")
      ->group(group);
  command
      .add_option("--steps", train.steps,
                  "Steps to train, earlier runs included")
      ->group(group);
  command.add_option("--lr", options.rate, "Learning rate (default: 0.05)")
      ->group(group);
  command
      .add_option("--schedule", options.schedule,
                  "Of the learning rate: constant (default), step (drops "
                  "every --step-size epochs), cosine (to zero)")
      ->group(group);
  command
      .add_option("--step-size", train.learningRate.stepEpochs,
                  "Of --schedule step: epochs between two drops (default: 30)")
      ->group(group);
  command
      .add_option("--gamma", train.learningRate.gamma,
                  "Of --schedule step: what the learning rate is multiplied by "
                  "(default: 0.1)")
      ->group(group);
  command
      .add_option("--warmup", train.learningRate.warmupSteps,
                  "Steps in which the learning rate grows linearly, before "
                  "the schedule begins")
      ->group(group);
  command
      .add_option("--seed", train.seed,
                  "Of initial values, dropout and order (default: 0)")
      ->group(group);
  command
      .add_flag("--eval", options.evaluate,
                "Tell the accuracy at the end; a directory with test images "
                "is evaluated anyway")
      ->group(group);
  command.add_flag("--no-eval", options.noEvaluate, "Never evaluate")
      ->group(group);
  command
      .add_flag("--check-finite", options.checkFinite,
                "Have the program look at the loss and all gradients of each "
                "step, and end the run where one is not finite")
      ->group(group);
  command
      .add_flag("--check-memory", options.run.checkMemory,
                "Look after each step of the program whether it changed or "
                "read memory that is not its own; takes several times as long, "
                "and the arena's bytes twice")
      ->group(group);
}

static void addFileOptions(CLI::App &command, TrainCommandOptions &options) {
  rt::TrainOptions &train = options.train;
  const char *group = "Files";
  command
      .add_option("--save", train.savePath,
                  "State to write at the end, .safetensors")
      ->group(group);
  command
      .add_option("--save-every", train.saveEvery,
                  "Steps after which to save as well")
      ->group(group);
  command
      .add_option("--resume", train.resumePath,
                  "State to go on from, with its settings where no option says "
                  "them")
      ->group(group);
  command
      .add_option("--override", options.overridden,
                  "Settings of the state to replace by those given here: lr, "
                  "schedule, warmup, steps, accumulate, amp, attention, "
                  "clip-grad-norm, momentum, weight-decay, "
                  "norm-bias-weight-decay, no-weight-decay, nesterov, "
                  "optimizer, threads, train-images, eval-images, normalize, "
                  "data, model or all")
      ->delimiter(',')
      ->type_name("NAMES")
      ->group(group);
  command
      .add_option("--weights", train.weightsPath,
                  "Parameters and running statistics to begin with")
      ->group(group);
  command
      .add_option("--dump-gradients", train.gradientsPath,
                  "Write the gradients of the last step, .safetensors")
      ->group(group);
}

void tools::addTrainCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "train", "Trains a model; a zoo's model takes image size, channels and "
               "classes from the data where they are not given");
  auto options = std::make_shared<TrainCommandOptions>();
  options->run.addTo(*command);
  addRunOptions(*command, *options);
  addFileOptions(*command, *options);
  options->command = command;
  command->add_flag("--json", options->json, "Print the result as JSON");
  addExamples(
      *command,
      "  reprise train resnet18 --data /usr/share/datasets/fashion-mnist "
      "--batch 128 \\\n"
      "    --epochs 1 --lr 0.05 --schedule cosine --weight-decay 5e-4 "
      "--checkpointing segments=4\n"
      "  reprise train r50.rpx --data synthetic --steps 20 --save "
      "s.safetensors");
  command->callback([options, &invocation] {
    invocation = [options] {
      rt::Status status = train(*options);
      if (status.ok())
        return int(kSuccess);
      int code = fail(status);
      return interrupted() ? int(kInterrupted) : code;
    };
  });
}
