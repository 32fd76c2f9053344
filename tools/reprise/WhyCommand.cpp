//===- WhyCommand.cpp - reprise why ---------------------------------------===//

#include "Command.h"
#include "CommandLine.h"
#include "CompileFlags.h"
#include "ModelFlags.h"
#include "ProgramSource.h"
#include "reprise/Budget/ValueStory.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
using nlohmann::ordered_json;

namespace {
struct WhyOptions {
  std::string source, value;
  std::string entry = "train_step";
  bool json = false;
  ModelFlags model;
  CompileFlags compile;
};
} // namespace

static std::string stepsText(const Lifetime &lifetime) {
  return std::to_string(lifetime.first) + "-" + std::to_string(lifetime.last);
}

static std::string moduleText(const std::string &module) {
  return module.empty() ? "(none)" : module;
}

//===----------------------------------------------------------------------===//
// Buffers at the peak
//===----------------------------------------------------------------------===//

static std::string noteText(const PeakLine &line) {
  std::string text = line.lifetime.isRecomputed ? "recomputed" : "";
  if (line.holds.empty())
    return text;
  return text + (text.empty() ? "" : ", ") + "now " + line.holds;
}

static std::string peakText(const PlanStory &plan) {
  text::Table table({{"value", text::Align::Left},
                     {"module", text::Align::Left},
                     {"bytes"},
                     {"steps"},
                     {"", text::Align::Left}});
  for (const PeakLine &line : plan.atPeak())
    table.add({line.name, moduleText(line.module), text::formatSize(line.bytes),
               stepsText(line.lifetime), noteText(line)});
  return "at the peak: step " + std::to_string(plan.peakStep()) + " of " +
         std::to_string(plan.steps()) + ", '" + plan.peakName() + "', " +
         text::formatSize(plan.peakBytes()) +
         " live with variables and constants\n\n" + table.str();
}

