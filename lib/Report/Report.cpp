//===- Report.cpp - A web page of a program's memory ----------------------===//
//
// Input:   the facts of a program.
// Output:  the page: a frame, the facts as JSON, and report.js, which draws.
// Method:  names are written once and referred to by number, so that the page
//          of a deep network stays small. A curve is drawn again, for wide and
//          for narrow windows, with the program on it.
// Cost:    linear in buffers and steps.
//
//===----------------------------------------------------------------------===//
#include "reprise/Report/Report.h"
#include "Assets.h"
#include "reprise/Program/BudgetFacts.h"
#include "reprise/Text/Size.h"
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
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

/// [name, kind, offset, size, first step, last step, reason]
static Json toJson(const BufferFacts &buffer, Names &names) {
  return Json::array({names.number(buffer.name), unsigned(buffer.kind),
                      buffer.offset, buffer.size, buffer.firstStep,
                      buffer.lastStep, names.number(termName(buffer.reason))});
}

/// [op, module, phase, action, arithmetic, bytes, location]
static Json toJson(const StepFacts &step, Names &names) {
  return Json::array({names.number(step.name), names.number(step.module),
                      unsigned(step.phase), unsigned(step.action), step.flops,
                      step.bytes, names.number(step.location)});
}

/// Returns the two levels of a path that the table shows: the whole path, and
/// the first name.
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
               {"endOfForward", int64_t(entry.forwardSteps) - 1},
               {"peakStep", peakStep(entry)},
               {"buffers", Json::array()},
               {"steps", Json::array()},
               {"coarse", modulesJson(entry, 1)},
               {"fine", modulesJson(entry, 0)}};
  for (const BufferFacts &buffer : entry.buffers)
    json["buffers"].push_back(toJson(buffer, names));
  if (auto budget = budgetFactsOf(program.model, program, entry))
    json["budget"] = linesOf(*budget);
  for (const StepFacts &step : entry.steps)
    json["steps"].push_back(toJson(step, names));
  return json;
}

static Json toJson(const ProgramFacts &program) {
  Names names;
  Json json = {{"model", program.model},
               {"checkpointing", describeMode(program)},
               {"device", program.device},
               {"target", program.target},
               {"library", program.library},
               {"threads", program.threads},
               {"arena", program.arena},
               {"fixed", program.fixed},
               {"data", program.describeData()},
               {"command", program.command},
               {"buffers", Json::array()},
               {"entries", Json::array()}};
  for (const BufferFacts &buffer : program.buffers)
    json["buffers"].push_back(toJson(buffer, names));
  for (const EntryFacts &entry : program.entries)
    json["entries"].push_back(toJson(program, entry, names));
  for (size_t kind = 0; kind < kCountOf<BufferKind>; ++kind)
    json["kinds"].push_back(kindName(BufferKind(kind)));
  for (size_t phase = 0; phase < kCountOf<Phase>; ++phase)
    json["phases"].push_back(termName(Phase(phase)));
  json["names"] = names.all();
  return json;
}

/// Escapes text for a page.
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

