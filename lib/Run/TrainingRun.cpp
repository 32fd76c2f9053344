//===- TrainingRun.cpp - A training run -----------------------------------===//
//
// Compiles or loads a program, trains it, reports its cost. Everything that can
// be rejected is rejected before the first step; an interrupt ends the run
// between two steps and saves it to the path of --save.
//
//===----------------------------------------------------------------------===//

#include "reprise/Run/TrainingRun.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/Interrupts.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Console/TypedCommand.h"
#include "reprise/Run/Evaluation.h"
#include "reprise/Run/EvaluationData.h"
#include "reprise/Run/Inventory.h"
#include "reprise/Run/ProgramQueue.h"
#include "reprise/Run/RecipeCheck.h"
#include "reprise/Run/RunPrograms.h"
#include "reprise/Run/TrainOutcome.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Runtime/HostMemory.h"
#include "reprise/Runtime/OutputFile.h"
#include "reprise/Runtime/ProgramDigest.h"
#include "reprise/Runtime/Trainer/File.h"
#include "reprise/Runtime/Trainer/PathLock.h"
#include "reprise/Runtime/Trainer/RankWords.h"
#include "reprise/Text/Size.h"
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

/// The headers of a million training images on a slow file system would take
/// hours.
static constexpr std::chrono::seconds kLongestLook(60);

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

/// `peak` covers all programs of the run so far, which share an arena.
static std::string progressText(const rt::Progress &progress, size_t peak) {
  std::string text =
      text::formatPercent(double(progress.step) / double(progress.total)) +
      "  step " + std::to_string(progress.step) + "/" +
      std::to_string(progress.total) + "  loss " +
      text::formatFixed(progress.meanLoss, 4) + "  " +
      text::formatFixed(progress.imagesPerSecond, 1) + " images/s  ";
  text += progress.step == progress.total
              ? "done"
              : text::formatSeconds(progress.secondsLeft) + " left";
  if (progress.skippedSteps)
    text += "  " + std::to_string(progress.skippedSteps) + " skipped";
  return text + "  memory " + text::formatSize(peak);
}

