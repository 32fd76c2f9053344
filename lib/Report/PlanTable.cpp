//===- PlanTable.cpp - Plans as tables and as JSON ------------------------===//

#include "reprise/Report/PlanTable.h"
#include "reprise/Program/BudgetFacts.h"
#include "reprise/Program/Scaling.h"
#include "reprise/Text/Rates.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

std::string driver::modeOf(const ProgramFacts &facts) {
  return facts.checkpointing.empty() ? "?" : describeMode(facts);
}

static std::string summaryTable(const std::vector<PlanRow> &rows,
                                const std::string &entryName) {
  text::Table table({{"model", text::Align::Left},
                     {"checkpointing", text::Align::Left},
                     {"fixed"},
                     {"kept"},
                     {"peak"},
                     {"above fixed"},
                     {"recomputed"},
                     {"share"},
                     {"placement"}});
  std::vector<EntrySummary> summaries;
  for (const PlanRow &row : rows)
    summaries.push_back(summarize(row.facts, *row.facts.entry(entryName)));
  auto column = [&](auto bytesOf) {
    std::vector<uint64_t> bytes;
    for (const EntrySummary &summary : summaries)
      bytes.push_back(bytesOf(summary));
    return text::formatSizesApart(bytes);
  };
  using Summary = const EntrySummary &;
  auto fixed = column([](Summary s) { return s.fixed; });
  auto kept = column([](Summary s) { return s.kept; });
  auto peak = column([](Summary s) { return s.peak; });
  auto above = column([](Summary s) { return s.peak - s.fixed; });
  for (size_t at = 0; at < rows.size(); ++at) {
    Summary summary = summaries[at];
    table.add({rows[at].source, modeOf(rows[at].facts), fixed[at], kept[at],
               peak[at], above[at], text::formatFlops(summary.recomputedFlops),
               text::formatPercent(summary.recomputedShare()),
               text::formatFixed(summary.placementRatio(), 4)});
  }
  return table.str();
}

static constexpr const char *kLegend =
    "fixed: parameters, optimizer state and constants; kept: activations live "
    "after the\nforward pass; peak: fixed included; share: of the step's "
    "arithmetic without\nrecomputation; placement: placed bytes over the "
    "largest sum of live bytes (1 is best)\n";

std::string driver::planTable(const std::vector<PlanRow> &rows,
                              const std::string &entryName) {
  return summaryTable(rows, entryName) + "\n" + kLegend;
}

std::string driver::attentionNotes(const std::vector<PlanRow> &rows,
                                   const std::string &entryName) {
  std::string text, last;
  for (const PlanRow &row : rows) {
    EntrySummary summary = summarize(row.facts, *row.facts.entry(entryName));
    if (!summary.tiled || row.source == last)
      continue;
    last = row.source;
    text += "\n" + row.source + ": " + std::to_string(summary.tiled) +
            (summary.tiled == 1 ? " attention runs" : " attentions run") +
            " by tiles; " + text::formatSize(summary.unstored) +
            " of scores are not stored\n";
  }
  return text;
}

std::string driver::shardNotes(const std::vector<PlanRow> &rows) {
  std::string text, last;
  for (const PlanRow &row : rows) {
    if (!row.facts.sharded || row.source == last)
      continue;
    last = row.source;
    text += "\n" + row.source + ": each rank holds " +
            text::formatSize(row.facts.shards) + " of " +
            text::formatSize(row.facts.sharded) +
            " of the optimizer's variables\n";
  }
  return text;
}

std::string driver::scalingNotes(const std::vector<PlanRow> &rows,
                                 const std::string &entryName, unsigned ranks,
                                 const rt::Link &link) {
  std::string text;
  for (const PlanRow &row : rows) {
    ScalingFacts facts = scalingOf(*row.facts.entry(entryName), ranks, link);
    text += "\n" + row.source + ", checkpointing " + modeOf(row.facts) + ", " +
            text::formatCounted(ranks, "rank", "ranks") + " at " +
            text::formatLink(link) + ": a step computes for " +
            formatMilliseconds(facts.computation) + " and communicates for " +
            formatMilliseconds(facts.communication) + ", " +
            formatMilliseconds(facts.waiting) + " of it beside nothing, in " +
            std::to_string(facts.calls) + " calls that send " +
            text::formatSize(facts.sent) + " from each rank; " +
            formatMilliseconds(facts.milliseconds()) + " in all, efficiency " +
            text::formatPercent(facts.efficiency()) + "\n";
  }
  return text;
}

