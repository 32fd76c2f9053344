//===- BudgetFacts.cpp - The effect of a budget on a step -----------------===//

#include "reprise/Program/BudgetFacts.h"
#include "reprise/Plan/BufferNames.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
using nlohmann::ordered_json;

/// The number of lines of a table of costly values.
static constexpr size_t kCostly = 10;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static double excess(double value, double base) {
  return base > 0 ? value / base - 1 : 0;
}

double BudgetFacts::gap() const {
  return excess(plan->milliseconds, boundMilliseconds);
}

double BudgetFacts::smallestGap() const {
  return excess(double(smallest.bytes), double(provenBytes));
}

double BudgetFacts::provenShare() const {
  return -excess(double(provenBytes), double(smallest.bytes));
}

/// Returns the recomputed values, by their recomputation time.
static std::vector<ValueFacts> findCostly(const EntryFacts &entry) {
  std::map<uint32_t, ValueFacts> byFirst; // by the step that computed it first
  for (uint32_t number = 0; number < entry.steps.size(); ++number) {
    const StepFacts &step = entry.steps[number];
    if (step.phase != Phase::Recompute || step.action == StepAction::Fetch)
      continue;
    ValueFacts &facts = byFirst[step.cloneOf.value_or(number)];
    ++facts.times;
    if (facts.times > 1)
      continue;
    facts.name = nameOfOp(step.module, step.name);
    facts.module = step.module;
    facts.location = step.location;
    facts.milliseconds = millisecondsOf(step.picoseconds);
    for (const ViewFacts &view : step.writes)
      facts.bytes += view.bytes;
  }
  std::vector<ValueFacts> costly;
  for (auto &[first, facts] : byFirst)
    costly.push_back(std::move(facts));
  std::stable_sort(costly.begin(), costly.end(),
                   [](const ValueFacts &a, const ValueFacts &b) {
                     return a.milliseconds * a.times > b.milliseconds * b.times;
                   });
  costly.resize(std::min(costly.size(), kCostly));
  return costly;
}

std::optional<BudgetFacts> driver::budgetFactsOf(const std::string &source,
                                                 const ProgramFacts &program,
                                                 const EntryFacts &entry) {
  if (!entry.certificate)
    return std::nullopt;
  const CertificateFacts &certificate = *entry.certificate;
  BudgetFacts facts;
  facts.model = source;
  facts.fixed = program.fixed;
  facts.plain = certificate.plain;
  facts.smallest = certificate.smallest;
  facts.provenBytes = certificate.provenBytes;
  facts.provenAt = certificate.provenAt;
  facts.pinned = certificate.pinned;
  facts.asked = certificate.budget;
  facts.plan = certificate.plan;
  facts.boundMilliseconds = certificate.bound;
  facts.picosecondsPerMiB = certificate.picosecondsPerMiB;
  facts.costly = findCostly(entry);
  for (const StepFacts &step : entry.steps) {
    bool isOffload = step.action == StepAction::Offload;
    facts.offloads += isOffload;
    facts.hostBytes += isOffload ? step.bytes : 0;
    if (isOffload || step.action == StepAction::Fetch)
      facts.waitMilliseconds += millisecondsOf(step.picoseconds);
  }
  return facts;
}

std::optional<BudgetFacts> driver::budgetFactsOf(const std::string &source,
                                                 const ProgramFacts &program) {
  const EntryFacts *entry = program.certified();
  return entry ? budgetFactsOf(source, program, *entry) : std::nullopt;
}