/// Shows progress, records the last one, and the time of steps.
static std::function<void(const rt::Progress &)> follow(ProgressLine &line,
                                                        rt::Progress &last) {
  return
      [&line, &last, peak = size_t(0)](const rt::Progress &progress) mutable {
        peak = std::max(peak, progress.highWaterBytes);
        noteStepSeconds(progress.stepSeconds);
        using Place = ProgressLine::Place;
        Place place = last.step == 0                    ? Place::First
                      : progress.step == progress.total ? Place::Last
                                                        : Place::Middle;
        last = progress;
        if (line.wants(place))
          line.show(progressText(progress, peak));
      };
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Returns the text shown with the curves of a run, in Markdown.
static std::string describeRun(const TrainSettings &options,
                               RunningProgram &running) {
  std::string text =
      "**" + running.describe() + "**\n\n    " + typedCommand().str() + "\n\n";
  const rt::EntryInfo *entry = running.backend().entry("train_step");
  if (entry)
    text += "memory of a step, predicted: " +
            text::formatInteger(entry->peakBytes) + " bytes (" +
            text::formatSize(entry->peakBytes) + ")\n\n";
  if (std::string note = running.planNote(); !note.empty())
    text += "plan: " + note + "\n\n";
  return options.train.recipe.empty()
             ? text
             : text + "```yaml\n" + options.train.recipe + "```\n";
}

namespace {
/// The first hook of a run, whose preparation ends when it begins.
class FirstStep final : public rt::Hook {
public:
  explicit FirstStep(std::optional<Activity> &preparing)
      : preparing(preparing) {}
  std::string name() const override { return "first_step"; }
  rt::Status begin(rt::HookContext &) override {
    stepsBegin();
    preparing.reset();
    return {};
  }

private:
  std::optional<Activity> &preparing;
};
} // namespace

/// Returns true if the run is evaluated at its end.
static bool wantsEvaluation(const TrainSettings &options) {
  return !options.noEvaluate &&
         (options.evaluate || rt::traitsOf(options.run.dataSpec()).hasTest());
}

/// Evaluates after a run, unless a hook has done so.
static rt::Status evaluateAtEnd(TrainSettings &options, RunningProgram &running,
                                Outcome &outcome) {
  const rt::TrainResult &result = outcome.result;
  if (result.stopped || options.noEvaluate)
    return {};
  outcome.evaluation = result.evaluation;
  if (outcome.evaluation || !wantsEvaluation(options))
    return {};
  rt::EvaluateOptions evaluation;
  evaluation.data = rt::evaluationData(options.train.data, result.position);
  uint64_t step = result.position.step;
  auto evaluated = evaluateWithProgress(running.backend(), evaluation);
  if (!evaluated.ok() && !interrupted())
    outcome.result.failedEvaluations.try_emplace(step, evaluated.status());
  if (!evaluated.ok())
    return evaluated.status();
  outcome.result.failedEvaluations.erase(step);
  outcome.evaluation = *evaluated;
  return options.hooks.addEvaluation(step, *evaluated);
}

/// Fails if there is nothing to report; a failure after the last step becomes
/// the outcome's.
static rt::Status trainAndEvaluate(TrainSettings &options,
                                   RunningProgram &running,
                                   RunPrograms *programs, Outcome &outcome) {
  std::optional<Activity> preparing;
  preparing.emplace("preparing the run");
  ProgressLine line;
  rt::TrainOptions train = options.train;
  train.hooks = options.hooks.make(
      describeRun(options, running),
      {1, running.fixedBytes(), options.run.memoryLimit, nullptr});
  if (options.hooks.traces()) {
    auto own = tracedProgram(running.opened(), "");
    train.onSpan = options.hooks.makeTrace(
        [=] { return programs ? programs->traced() : own; }, running.backend(),
        train.hooks);
  }
  train.onHookFailure = [](const rt::HookFailure &failure) {
    warn("hook '" + failure.hook + "' failed at step " +
         std::to_string(failure.lastStep) + ": " + failure.last.message());
  };
  FirstStep first(preparing);
  train.hooks.insert(train.hooks.begin(), &first);
  train.onProgress = follow(line, outcome.last);
  train.onEvaluation = tellEvaluation(line);
  train.onWeights = tellWeights;
  train.onData = [&options](const rt::DataInventory &data) {
    tellInventory(options.train.data, data);
    warnOfSkipped(data.skipped);
  };
  train.onWarning = [](const std::string &text) { warn(text); };
  train.willEvaluate = wantsEvaluation(options);
  train.stop = &interrupted();
  train.saving = &saving();
  std::optional<rt::TrainResult> trained;
  auto result = rt::train(running.backend(), train, &trained);
  lastStepDone();
  // Errors before the first step include data and files that do not fit.
  if (!result.ok() && !trained)
    return preparing ? misfit(result.status()) : result.status();
  outcome.result = result.ok() ? *result : *trained;
  outcome.failure = result.status();
  line.keep();
  options.hooks.warnOfTrace(outcome.result.steps);
  if (!outcome.failure.ok())
    return {};
  outcome.failure = evaluateAtEnd(options, running, outcome);
  bool isKept =
      outcome.failure.ok() || (outcome.result.savedStep && !interrupted());
  if (isKept)
    return {};
  rt::Status saved =
      options.hooks.saveCheckpoint(running.backend(), outcome.result.position);
  if (!saved.ok())
    warn(saved.message());
  return {};
}

/// A run interrupted before its first step has nothing to report.
static rt::Status report(const TrainSettings &options, RunningProgram &running,
                         const Outcome &outcome, const rt::Status &end) {
  if (!options.ranks.isFirst())
    return {};
  if (options.json) {
    nlohmann::ordered_json json = resultJson(options, running, outcome);
    if (!end.ok())
      json["error"] = end.message();
    return printJson(json);
  }
  // A run stopped before its first step has nothing to report.
  if (outcome.result.steps > 0 || !outcome.result.stopped)
    return print(resultText(options, running, outcome));
  return {};
}

/// The first line of the file written with a state.
static const std::string kRecipeTitle =
    "# What a run of 'reprise train' was told; the run wrote this.\n";

static std::string recipePath(const TrainSettings &options) {
  return options.train.savePath + ".recipe.yaml";
}

/// Returns true if a recipe is written next to the state: only if that is a
/// file.
static bool writesRecipe(const TrainSettings &options) {
  if (!options.recipe.isGiven() || options.train.savePath.empty())
    return false;
  auto target = rt::OutputTarget::find(options.train.savePath);
  return target.ok() && target->isFile();
}

/// Fails rather than replace a recipe that the user wrote.
static rt::Status checkRecipePath(const TrainSettings &options) {
  if (!writesRecipe(options))
    return {};
  REPRISE_RETURN_IF_ERROR(checkOutput(recipePath(options)));
  auto file = rt::InputFile::open(recipePath(options));
  if (!file.ok())
    return {}; // nothing is there
  std::string begin(std::min<size_t>(file->size(), kRecipeTitle.size()), '\0');
  REPRISE_RETURN_IF_ERROR(file->readAt(0, begin.data(), begin.size()));
  if (begin == kRecipeTitle)
    return {};
  return invalid("'" + recipePath(options) +
                 "' would be replaced by the recipe of this run, but no run "
                 "wrote it; give it another name, or save elsewhere");
}

/// Puts the recipe of the run into its states, or else the model's options.
static rt::Status keepRecipe(TrainSettings &options, RunningProgram &running) {
  if (!options.recipe.isGiven()) {
    options.train.modelOptions = modelRecipe(options);
    return {};
  }
  REPRISE_EXPECT(text, repeatingRecipe(options, running));
  options.train.recipe = *text;
  return {};
}

/// Reports a run that a signal ended: the state that was saved, and the command
/// to resume it.
static void tellInterrupted(const TrainSettings &options,
                            const Outcome &outcome) {
  std::string state = stateOf(options, outcome.result);
  if (state.empty())
    return note(
        "the run was interrupted and nothing was saved (--save names a file)");
  std::string text = "'" + state + "' holds step " +
                     std::to_string(outcome.result.position.step) +
                     ": interrupted";
  if (!outcome.failure.ok())
    text += "; " + outcome.failure.message();
  // Only --reload takes a run whose last evaluation alone is missing.
  const rt::RunPosition &position = outcome.result.position;
  bool isDone =
      position.runSettings.at("steps") == std::to_string(position.step);
  TypedCommand again = typedCommand();
  // If the run resumes its state by itself, the command is the same.
  if (options.hooks.reloadPath != state || state == options.train.savePath)
    again.dropOption({"--resume"})
        .dropOption({"--weights"})
        .dropOption({"--reload"})
        .add(isDone ? "--reload" : "--resume")
        .add(state);
  note(text + "; to continue, run:\n  " + options.ranks.launcher() +
       again.str());
}

/// Ends the process for a signal that came before the first step.
[[noreturn]] static void endPreparation(const std::string &launcher,
                                        const std::string &checkpoint,
                                        const std::vector<std::string> &states,
                                        bool isResumed) {
  std::string text = "nothing is there to save yet";
  for (const std::string &state : states)
    if (std::error_code error; std::filesystem::exists(state, error)) {
      text = "'" + state + "' is as it was";
      break;
    }
  text += ": interrupted before the first step";
  note(text + "; to " + (isResumed ? "continue" : "start again") +
       ", run:\n  " + launcher + typedCommand().str());
  printJsonError(text);
  endProcess(checkpoint.empty() ? kInterrupted : kCheckpointed);
}

/// A signal does not wait for planning and compiling.
static void catchEarlyInterrupts(const TrainSettings &options) {
  std::string checkpoint = options.hooks.checkpointPath();
  std::vector<std::string> states;
  for (const std::string &path :
       {checkpoint, options.train.savePath, options.train.resumePath})
    if (!path.empty())
      states.push_back(path);
  bool isResumed = !options.train.resumePath.empty();
  catchInterruptsBeforeSteps([=, launcher = options.ranks.launcher()] {
    endPreparation(launcher, checkpoint, states, isResumed);
  });
}

/// Shows an error, at its place in the recipe if it is about a setting of that;
/// with all other errors of the recipe.
static int failOfRecipe(const TrainSettings &options, const rt::Status &status,
                        const MakeTraining &make) {
  const recipe::Setting *setting = options.recipe.find(status);
  if (!setting)
    return fail(status);
  std::vector<FileProblem> problems;
  if (isMisuse(status))
    if (auto checked =
            checkRecipe(make, options.recipe.file(), options.recipe.given());
        checked.ok())
      problems = checked->problems;
  if (problems.empty())
    problems = {options.recipe.problemOf(status, *setting)};
  showProblems(problems);
  return isMisuse(status) ? kUsage : kFailure;
}

int driver::failTraining(const TrainSettings &options, const rt::Status &status,
                         const MakeTraining &make) {
  int code = failOfRecipe(options, status, make);
  if (options.hooks.hasCheckpoint()) {
    if (!interrupted())
      warn("the state was saved to '" + options.hooks.checkpointPath() + "'");
    return kCheckpointed;
  }
  if (options.ranks.hasLost())
    return kRankLost;
  return interrupted() ? int(kInterrupted) : code;
}

/// Locks the checkpoint's path, so that two runs do not write there; the run
/// itself locks that of --save.
static rt::Expected<rt::PathLock> lockCheckpoint(const TrainSettings &options) {
  const std::string &path = options.hooks.checkpointPath();
  if (path.empty() || path == options.train.savePath)
    return rt::PathLock();
  auto lock = rt::PathLock::acquire(path);
  if (lock.ok())
    return lock;
  return rt::Status::error(lock.status().code(), "hook 'auto_checkpoint': " +
                                                     lock.status().message());
}

/// Sets the memory of a run with several programs to that of the largest.
static void addPrograms(const RunPrograms &programs, Outcome &outcome) {
  outcome.programs = programs.used();
  outcome.compileSeconds = programs.compileSeconds();
  outcome.hiddenSeconds = programs.hiddenSeconds();
  rt::Progress &last = outcome.last;
  for (const UsedProgram &each : outcome.programs) {
    last.predictedPeakBytes =
        std::max(last.predictedPeakBytes, each.predictedBytes);
    last.highWaterBytes = std::max(last.highWaterBytes, each.measuredBytes);
    last.changedBytes = std::max(last.changedBytes, each.changedBytes);
  }
}

/// Completes the outcome after the last step and writes the recipe. A failure
/// here does not affect the results of the run.
static rt::Status finishRun(const TrainSettings &options,
                            const RunPrograms *programs, Outcome &outcome) {
  if (programs) {
    addPrograms(*programs, outcome);
    REPRISE_EXPECT(process, programs->process());
    outcome.processPredicted = process->peak();
  }
  bool isKept = outcome.failure.ok() || outcome.result.savedStep;
  if (writesRecipe(options) && isKept)
    return writeText(recipePath(options), kRecipeTitle + options.train.recipe);
  return {};
}

/// Returns the status of the whole run, with the failures of its hooks.
static rt::Status endOf(const Outcome &outcome) {
  // They lose nothing of the run, but it is not complete.
  std::string hooks = rt::describe(outcome.result.hookFailures);
  if (outcome.failure.ok())
    return hooks.empty() ? rt::Status() : invalid(hooks);
  return rt::Status::error(outcome.failure.code(),
                           outcome.failure.message() +
                               (hooks.empty() ? "" : "; " + hooks));
}

rt::Status driver::runTraining(TrainSettings &options) {
  REPRISE_RETURN_IF_ERROR(completeSettings(options));
  REPRISE_RETURN_IF_ERROR(options.ranks.join(options));
  catchEarlyInterrupts(options);
  RunRequest request;
  if (!options.train.resumePath.empty())
    REPRISE_RETURN_IF_ERROR(takeFromState(options, request.batch));
  else
    REPRISE_RETURN_IF_ERROR(options.run.takeClassNames({}, ""));
  // The run takes the lock itself; this avoids compiling for a run that cannot.
  bool isFirst = options.ranks.isFirst();
  if (!options.train.savePath.empty() && isFirst)
    REPRISE_RETURN_IF_ERROR(
        rt::PathLock::acquire(options.train.savePath).status());
  REPRISE_RETURN_IF_ERROR(checkRecipePath(options));
  REPRISE_RETURN_IF_ERROR(options.run.read());
  if (!options.plan.isPlain())
    REPRISE_RETURN_IF_ERROR(options.run.readModes(options.plan));
  if (isFirst)
    REPRISE_RETURN_IF_ERROR(options.hooks.load());
  request.state = options.train.resumePath;
  request.gradients = !options.train.gradientsPath.empty();
  request.checkFinite = options.checkFinite;
  request.saves = !options.train.savePath.empty() || request.gradients ||
                  !options.hooks.checkpointPath().empty() ||
                  options.hooks.evaluates();
  request.evaluates = options.hooks.evaluates();
  request.mayEvaluate = options.hooks.hasLibraries();
  request.trainsInOwnSize = options.plan.buckets.empty();
  request.neverEvaluates =
      options.noEvaluate && !request.evaluates && !request.mayEvaluate;
  warnOfLayout(options.run, /*trains=*/true);
  if (request.evaluates || !options.noEvaluate)
    REPRISE_RETURN_IF_ERROR(misfit(checkEvaluationData(options.run)));
  REPRISE_RETURN_IF_ERROR(
      misfit(checkTrainingFiles(options.run, kLongestLook)));
  options.ranks.leaveToFirst(options);
  REPRISE_EXPECT(checkpointLock, lockCheckpoint(options));
  request.describes = options.hooks.traces();
  // Must outlive the session, which uses its programs.
  std::unique_ptr<RunPrograms> programs;
  if (!options.plan.isPlain())
    programs =
        std::make_unique<RunPrograms>(options.run, request, options.plan);
  // The others find the program of rank 0 in the cache.
  if (!isFirst)
    REPRISE_RETURN_IF_ERROR(options.ranks.meet());
  REPRISE_EXPECT(running, programs
                              ? programs->open(options.epoch)
                              : RunningProgram::open(options.run, request));
  if (isFirst)
    REPRISE_RETURN_IF_ERROR(options.ranks.meet());
  options.train.programDigest =
      rt::programDigest(running->opened().program.get());
  const rt::EntryInfo *step = running->backend().entry("train_step");
  if (options.checkFinite && step && !step->output(RP_BINDING_NONFINITE))
    return refuseFlag(options.run.source, "--check-finite");
  options.train.programs = programs.get();
  REPRISE_RETURN_IF_ERROR(keepRecipe(options, *running));
  Outcome outcome;
  outcome.processPredicted = running->process().peak();
  REPRISE_RETURN_IF_ERROR(
      trainAndEvaluate(options, *running, programs.get(), outcome));
  rt::Status finished = finishRun(options, programs.get(), outcome);
  if (outcome.failure.ok())
    outcome.failure = finished;
  outcome.processHighWater = rt::residentHighWaterBytes();
  bool isCut = outcome.result.stopped
                   ? outcome.failure.ok()
                   : interrupted() && outcome.failure.code() == RP_UNAVAILABLE;
  rt::Status end = isCut ? rt::Status() : endOf(outcome);
  REPRISE_RETURN_IF_ERROR(report(options, *running, outcome, end));
  if (!options.ranks.hasLost()) {
    REPRISE_RETURN_IF_ERROR(
        running->backend().agree(rt::rank_word::kEnd).status());
    REPRISE_RETURN_IF_ERROR(options.ranks.close());
  }
  if (!isCut)
    return end;
  interruptSeenElsewhere();
  tellInterrupted(options, outcome);
  // The launcher's exit code is then that of rank 0.
  return isFirst ? alreadyShown() : rt::Status();
}
