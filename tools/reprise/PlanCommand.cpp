//===- PlanCommand.cpp - reprise plan -------------------------------------===//
//
// A model without a mode of checkpointing is planned in every mode, so that the
// table shows the cost of each. No kernel is compiled for a plan.
// PlanBudget.cpp has the plans for budgets.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Flags.h"
#include "PlanBudget.h"
#include "reprise/Budget/ModeAdvice.h"
#include "reprise/Budget/ReadProgram.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/CommandLine/CommandLine.h"
#include "reprise/CommandLine/SettingOptions.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/LinkFile.h"
#include "reprise/Program/BudgetFacts.h"
#include "reprise/Report/PlanTable.h"
#include "reprise/Run/RunRanks.h"
#include "reprise/Runtime/Expect.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

namespace {
struct PlanCommandOptions {
  std::vector<std::string> sources;
  std::string entry = "train_step";
  bool byModule = false, json = false, process = false, compare = false;
  /// The data that the run will read, with `process`.
  std::string data = "synthetic";
  unsigned depth = 0;
  std::optional<unsigned> ranks;
  std::string link; // "", or as readLink reads it
  BudgetPlanOptions budget;
  ModelSettings model;
  CompileSettings compile;
};
} // namespace

/// States if a mode is the user's or one of a table of all.
enum class Asked { Yes, No };

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static rt::Status planModel(const ModelRequest &request, bool evaluation,
                            Asked isAsked, std::vector<PlanRow> &rows) {
  CompileOptions options = request.compile;
  Activity activity("planning " + request.source + " (" +
                    options.checkpointing.text() + ")");
  options.training = !evaluation;
  options.evaluation = evaluation;
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(compiler.load(request.source, request.model));
  if (isAsked == Asked::No)
    compiler.hideWarnings();
  REPRISE_RETURN_IF_ERROR(compiler.lower(options, CompileLevel::Program));
  if (isAsked == Asked::Yes)
    warnOfMode(request, compiler);
  REPRISE_EXPECT(facts, compiler.facts());
  rows.push_back({request.source, std::move(*facts)});
  return {};
}

