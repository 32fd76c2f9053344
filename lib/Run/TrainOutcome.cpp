//===- TrainOutcome.cpp - Results and cost of a run -----------------------===//

#include "reprise/Run/TrainOutcome.h"
#include "reprise/Run/Evaluation.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

/// Returns true if no step was left to run.
static bool isDone(const rt::TrainResult &result) {
  return result.steps == 0 && !result.stopped;
}

static std::string bytes(uint64_t value) {
  return text::formatInteger(value) + " bytes (" + text::formatSize(value) +
         ")";
}

/// Adds the lines of a run that ran steps.
static void addSteps(text::Facts &lines, RunningProgram &running,
                     const Outcome &outcome) {
  const rt::TrainResult &result = outcome.result;
  const rt::Progress &last = outcome.last;
  lines.add("steps",
            std::to_string(result.steps) + " in " +
                text::formatSeconds(result.seconds) + ", " +
                text::formatFixed(last.imagesPerSecond, 1) + " images/s on " +
                text::formatCounted(running.threads(), "thread", "threads") +
                (result.stopped
                     ? "; stopped at step " + std::to_string(last.step) +
                           " of " + std::to_string(last.total)
                     : ""));
  if (result.position.skippedSteps)
    lines.add("skipped steps",
              std::to_string(result.position.skippedSteps) + " of " +
                  std::to_string(result.position.step) +
                  ", whose gradients were not finite at their loss scale");
  double share =
      result.trainSeconds > 0 ? result.waitSeconds / result.trainSeconds : 0;
  lines.add("waited for data", text::formatSeconds(result.waitSeconds) +
                                   " of " +
                                   text::formatSeconds(result.trainSeconds) +
                                   " (" + text::formatPercent(share) + ")");
  lines.add("loss", text::formatFixed(result.loss, 6) + ", mean of the last " +
                        std::to_string(std::min<uint64_t>(50, result.steps)) +
                        " steps " + text::formatFixed(result.meanLoss, 6));
}

static void addMemory(text::Facts &lines, const TrainSettings &options,
                      const rt::Progress &last) {
  lines.add("memory, predicted", bytes(last.predictedPeakBytes));
  lines.add("memory, measured",
            options.run.checkMemory
                ? bytes(last.changedBytes) +
                      ", the highest byte of the arena that changed"
                : bytes(last.highWaterBytes) +
                      ", the highest byte of the arena that steps were given");
}

/// Adds the lines of a run with several programs.
static void addPrograms(text::Facts &lines, const Outcome &outcome) {
  for (const UsedProgram &program : outcome.programs)
    lines.add("program " + program.name,
              "memory predicted " +
                  text::formatInteger(program.predictedBytes) + ", measured " +
                  text::formatInteger(program.measuredBytes) + " bytes");
  if (!outcome.programs.empty())
    lines.add("compilations", "waited " +
                                  text::formatFixed(outcome.compileSeconds, 1) +
                                  " s for programs after the first, " +
                                  text::formatFixed(outcome.hiddenSeconds, 1) +
                                  " s ran during the steps");
}

std::string driver::stateOf(const TrainSettings &options,
                            const rt::TrainResult &result) {
  if (result.savedStep)
    return options.train.savePath;
  return options.hooks.hasCheckpoint() ? options.hooks.checkpointPath() : "";
}

/// Returns the bytes of a rank's shards, and those of the variables.
static std::pair<uint64_t, uint64_t> shardsOf(const rt::Backend &backend) {
  uint64_t shards = 0, sharded = 0;
  for (const rt::TensorInfo &variable : backend.variables())
    if (variable.shardBytes) {
      shards += variable.shardBytes;
      sharded += variable.bytes;
    }
  return {shards, sharded};
}

static std::string fileOfBest(const TrainSettings &options) {
  std::string path = options.hooks.bestPath();
  return path.empty() ? "" : ", " + path;
}

std::string driver::resultText(const TrainSettings &options,
                               RunningProgram &running,
                               const Outcome &outcome) {
  const rt::TrainResult &result = outcome.result;
  text::Facts lines;
  lines.add("model", running.describe());
  if (options.ranks.size() > 1)
    lines.add("ranks", std::to_string(options.ranks.size()) +
                           "; batch, threads and memory are those of one" +
                           (options.ranks.fastReduce
                                ? std::string("; sums in the order of ") +
                                      RunRanks::summingLibrary(options)
                                : ""));
  auto [shards, sharded] = shardsOf(running.backend());
  if (sharded)
    lines.add("optimizer state", "each rank holds " + text::formatSize(shards) +
                                     " of " + text::formatSize(sharded) +
                                     " of its variables");
  rt::RunSettings settings = running.backend().settings();
  if (auto kept = settings.find("lossy-kept"); kept != settings.end())
    lines.add("kept values", "rounded to " + kept->second +
                                 " (--lossy-kept); gradients are approximate");
  lines.add("data", options.run.data + ", " +
                        text::formatInteger(result.position.images) +
                        " images");
  if (isDone(result))
    lines.add("steps", "none is left of " +
                           std::to_string(result.position.step) + ", all done");
  else
    addSteps(lines, running, outcome);
  if (!result.stopReason.empty())
    lines.add("ended early", result.stopReason);
  for (const auto &[name, value] : result.metrics)
    lines.add("metric " + name, text::formatFixed(value, 6));
  if (!isDone(result))
    addMemory(lines, options, outcome.last);
  addPrograms(lines, outcome);
  lines.add("process, predicted", bytes(outcome.processPredicted));
  lines.add("process, measured",
            bytes(outcome.processHighWater) + ", high water of all it held");
  if (outcome.evaluation)
    lines.add(describeSplit(options.run.dataSpec(), rt::Split::Test,
                            *outcome.evaluation),
              describe(*outcome.evaluation));
  if (const auto &failed = result.failedEvaluations; !failed.empty())
    lines.add("failed evaluations",
              std::to_string(failed.size()) + ", the first after step " +
                  std::to_string(failed.begin()->first) + ": " +
                  failed.begin()->second.message());
  if (auto best = options.hooks.bestEvaluation())
    lines.add("best evaluation", describeBest(*best) + fileOfBest(options));
  if (!options.train.gradientsPath.empty() && outcome.failure.ok())
    lines.add("gradients", options.train.gradientsPath);
  if (result.savedStep)
    lines.add("saved", options.train.savePath + ", step " +
                           std::to_string(*result.savedStep));
  return lines.str();
}