/// Returns JSON for use in <script>: no name may close the element.
static std::string embed(const Json &json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

//===----------------------------------------------------------------------===//
// Time over memory
//===----------------------------------------------------------------------===//

/// Returns true if the picture is of the program's own step.
static bool isOfStep(const CurveChart &chart, const ProgramFacts &program) {
  return chart.fixedBytes == program.fixed &&
         (chart.batch == 0 || chart.batch == program.batch());
}

static double timeOf(const EntryFacts &entry) {
  uint64_t picoseconds = 0;
  for (const StepFacts &step : entry.steps)
    picoseconds += step.picoseconds;
  return millisecondsOf(picoseconds);
}

/// Returns true if both are the same plan, by the same costs: rounding to
/// picoseconds changes less.
static bool isSame(uint64_t bytes, double milliseconds,
                   const CurvePoint &point) {
  return bytes == point.bytes && std::abs(milliseconds - point.milliseconds) <=
                                     1e-6 * point.milliseconds;
}

/// Returns the program's time by the picture's costs; 0 if the program was
/// planned with other costs. A program without a budget is the point of its
/// mode, whatever its costs.
static double timeInPicture(const CurveChart &chart,
                            const ProgramFacts &program,
                            const EntryFacts &entry) {
  double own = timeOf(entry);
  if (entry.certificate) {
    const PointFacts &plain = entry.certificate->plain;
    bool isSameStep = isSame(plain.bytes, plain.milliseconds, chart.plain);
    return isSameStep ? own : 0;
  }
  // The mode ends at the first comma; a note on rounded values follows it.
  std::string named =
      program.checkpointing.substr(0, program.checkpointing.find(','));
  if (named == "none")
    return entry.peak == chart.plain.bytes ? chart.plain.milliseconds : 0;
  for (const CurvePoint &mode : chart.modes)
    if (mode.label == named && mode.bytes == entry.peak)
      return mode.milliseconds;
  return 0;
}

/// Marks the program; returns the meaning of the mark, or the reason for its
/// absence.
static std::string markProgram(CurveChart &chart, const ProgramFacts &program) {
  const EntryFacts *entry = program.entry("train_step");
  if (!entry || !isOfStep(chart, program))
    return "The picture is of " + escape(chart.title) +
           ", another step than this program's, which is not marked.";
  std::string size = text::formatSize(entry->peak);
  double time = timeInPicture(chart, program, *entry);
  std::string words = formatMilliseconds(time > 0 ? time : timeOf(*entry));
  chart.program = CurvePoint{"this program, " + size + ", " + words +
                                 (time > 0 ? "" : " by other costs"),
                             entry->peak, time};
  if (time > 0)
    return "The ring and the line are this program, with a peak of " + size +
           " and " + words + " a step.";
  return "The line is this program, with a peak of " + size + " and " + words +
         " a step by costs that are not the picture's, so that no ring says "
         "where it is.";
}

static void addRows(std::string &table, const std::vector<CurvePoint> &points,
                    const std::string &kind) {
  for (const CurvePoint &point : points)
    table += "<tr><td>" + escape(point.label.empty() ? kind : point.name()) +
             "</td><td>" + text::formatSize(point.bytes) + "</td><td>" +
             text::formatInteger(point.bytes) + "</td><td>" +
             text::formatFixed(point.milliseconds, 3) + "</td></tr>\n";
}

/// Returns the content of the pictures as a table, for accessibility.
static std::string pointTable(const CurveChart &chart) {
  std::string table = "<details><summary>The points as a table</summary>\n"
                      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                      "aria-label=\"points of the picture\"><table><thead><tr>"
                      "<th>method</th><th>peak</th><th>bytes</th>"
                      "<th>step, ms</th></tr></thead><tbody>\n";
  addRows(table, chart.curve, "budget");
  addRows(table, chart.modes, "mode");
  addRows(table, chart.solvers, "solver");
  return table + "</tbody></table></div></details>\n";
}

/// Returns the card below the script's drawings.
static std::string curveCard(CurveChart chart, const ProgramFacts &program) {
  std::string mark = markProgram(chart, program);
  return "<div class=\"under\"><section class=\"card\">\n"
         "<h2>Time over memory</h2>\n<p class=\"note\">Each point is a plan; "
         "less memory costs more time. " +
         mark + "</p>\n<div class=\"wide\">" +
         drawCurve(chart, CurveFrame::Wide) + "</div>\n<div class=\"narrow\">" +
         drawCurve(chart, CurveFrame::Narrow) + "</div>\n" + pointTable(chart) +
         "</section></div>\n";
}

std::string
reprise::driver::makeReport(const ProgramFacts &program,
                            const std::optional<CurveChart> &curve) {
  std::string title = "Reprise: memory of " + escape(program.model);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n<meta name=\"color-scheme\" "
         "content=\"light dark\">\n<title>" +
         title + "</title>\n<style>\n" + kReportStyle +
         "</style>\n</head>\n<body>\n<main id=\"page\">\n"
         "<noscript>This page draws with JavaScript; allow it to see "
         "anything.</noscript>\n</main>\n" +
         (curve ? curveCard(*curve, program) : "") +
         "<div id=\"tip\" hidden></div>\n"
         "<script type=\"application/json\" id=\"facts\">" +
         embed(::toJson(program)) + "</script>\n<script>\n" + kReportScript +
         "</script>\n</body>\n</html>\n";
}
