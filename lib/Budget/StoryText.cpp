//===- StoryText.cpp - Stories of values as text and JSON -----------------===//

#include "reprise/Budget/StoryText.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
using nlohmann::ordered_json;

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

std::string driver::peakText(const PlanStory &plan) {
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

ordered_json driver::peakJson(const PlanStory &plan) {
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

std::string driver::storyText(const PlanStory &plan, const ValueStory &story) {
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

ordered_json driver::storyJson(const PlanStory &plan, const ValueStory &story) {
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