static ordered_json peakJson(const PlanStory &plan) {
  ordered_json json = {{"peak_step", plan.peakStep()},
                       {"peak_op", plan.peakName()},
                       {"steps", plan.steps()},
                       {"live_bytes", plan.peakBytes()},
                       {"values", ordered_json::array()}};
  for (const PeakLine &line : plan.atPeak()) {
    ordered_json value = {{"name", line.name},
                          {"module", line.module},
                          {"holds", line.holds},
                          {"bytes", line.bytes},
                          {"first_step", line.lifetime.first},
                          {"last_step", line.lifetime.last},
                          {"recomputed", line.lifetime.isRecomputed}};
    json["values"].push_back(std::move(value));
  }
  return json;
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

static std::string signedSize(int64_t bytes) {
  std::string size = text::formatSize(uint64_t(std::abs(bytes)));
  return (bytes < 0 ? "-" : "+") + size;
}

static std::string signedTime(double milliseconds) {
  return (milliseconds < 0 ? "-" : "+") +
         formatMilliseconds(std::abs(milliseconds));
}

static std::string otherText(const ValueStory &story) {
  const OtherChoice &other = story.other;
  std::string verb = story.value.times ? "keep" : "recompute";
  if (!other.possible)
    return "none: it cannot be recomputed after the peak";
  return verb + " it: " + signedSize(other.bytes) + " at the peak, " +
         signedTime(other.milliseconds) + " a step, " +
         text::formatCounted(uint64_t(other.executions), "execution",
                             "executions") +
         (story.value.times ? " less" : " more");
}

static std::string storyText(const PlanStory &plan, const ValueStory &story) {
  text::Facts lines;
  lines.add("value", story.value.name);
  lines.add(
      "comes from",
      "module " + moduleText(story.value.module) +
          (story.value.location.empty() ? "" : ", " + story.value.location) +
          ", " + story.phase);
  lines.add("bytes", text::formatSize(story.value.bytes) + " (" +
                         std::to_string(story.value.bytes) + " bytes)");
  std::string steps;
  for (const Lifetime &lifetime : story.lifetimes)
    steps +=
        (steps.empty() ? "" : ", ") + stepsText(lifetime) +
        (lifetime.isRecomputed ? " (recomputed, '" + lifetime.name + "')" : "");
  lines.add("in memory", "steps " + steps + " of " +
                             std::to_string(plan.steps()) + "; the peak is " +
                             std::to_string(plan.peakStep()) + ", " +
                             (story.atPeak ? "with it" : "without it"));
  lines.add("why", story.why);
  lines.add("other choice", otherText(story));
  text::Table readers({{"read by", text::Align::Left},
                       {"module", text::Align::Left},
                       {"pass", text::Align::Left},
                       {"step"}});
  for (const Reader &reader : story.readers)
    readers.add({reader.name, moduleText(reader.module), termName(reader.phase),
                 std::to_string(reader.step)});
  return lines.str() + (readers.empty() ? "" : "\n" + readers.str());
}

static ordered_json storyJson(const PlanStory &plan, const ValueStory &story) {
  ordered_json json = toJson(story.value);
  json["times"] = story.value.times;
  json["phase"] = story.phase;
  json["steps"] = plan.steps();
  json["peak_step"] = plan.peakStep();
  json["at_peak"] = story.atPeak;
  json["why"] = story.why;
  json["lifetimes"] = ordered_json::array();
  for (const Lifetime &lifetime : story.lifetimes) {
    ordered_json line = {{"name", lifetime.name},
                         {"first_step", lifetime.first},
                         {"last_step", lifetime.last},
                         {"recomputed", lifetime.isRecomputed}};
    json["lifetimes"].push_back(std::move(line));
  }
  json["readers"] = ordered_json::array();
  for (const Reader &reader : story.readers) {
    ordered_json line = {{"name", reader.name},
                         {"module", reader.module},
                         {"phase", termName(reader.phase)},
                         {"step", reader.step}};
    json["readers"].push_back(std::move(line));
  }
  json["other_choice"] = {{"possible", story.other.possible},
                          {"peak_bytes", story.other.bytes},
                          {"milliseconds", story.other.milliseconds},
                          {"executions", story.other.executions}};
  return json;
}

static rt::Expected<plan::ValueId> choose(const PlanStory &plan,
                                          const std::string &wanted) {
  std::vector<plan::ValueId> found = plan.find(wanted);
  if (found.size() == 1)
    return found.front();
  if (found.empty()) {
    std::string meant = text::nearest(wanted, plan.allNames());
    return invalid("no value in memory is named '" + wanted + "'" +
                   (meant.empty() ? "" : "; did you mean '" + meant + "'?") +
                   " (without a name 'reprise why' lists those at the peak)");
  }
  constexpr size_t shown = 12;
  std::string message = "'" + wanted + "' names " +
                        std::to_string(found.size()) + " values; choose one:";
  for (size_t at = 0; at < std::min(found.size(), shown); ++at)
    message += "\n  " + plan.nameOf(found[at]) + "  " +
               text::formatSize(plan.bytesOf(found[at]));
  if (found.size() > shown)
    message += "\n  and " + std::to_string(found.size() - shown) + " more";
  return invalid(message);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static rt::Status tell(const WhyOptions &options, const PlanStory &plan) {
  if (options.value.empty())
    return options.json ? printJson(peakJson(plan)) : print(peakText(plan));
  rt::Expected<plan::ValueId> id = choose(plan, options.value);
  if (!id.ok())
    return id.status();
  ValueStory story = plan.tell(*id);
  return options.json ? printJson(storyJson(plan, story))
                      : print(storyText(plan, story));
}

static rt::Status why(const WhyOptions &options) {
  rt::Expected<ProgramFacts> program =
      readProgram(options.source, options.model, options.compile);
  if (!program.ok())
    return program.status();
  const EntryFacts *entry = program->entry(options.entry);
  if (!entry)
    return noEntry(options.source, options.entry, *program);
  if (entry->steps.empty())
    return invalid("'" + options.source + "' computes nothing");
  rt::Expected<StepGraph> steps =
      buildStepGraph(*entry, program->buffers.size());
  if (!steps.ok())
    return steps.status();
  return tell(options, PlanStory(*program, *entry, std::move(*steps)));
}

void driver::addWhyCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "why",
      "Explains why a value is in memory, and what the alternative would cost");
  auto options = std::make_shared<WhyOptions>();
  command
      ->add_option("model", options->source,
                   "An artifact (.rpx), a model of 'reprise zoo list' or a "
                   "file of MLIR (.mlir)")
      ->required();
  command->add_option("value", options->value,
                      "A name, a part of one, or a pattern (layer1.*); "
                      "without it: what is in memory at the peak");
  command->add_option("--entry", options->entry,
                      "The entry to look at: train_step (default), eval_step");
  command->add_flag("--json", options->json, "Print JSON");
  options->model.addTo(*command);
  options->compile.addTo(*command);
  addExamples(*command, "  reprise why resnet50 --batch 8\n"
                        "  reprise why resnet50 layer1.0.conv1:conv2d "
                        "--batch 8 --budget 70%\n"
                        "  reprise why resnet50.rpx layer1.0.conv1:conv2d");
  command->callback([options, &invocation] {
    invocation = [options] {
      rt::Status status = why(*options);
      return status.ok() ? kSuccess : fail(status);
    };
  });
}