nlohmann::ordered_json driver::scalingJson(const EntryFacts &entry,
                                           unsigned ranks,
                                           const rt::Link &link) {
  ScalingFacts facts = scalingOf(entry, ranks, link);
  return {{"ranks", ranks},
          {"link_gbytes_per_second", link.gigabytesPerSecond},
          {"link_microseconds", link.microseconds},
          {"calls", facts.calls},
          {"sent_bytes", facts.sent},
          {"computation_milliseconds", facts.computation},
          {"communication_milliseconds", facts.communication},
          {"waiting_milliseconds", facts.waiting},
          {"step_milliseconds", facts.milliseconds()},
          {"efficiency", facts.efficiency()}};
}

std::string driver::moduleTable(const EntryFacts &entry, unsigned depth) {
  text::Table table({{"module", text::Align::Left},
                     {"steps"},
                     {"forward"},
                     {"backward"},
                     {"recomputed"},
                     {"traffic"},
                     {"kept"},
                     {"at peak"}});
  for (const ModuleFacts &module : byModule(entry, depth)) {
    uint64_t traffic = 0;
    for (uint64_t bytes : module.bytes)
      traffic += bytes;
    auto flops = [&](Phase phase) {
      return text::formatFlops(module.flops[size_t(phase)]);
    };
    table.add({module.module.empty() ? "(none)" : module.module,
               std::to_string(module.steps), flops(Phase::Forward),
               flops(Phase::Backward), flops(Phase::Recompute),
               text::formatSize(traffic), text::formatSize(module.kept),
               text::formatSize(module.atPeak)});
  }
  return table.str();
}

static nlohmann::ordered_json moduleJson(const EntryFacts &entry,
                                         unsigned depth) {
  auto json = nlohmann::ordered_json::array();
  for (const ModuleFacts &module : byModule(entry, depth)) {
    nlohmann::ordered_json line = {{"module", module.module},
                                   {"steps", module.steps},
                                   {"kept_bytes", module.kept},
                                   {"bytes_at_peak", module.atPeak}};
    for (size_t phase = 0; phase < kCountOf<Phase>; ++phase) {
      std::string name = termName(Phase(phase));
      line[name + "_flops"] = module.flops[phase];
      line[name + "_traffic_bytes"] = module.bytes[phase];
    }
    json.push_back(std::move(line));
  }
  return json;
}

nlohmann::ordered_json driver::rowJson(const PlanRow &row,
                                       const std::string &entryName,
                                       bool byModule, unsigned depth) {
  const EntryFacts &entry = *row.facts.entry(entryName);
  EntrySummary summary = summarize(row.facts, entry);
  nlohmann::ordered_json json = {
      {"source", row.source},
      {"model", row.facts.model},
      {"entry", entry.name},
      {"checkpointing", row.facts.checkpointing},
      {"threads", row.facts.threads},
      {"fixed_bytes", summary.fixed},
      {"kept_bytes", summary.kept},
      {"peak_bytes", summary.peak},
      {"max_live_bytes", summary.maxLive},
      {"placement_ratio", summary.placementRatio()},
      {"unstored_score_bytes", summary.unstored},
      {"base_flops", summary.baseFlops},
      {"recomputed_flops", summary.recomputedFlops},
      {"recomputed_share", summary.recomputedShare()}};
  if (byModule)
    json["modules"] = moduleJson(entry, depth);
  if (auto budget = budgetFactsOf(row.source, row.facts, entry))
    json["budget"] = toJson(*budget);
  if (row.facts.sharded)
    json["optimizer_shards"] = {{"bytes", row.facts.shards},
                                {"of_bytes", row.facts.sharded}};
  return json;
}