static rt::Status planSource(const PlanCommandOptions &options,
                             const std::string &source,
                             std::vector<PlanRow> &rows) {
  REPRISE_EXPECT(artifact, isArtifact(source));
  if (*artifact) {
    REPRISE_EXPECT(facts, readProgram(source, options.model, options.compile));
    rows.push_back({source, std::move(*facts)});
    return {};
  }
  REPRISE_EXPECT(request, readRequest(source, options.model, options.compile));
  bool evaluation = options.entry == "eval_step";
  // Patterns name the model's own blocks, which some modes dissolve.
  if (options.compile.checkpointing || options.compile.budget || evaluation ||
      !request->compile.recompute.empty())
    return planModel(*request, evaluation, Asked::Yes, rows);
  for (Checkpointing mode : comparedModes(request->compile)) {
    request->compile.checkpointing = mode;
    REPRISE_RETURN_IF_ERROR(planModel(*request, evaluation, Asked::No, rows));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Returns notes on the inferior modes of each model.
static std::string beatenNotes(const std::vector<PlanRow> &rows,
                               const std::string &entryName) {
  std::string text;
  for (size_t at = 0; at < rows.size();) {
    std::vector<ModeCost> modes;
    for (const std::string &source = rows[at].source;
         at < rows.size() && rows[at].source == source; ++at) {
      EntrySummary summary =
          summarize(rows[at].facts, *rows[at].facts.entry(entryName));
      modes.push_back(
          {modeOf(rows[at].facts), summary.peak, summary.recomputedShare()});
    }
    std::string beaten = describeBeaten(modes);
    text += beaten.empty() ? "" : "\n" + beaten;
  }
  return text;
}

static rt::Status checkEntries(const std::vector<PlanRow> &rows,
                               const std::string &entryName) {
  for (const PlanRow &row : rows) {
    if (row.facts.entry(entryName))
      continue;
    return noEntry(row.source, entryName, row.facts);
  }
  return {};
}

/// Returns true if the plan is one for a budget, without the times of ranks;
/// rejects options that contradict it.
static rt::Expected<bool> isBudgetPlan(const PlanCommandOptions &options) {
  const BudgetPlanOptions &budget = options.budget;
  bool wanted = budget.sweep || budget.maxBatch || options.compile.budget;
  if (!wanted && !budget.output.empty())
    return misuse(
        "-o names the file for the picture of a --sweep; give --sweep as well");
  if (!wanted)
    return false;
  if (options.entry != "train_step")
    return misuse(
        "a budget applies to the training step only; leave out --entry");
  if (options.byModule)
    return misuse("--by-module shows programs; compile with the budget and "
                  "plan the artifact");
  if (!options.link.empty() && (budget.sweep || budget.maxBatch))
    return misuse("--link shows one step; leave out --sweep and --max-batch");
  return options.link.empty();
}

static rt::Status planAll(const PlanCommandOptions &options) {
  if (options.process && options.compare)
    return misuse("--process and --compare are both given; keep one of them");
  if (options.process)
    return planProcesses(options.sources, options.data, options.model,
                         options.compile, options.json);
  if (options.compare && (options.budget.sweep || options.budget.maxBatch))
    return misuse("--compare cannot be combined with --sweep or --max-batch; "
                  "keep one of them");
  if (options.compare && !options.budget.output.empty())
    return misuse(
        "-o names the file for the picture of a --sweep; give --sweep as well");
  if (options.compare)
    return comparePlans(options.sources, options.model, options.compile,
                        options.json);
  REPRISE_EXPECT(forBudget, isBudgetPlan(options));
  if (*forBudget)
    return planBudgets(options.sources, options.model, options.compile,
                       options.budget);
  std::optional<rt::Link> link;
  if (!options.link.empty()) {
    rt::Expected<rt::Link> given = readLink(options.link);
    if (!given.ok())
      return misuse(given.status().message());
    link = *given;
  }
  std::vector<PlanRow> rows;
  for (const std::string &source : options.sources)
    REPRISE_RETURN_IF_ERROR(planSource(options, source, rows));
  REPRISE_RETURN_IF_ERROR(checkEntries(rows, options.entry));
  if (options.json) {
    auto json = nlohmann::ordered_json::array();
    for (const PlanRow &row : rows) {
      json.push_back(
          rowJson(row, options.entry, options.byModule, options.depth));
      if (link)
        json.back()["scaling"] =
            scalingJson(*row.facts.entry(options.entry), *options.ranks, *link);
    }
    return printJson({{"plans", json}});
  }
  std::string text = planTable(rows, options.entry);
  text += attentionNotes(rows, options.entry) + shardNotes(rows) +
          beatenNotes(rows, options.entry);
  if (link)
    text += scalingNotes(rows, options.entry, *options.ranks, *link);
  for (const PlanRow &row : rows)
    if (auto budget = budgetFactsOf(row.source, row.facts,
                                    *row.facts.entry(options.entry)))
      text += "\n" + row.source + "\n" + toText(*budget);
  if (options.byModule)
    for (const PlanRow &row : rows)
      text += "\n" + row.source + ", checkpointing " + modeOf(row.facts) +
              "\n" +
              moduleTable(*row.facts.entry(options.entry), options.depth);
  return print(text);
}

void driver::addPlanCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *command = app.add_subcommand(
      "plan", "Shows the memory and arithmetic of a training step");
  auto options = std::make_shared<PlanCommandOptions>();
  command
      ->add_option("models", options->sources,
                   "Models of 'reprise zoo list', files of MLIR (.mlir) or "
                   "artifacts (.rpx); a model without --checkpointing is "
                   "planned in every mode")
      ->required();
  auto *entry =
      command->add_option("--entry", options->entry,
                          "The entry to show: train_step (default), eval_step");
  auto *byModule = command->add_flag("--by-module", options->byModule,
                                     "Add a table of the modules");
  command->add_option(
      "--depth", options->depth,
      "Number of names of a module's path to distinguish; 0 for all");
  command
      ->add_flag("--process", options->process,
                 "Show what the whole process will hold when 'reprise train' "
                 "runs the model, item by item")
      ->excludes(entry)
      ->excludes(byModule);
  command
      ->add_option("--data", options->data,
                   "With --process: the data it will read (default: "
                   "synthetic)")
      ->type_name("DIR|FILE|synthetic");
  command
      ->add_flag("--compare", options->compare,
                 "Show how much each checkpointing mode and the --budget save "
                 "of the peak without recomputation, and the time they add")
      ->excludes(entry)
      ->excludes(byModule);
  command->add_flag("--sweep", options->budget.sweep,
                    "Show the step under every budget, compared with other "
                    "methods; with -o as a picture");
  command->add_flag("--max-batch", options->budget.maxBatch,
                    "Find the largest batch that fits the --budget");
  command
      ->add_option("-o,--output", options->budget.output,
                   "File for the picture of --sweep (.svg)")
      ->type_name("FILE")
      ->check(writtenAs({".svg"}), "");
  auto *ranks =
      command
          ->add_option("--ranks", options->ranks,
                       "Processes that will share each step; shows the memory "
                       "of one, which runs an equal part of --batch")
          ->excludes("--max-batch");
  command
      ->add_option("--link", options->link,
                   "With --ranks: what a rank can send and its latency "
                   "(12.5GB/s,20us, or a file of profile --link --json); shows "
                   "the modelled time of a step and of "
                   "its communication, by --roofline")
      ->needs(ranks)
      ->excludes("--process")
      ->excludes("--compare")
      ->type_name("RATE,LATENCY");
  SettingOptions settings(*command);
  settings.add("--reduce-bucket", options->compile.reduceBucket);
  settings.add("--overlap-memory", options->compile.overlapMemory);
  settings.addFlag("--shard-optimizer", options->compile.shardOptimizer);
  settings.addFlag("--sync-batch-norm", options->compile.syncBatchNorm);
  command->add_flag("--json", options->json, "Print JSON");
  addModelOptions(*command, options->model);
  addCompileOptions(*command, options->compile);
  addExamples(*command,
              "  reprise plan resnet50 --batch 8\n"
              "  reprise plan resnet50 --checkpointing segments=4 --by-module "
              "--depth 1\n"
              "  reprise plan resnet50 --batch 8 --compare --budget 70%\n"
              "  reprise plan resnet50 --batch 8 --budget 70%\n"
              "  reprise plan resnet50 --batch 8 --sweep -o curve.svg\n"
              "  reprise plan resnet50 --max-batch --budget 2GiB\n"
              "  reprise plan r50.rpx --process --data synthetic\n"
              "  reprise plan a.rpx b.rpx --json");
  onChosen(*command, invocation, [options] {
    options->budget.json = options->json;
    REPRISE_RETURN_IF_ERROR(
        planOneRank(options->ranks, options->model.batch, options->compile));
    return planAll(*options);
  });
}