/// Adds the failures that did not end the run, if there are some.
static void addFailures(const rt::TrainResult &result,
                        nlohmann::ordered_json &json) {
  for (const auto &[step, error] : result.failedEvaluations)
    json["failed_evaluations"].push_back(
        {{"step", step}, {"error", error.message()}});
  for (const rt::HookFailure &failure : result.hookFailures)
    json["hook_failures"].push_back({{"hook", failure.hook},
                                     {"times", failure.times},
                                     {"first_step", failure.step},
                                     {"first_error", failure.first.message()}});
}

nlohmann::ordered_json driver::resultJson(const TrainSettings &options,
                                          RunningProgram &running,
                                          const Outcome &outcome) {
  const rt::TrainResult &result = outcome.result;
  nlohmann::ordered_json json = {
      {"model", running.backend().model()},
      {"data", options.run.data},
      {"images", result.position.images},
      {"images_left_out", result.data.leftOut},
      {"batch", result.position.batch},
      {"ranks", options.ranks.size()},
      {"threads", running.threads()},
      {"steps", result.steps},
      {"step", result.position.step},
      {"skipped_steps", result.position.skippedSteps},
      {"total_steps", outcome.last.total},
      {"stopped", result.stopped},
      {"seconds", result.seconds},
      {"train_seconds", result.trainSeconds},
      {"data_wait_seconds", result.waitSeconds},
      {"images_per_second", outcome.last.imagesPerSecond},
      {"loss", result.loss},
      {"mean_loss", result.meanLoss},
      {"predicted_peak_bytes", outcome.last.predictedPeakBytes},
      {"high_water_bytes", outcome.last.highWaterBytes},
      {"process_predicted_bytes", outcome.processPredicted},
      {"process_high_water_bytes", outcome.processHighWater}};
  if (auto [shards, sharded] = shardsOf(running.backend()); sharded)
    json["optimizer_shards"] = {{"bytes", shards}, {"of_bytes", sharded}};
  if (std::string state = stateOf(options, result); !state.empty())
    json["state"] = state;
  // Results of steps are unknown if none was left to run.
  for (const char *name :
       {"total_steps", "images_per_second", "loss", "mean_loss",
        "predicted_peak_bytes", "high_water_bytes"})
    if (isDone(result))
      json[name] = nullptr;
  if (!outcome.programs.empty()) {
    json["compile_wait_seconds"] = outcome.compileSeconds;
    json["compile_hidden_seconds"] = outcome.hiddenSeconds;
    json["programs"] = nlohmann::ordered_json::array();
    for (const UsedProgram &program : outcome.programs)
      json["programs"].push_back(
          {{"name", program.name},
           {"predicted_peak_bytes", program.predictedBytes},
           {"high_water_bytes", program.measuredBytes}});
  }
  if (options.run.images.skipBadFiles)
    json["skipped_files"] = result.data.skipped.count;
  if (!result.stopReason.empty())
    json["stop_reason"] = result.stopReason;
  if (!result.metrics.empty())
    json["metrics"] = result.metrics;
  if (options.run.checkMemory)
    json["changed_bytes"] = outcome.last.changedBytes;
  addFailures(result, json);
  if (auto best = options.hooks.bestEvaluation()) {
    json["best_evaluation"] = {
        {"step", best->step},
        {best->isAccuracy ? "accuracy" : "loss", best->value}};
    if (best->epoch)
      json["best_evaluation"]["epoch"] = best->epoch;
    if (std::string path = options.hooks.bestPath(); !path.empty())
      json["best_evaluation"]["state"] = path;
  }
  if (outcome.evaluation) {
    rt::DataTraits traits = rt::traitsOf(options.run.dataSpec());
    if (traits.hasTest())
      json["test_split"] = traits.evaluation;
    json["test_images"] = outcome.evaluation->images;
    if (options.run.images.skipBadFiles)
      json["test_skipped_files"] = outcome.evaluation->skipped.count;
    if (outcome.evaluation->hasAccuracy)
      json["test_accuracy"] = outcome.evaluation->accuracy();
    if (outcome.evaluation->hasTop5())
      json["test_accuracy_top5"] = outcome.evaluation->accuracyTop5();
    json["test_loss"] = outcome.evaluation->loss;
    if (outcome.evaluation->ofAverages)
      json["test_ema"] = true;
    if (!outcome.evaluation->metrics.empty())
      json["test_metrics"] = outcome.evaluation->metrics;
  }
  return json;
}