std::string driver::describeMode(const ProgramFacts &program) {
  std::optional<BudgetFacts> facts = budgetFactsOf("", program);
  if (!facts)
    return program.checkpointing;
  auto above = [&](double milliseconds) {
    double share = excess(milliseconds, facts->plain.milliseconds);
    return (share < 0 ? "" : "+") + text::formatFixed(100 * share, 2) + "%";
  };
  const std::string &kernels = facts->plan->kernels;
  return program.checkpointing +
         (kernels.empty() ? "" : ", kernels of " + kernels) + ", budget of " +
         std::to_string(facts->asked) + " bytes (" +
         above(facts->plan->milliseconds) + " time, " +
         // Other kernels may make the bound less than the time without
         // recomputation.
         (facts->boundMilliseconds < facts->plain.milliseconds
              ? "at most " +
                    text::formatFixed(100 * excess(facts->plan->milliseconds,
                                                   facts->boundMilliseconds),
                                      2) +
                    "% above the bound"
              : "at least " + above(facts->boundMilliseconds)) +
         ")";
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Returns the unit whose rounding costs less than a hundredth.
static uint64_t budgetUnit(uint64_t bytes) {
  return bytes >= uint64_t(100) << 20 ? 1 << 20
         : bytes >= 100 << 10         ? 1 << 10
                                      : 1;
}

uint64_t driver::budgetTextBytes(uint64_t bytes) {
  uint64_t unit = budgetUnit(bytes);
  return (bytes + unit - 1) / unit * unit;
}

std::string driver::budgetText(uint64_t bytes) {
  uint64_t unit = budgetUnit(bytes);
  return std::to_string((bytes + unit - 1) / unit) + (unit == 1 ? "B"
                                                      : unit == 1 << 10
                                                          ? "KiB"
                                                          : "MiB");
}

std::string driver::formatMilliseconds(double milliseconds) {
  if (milliseconds >= 1000)
    return text::formatFixed(milliseconds / 1000, 2) + " s";
  int digits = milliseconds >= 100  ? 0
               : milliseconds >= 10 ? 1
               : milliseconds >= 1  ? 2
                                    : 3;
  return text::formatFixed(milliseconds, digits) + " ms";
}

std::string driver::formatMore(double share) {
  int digits = share < 0.1 ? 2 : 1;
  return (share < 0 ? "" : "+") + text::formatFixed(share * 100, digits) + "%";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string sizeAndBytes(uint64_t bytes) {
  return text::formatSize(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

static std::string costlyTable(const std::vector<ValueFacts> &values) {
  text::Table table({{"recomputed", text::Align::Left},
                     {"module", text::Align::Left},
                     {"bytes"},
                     {"ms"},
                     {"times"}});
  for (const ValueFacts &value : values)
    table.add({value.name, value.module.empty() ? "(none)" : value.module,
               text::formatSize(value.bytes),
               text::formatFixed(value.milliseconds, 3),
               std::to_string(value.times)});
  return table.str();
}

/// Returns ", with the kernels of 'per-block'".
static std::string kernelsText(const PointFacts &point) {
  return point.kernels.empty()
             ? ""
             : ", with the kernels of '" + point.kernels + "'";
}

std::vector<std::pair<std::string, std::string>>
driver::linesOf(const BudgetFacts &facts) {
  std::vector<std::pair<std::string, std::string>> lines;
  auto add = [&](const char *title, std::string value) {
    lines.emplace_back(title, std::move(value));
  };
  double plainMs = facts.plain.milliseconds;
  std::string proven = "no schedule of the kernels as formed exists below " +
                       sizeAndBytes(facts.provenBytes);
  // The smallest budget is unknown if the step fits without recomputation.
  if (facts.asked < facts.plain.bytes) {
    // A plan with copies may itself be the smallest.
    bool isAlone = facts.offloads && facts.smallest.bytes != facts.plan->bytes;
    add("smallest budget",
        sizeAndBytes(facts.smallest.bytes) + kernelsText(facts.smallest) +
            (isAlone ? ", without host memory" : "") +
            ", the step then takes " +
            formatMilliseconds(facts.smallest.milliseconds) + ", " +
            formatMore(excess(facts.smallest.milliseconds, plainMs)));
    proven += ", " + text::formatFixed(facts.provenShare() * 100, 2) + "% less";
  }
  add("proven", proven);
  add("not needed", "from " + sizeAndBytes(facts.plain.bytes) +
                        " up nothing is recomputed: " +
                        formatMilliseconds(plainMs) + " a step");
  add("requested",
      sizeAndBytes(facts.asked) + ", " +
          text::formatPercent(double(facts.asked) / double(facts.plain.bytes)) +
          " of that");
  add("predicted peak", sizeAndBytes(facts.plan->bytes) + ", of which " +
                            text::formatSize(facts.fixed) +
                            " variables and constants" +
                            kernelsText(*facts.plan));
  double saved = plainMs - facts.plan->milliseconds;
  if (facts.offloads && saved > 0)
    add("additional time", "none: with these kernels the step takes " +
                               formatMilliseconds(saved) + " less");
  else
    add(facts.offloads ? "additional time" : "recomputed",
        formatMilliseconds(facts.recomputeMilliseconds()) + " a step, " +
            formatMore(facts.recomputedShare()));
  if (facts.offloads)
    add("host memory", sizeAndBytes(facts.hostBytes) + " in " +
                           std::to_string(facts.offloads) +
                           (facts.offloads == 1 ? " value" : " values") +
                           " copied there and back; ops wait " +
                           formatMilliseconds(facts.waitMilliseconds) +
                           " a step for the copies");
  add("lower bound",
      formatMilliseconds(facts.boundMilliseconds) +
          " a step for any schedule within this budget; this one takes " +
          formatMilliseconds(facts.plan->milliseconds) + ", gap " +
          text::formatFixed(facts.gap() * 100, 2) + "%");
  // The price of a byte is not known where values are copied.
  if (!facts.offloads)
    add("shadow price",
        formatMilliseconds(millisecondsOf(facts.picosecondsPerMiB)) +
            " a step saved at most by one more MiB");
  return lines;
}

std::string driver::toText(const BudgetFacts &facts) {
  text::Facts lines;
  for (const auto &[title, value] : linesOf(facts))
    lines.add(title, value);
  std::string text = lines.str();
  if (!facts.costly.empty())
    text += "\n" + costlyTable(facts.costly);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

ordered_json driver::toJson(const ValueFacts &value) {
  ordered_json json = {{"name", value.name},
                       {"module", value.module},
                       {"location", value.location},
                       {"bytes", value.bytes},
                       {"milliseconds", value.milliseconds}};
  if (value.times)
    json["times"] = value.times;
  return json;
}

static ordered_json toJson(const PointFacts &point) {
  return {{"bytes", point.bytes},
          {"milliseconds", point.milliseconds},
          {"kernels", point.kernels}};
}

static ordered_json toJson(const std::vector<ValueFacts> &values) {
  auto json = ordered_json::array();
  for (const ValueFacts &value : values)
    json.push_back(driver::toJson(value));
  return json;
}

ordered_json driver::toJson(const BudgetFacts &facts) {
  ordered_json json = {{"source", facts.model},
                       {"fixed_bytes", facts.fixed},
                       {"without_recomputation", ::toJson(facts.plain)},
                       {"smallest", ::toJson(facts.smallest)},
                       {"proven_bytes", facts.provenBytes},
                       {"proven_at", facts.provenAt},
                       {"smallest_gap", facts.smallestGap()},
                       {"pinned", ::toJson(facts.pinned)},
                       {"budget_bytes", facts.asked},
                       {"feasible", facts.plan.has_value()}};
  if (facts.smallestWithHost)
    json["smallest_with_host"] = {
        {"bytes", facts.smallestWithHost->bytes},
        {"milliseconds", facts.smallestWithHost->milliseconds},
        {"host_bytes", facts.hostBytesOfSmallest}};
  if (!facts.plan)
    return json;
  json["peak_bytes"] = facts.plan->bytes;
  json["step_ms"] = facts.plan->milliseconds;
  json["kernels"] = facts.plan->kernels;
  json["recomputed_ms"] = facts.recomputeMilliseconds();
  json["recomputed_share"] = facts.recomputedShare();
  if (facts.offloads)
    json["host"] = {{"values", facts.offloads},
                    {"bytes", facts.hostBytes},
                    {"waiting_ms", facts.waitMilliseconds}};
  json["bound_ms"] = facts.boundMilliseconds;
  json["gap"] = facts.gap();
  json["ms_per_mib"] = millisecondsOf(facts.picosecondsPerMiB);
  json["costly"] = ::toJson(facts.costly);
  return json;
}
