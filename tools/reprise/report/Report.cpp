//===- Report.cpp - A program's memory as a page --------------------------===//
//
// Input:   the facts of a program.
// Output:  the page: a frame, the facts as JSON, and report.js, which draws.
// Method:  names are written once and referred to by number, so that the page
//          of a deep network stays small.
// Cost:    linear in buffers and steps.
//
//===----------------------------------------------------------------------===//
#include "Report.h"
#include "Assets.h"
#include <map>
#include <nlohmann/json.hpp>

using namespace reprise::tools;
using Json = nlohmann::ordered_json;

namespace {
/// Numbers strings in the order of first use.
class Names {
public:
  size_t number(const std::string &name) {
    auto [it, isNew] = numbers.emplace(name, list.size());
    if (isNew)
      list.push_back(name);
    return it->second;
  }
  const std::vector<std::string> &all() const { return list; }

private:
  std::map<std::string, size_t> numbers;
  std::vector<std::string> list;
};
} // namespace

/// [name, kind, offset, size, first step, last step]
static Json toJson(const BufferFacts &buffer, Names &names) {
  return Json::array({names.number(buffer.name), unsigned(buffer.kind),
                      buffer.offset, buffer.size, buffer.firstStep,
                      buffer.lastStep});
}

/// [op, module, phase, action, arithmetic, bytes, location]
static Json toJson(const StepFacts &step, Names &names) {
  return Json::array({names.number(step.name), names.number(step.module),
                      unsigned(step.phase), unsigned(step.action), step.flops,
                      step.bytes, names.number(step.location)});
}

/// The two levels of a path that the table shows: all, and the first name.
static Json modulesJson(const EntryFacts &entry, unsigned depth) {
  Json json = Json::array();
  for (const ModuleFacts &module : byModule(entry, depth)) {
    uint64_t traffic = 0;
    for (uint64_t bytes : module.bytes)
      traffic += bytes;
    json.push_back({{"module", module.module},
                    {"steps", module.steps},
                    {"forward", module.flops[size_t(Phase::Forward)]},
                    {"backward", module.flops[size_t(Phase::Backward)]},
                    {"recompute", module.flops[size_t(Phase::Recompute)]},
                    {"traffic", traffic},
                    {"kept", module.kept},
                    {"peak", module.atPeak}});
  }
  return json;
}

static Json toJson(const ProgramFacts &program, const EntryFacts &entry,
                   Names &names) {
  EntrySummary summary = summarize(program, entry);
  Json json = {{"name", entry.name},
               {"peak", summary.peak},
               {"maxLive", summary.maxLive},
               {"kept", summary.kept},
               {"baseFlops", summary.baseFlops},
               {"recomputedFlops", summary.recomputedFlops},
               {"endOfForward", endOfForward(entry)},
               {"peakStep", peakStep(entry)},
               {"buffers", Json::array()},
               {"steps", Json::array()},
               {"coarse", modulesJson(entry, 1)},
               {"fine", modulesJson(entry, 0)}};
  for (const BufferFacts &buffer : entry.buffers)
    json["buffers"].push_back(toJson(buffer, names));
  for (const StepFacts &step : entry.steps)
    json["steps"].push_back(toJson(step, names));
  return json;
}

static Json toJson(const ProgramFacts &program) {
  Names names;
  Json json = {
      {"model", program.model},     {"checkpointing", program.checkpointing},
      {"target", program.target},   {"library", program.library},
      {"threads", program.threads}, {"arena", program.arena},
      {"fixed", program.fixed},     {"buffers", Json::array()},
      {"entries", Json::array()}};
  for (const BufferFacts &buffer : program.buffers)
    json["buffers"].push_back(toJson(buffer, names));
  for (const EntryFacts &entry : program.entries)
    json["entries"].push_back(toJson(program, entry, names));
  for (size_t kind = 0; kind < kBufferKinds; ++kind)
    json["kinds"].push_back(kindName(BufferKind(kind)));
  for (size_t phase = 0; phase < kPhases; ++phase)
    json["phases"].push_back(phaseName(Phase(phase)));
  json["names"] = names.all();
  return json;
}

/// Text of a page.
static std::string escape(const std::string &text) {
  std::string escaped;
  for (char c : text)
    switch (c) {
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '&':
      escaped += "&amp;";
      break;
    default:
      escaped += c;
    }
  return escaped;
}

/// JSON within <script>: no name may close the element.
static std::string embed(const Json &json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

/// Below what the script draws.
static std::string curveCard(const std::string &curve) {
  if (curve.empty())
    return "";
  return "<div class=\"under\"><section class=\"card\">\n"
         "<h2>Time over memory</h2>\n<p class=\"note\">Each point is a plan; "
         "less memory costs more time.</p>\n" +
         curve + "</section></div>\n";
}

std::string reprise::tools::makeReport(const ProgramFacts &program,
                                       const std::string &curve) {
  std::string title = "Reprise: memory of " + escape(program.model);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         title + "</title>\n<style>\n" + kReportStyle +
         "</style>\n</head>\n<body>\n<main id=\"page\">\n"
         "<noscript>This page draws with JavaScript; allow it to see "
         "anything.</noscript>\n</main>\n" +
         curveCard(curve) +
         "<div id=\"tip\" hidden></div>\n"
         "<script type=\"application/json\" id=\"facts\">" +
         embed(toJson(program)) + "</script>\n<script>\n" + kReportScript +
         "</script>\n</body>\n</html>\n";
}
