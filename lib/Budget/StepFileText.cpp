//===- StepFileText.cpp - Answers about a step as text --------------------===//

#include "reprise/Budget/StepFile.h"
#include "reprise/Report/CurveChart.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
using Json = nlohmann::ordered_json;

/// Returns "+12.3%" for a time above another one.
static std::string moreThan(double milliseconds, double base) {
  double more = base > 0 ? std::max(0.0, milliseconds / base - 1) : 0;
  return "+" + text::formatPercent(more);
}

/// Returns the share of a plan's time that the proof leaves open.
static std::string gapOf(const StepPoint &point) {
  double bound = point.boundMilliseconds;
  return text::formatPercent(
      bound > 0 ? std::max(0.0, point.milliseconds / bound - 1) : 0);
}

static std::string sizeText(uint64_t bytes) {
  return text::formatSize(bytes) + " (" + text::formatInteger(bytes) +
         " bytes)";
}

static std::string shareText(uint64_t bytes, const StepPoint &plain) {
  return plain.bytes ? text::formatPercent(double(bytes) / plain.bytes) : "-";
}

std::string driver::toText(const StepAnswer &answer) {
  text::Facts facts;
  facts.add("step", "@" + answer.function + ", " +
                        text::formatCounted(answer.ops, "op", "ops"));
  facts.add("arguments",
            text::formatSize(answer.argumentBytes) + " (not in the budget)");
  if (answer.donatedResults)
    facts.add("donated",
              text::formatCounted(answer.donatedResults, "result", "results") +
                  " in the storage of arguments");
  for (const auto &[name, count] : answer.unknownOps)
    facts.add("run once", name + " (" + std::to_string(count) +
                              "): nothing is known of it");
  facts.add("without recomputation", sizeText(answer.plain.bytes));
  facts.add("smallest budget found",
            sizeText(answer.curve.front().bytes) + ", " +
                shareText(answer.curve.front().bytes, answer.plain) +
                "; none exists below " + sizeText(answer.provenBytes));
  if (answer.plan) {
    const StepPoint &plan = *answer.plan;
    facts.add("budget", sizeText(answer.budgetBytes));
    facts.add("live bytes", sizeText(plan.bytes) + ", " +
                                shareText(plan.bytes, answer.plain));
    facts.add("recomputed", text::formatCounted(plan.recomputed, "op", "ops"));
    facts.add("modelled time",
              moreThan(plan.milliseconds, answer.plain.milliseconds) +
                  "; at least " +
                  moreThan(plan.boundMilliseconds, answer.plain.milliseconds) +
                  " for any schedule of these ops (gap " + gapOf(plan) + ")");
    if (answer.isUnchanged)
      facts.add("text", "unchanged: the step fits as it is");
  }
  return facts.str();
}

std::string driver::sweepText(const StepAnswer &answer) {
  text::Table table({{"live"},
                     {"bytes"},
                     {"of plain"},
                     {"recomputed"},
                     {"modelled time"},
                     {"at least"},
                     {"gap"}});
  for (const StepPoint &point : answer.curve)
    table.add({text::formatSize(point.bytes), text::formatInteger(point.bytes),
               shareText(point.bytes, answer.plain),
               text::formatInteger(point.recomputed),
               moreThan(point.milliseconds, answer.plain.milliseconds),
               moreThan(point.boundMilliseconds, answer.plain.milliseconds),
               gapOf(point)});
  return table.str();
}

std::string driver::whyText(const StepAnswer &answer) {
  if (answer.recomputed.empty())
    return "nothing is recomputed\n";
  text::Table table({{"recomputed", text::Align::Left},
                     {"times"},
                     {"bytes freed"},
                     {"ms each"},
                     {"where", text::Align::Left}});
  constexpr size_t kShown = 20;
  for (size_t k = 0; k < std::min(kShown, answer.recomputed.size()); ++k) {
    const RecomputedOp &op = answer.recomputed[k];
    table.add({op.name, text::formatInteger(op.times),
               text::formatSize(op.bytes),
               text::formatFixed(op.milliseconds, 3), op.source});
  }
  std::string more;
  if (answer.recomputed.size() > kShown)
    more = text::formatCounted(answer.recomputed.size() - kShown, "smaller one",
                               "smaller ones") +
           "\n";
  return table.str() + more;
}

//===----------------------------------------------------------------------===//
// JSON and HTML
//===----------------------------------------------------------------------===//

static Json toJson(const StepPoint &point) {
  return {{"live_bytes", point.bytes},
          {"milliseconds", point.milliseconds},
          {"milliseconds_bound", point.boundMilliseconds},
          {"recomputed", point.recomputed}};
}

Json driver::toJson(const StepAnswer &answer) {
  Json json = {{"function", answer.function},
               {"ops", answer.ops},
               {"argument_bytes", answer.argumentBytes},
               {"donated_results", answer.donatedResults},
               {"plain", ::toJson(answer.plain)},
               {"smallest_bytes", answer.curve.front().bytes},
               {"proven_bytes", answer.provenBytes}};
  Json unknown = Json::object();
  for (const auto &[name, count] : answer.unknownOps)
    unknown[name] = count;
  json["unknown_ops"] = unknown;
  if (answer.budgetBytes)
    json["budget_bytes"] = answer.budgetBytes;
  if (answer.plan) {
    json["plan"] = ::toJson(*answer.plan);
    json["unchanged"] = answer.isUnchanged;
  }
  Json curve = Json::array();
  for (const StepPoint &point : answer.curve)
    curve.push_back(::toJson(point));
  json["curve"] = curve;
  if (!answer.refusal.empty())
    json["error"] = answer.refusal;
  return json;
}

static std::string escaped(const std::string &text) {
  std::string out;
  for (char letter : text) {
    if (letter == '<')
      out += "&lt;";
    else if (letter == '&')
      out += "&amp;";
    else
      out += letter;
  }
  return out;
}

static CurveChart chartOf(const StepAnswer &answer, const std::string &title) {
  CurveChart chart;
  chart.title = title;
  chart.subtitle = "live bytes and modelled time of @" + answer.function;
  chart.plain = {"", answer.plain.bytes, answer.plain.milliseconds};
  for (const StepPoint &point : answer.curve) {
    chart.curve.push_back({"", point.bytes, point.milliseconds});
    chart.bound.push_back({"", point.bytes, point.boundMilliseconds});
  }
  chart.provenBytes = answer.provenBytes;
  if (answer.plan)
    chart.asked = CurvePoint{"", answer.plan->bytes, answer.plan->milliseconds};
  return chart;
}

std::string driver::toHtml(const StepAnswer &answer, const std::string &title) {
  auto section = [](const std::string &name, const std::string &text) {
    return "<h2>" + name + "</h2>\n<pre>" + escaped(text) + "</pre>\n";
  };
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         escaped(title) +
         "</title>\n<style>body{font-family:sans-serif;max-width:60rem;"
         "margin:2rem auto;padding:0 1rem}pre{overflow-x:auto}svg{max-width:"
         "100%;height:auto}</style>\n<h1>" +
         escaped(title) + "</h1>\n" + drawCurve(chartOf(answer, title)) +
         section("The step", toText(answer)) +
         section("All budgets", sweepText(answer)) +
         section("Recomputed ops", whyText(answer)) + "</html>\n";
}
