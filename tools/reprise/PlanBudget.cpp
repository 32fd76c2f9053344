//===- PlanBudget.cpp - Plans of budgets, modes and processes -------------===//

#include "PlanBudget.h"
#include "reprise/Budget/ModeComparison.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Report/ProcessTable.h"
#include "reprise/Run/RunOptions.h"
#include "reprise/Runtime/Expect.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

rt::Status driver::planBudgets(const std::vector<std::string> &sources,
                               const ModelSettings &model,
                               const CompileSettings &compile,
                               const BudgetPlanOptions &options) {
  if (options.sweep && options.maxBatch)
    return misuse("--sweep and --max-batch are both given; keep one of them");
  if (!options.output.empty() && !options.sweep)
    return misuse(
        "-o names the file for the picture of a --sweep; give --sweep as well");
  if (!options.output.empty() && sources.size() > 1)
    return misuse("-o takes the picture of one model; name one");
  if (!options.output.empty())
    REPRISE_RETURN_IF_ERROR(
        checkOutput(options.output, {fileOf(sources.front())}));
  auto all = nlohmann::ordered_json::array();
  std::string text;
  rt::Status refusal;
  for (const std::string &source : sources) {
    REPRISE_EXPECT(request, readRequest(source, model, compile));
    // The plans of all methods are for the bare model.
    if ((options.sweep || options.maxBatch) && !compile.checkpointing)
      request->compile.checkpointing = {};
    REPRISE_EXPECT(report, reportBudget(*request, options));
    text += (text.empty() ? "" : "\n") +
            (sources.size() > 1 ? source + "\n" : std::string()) + report->text;
    all.push_back(std::move(report->json));
    refusal = refusal.ok() ? report->refusal : refusal;
  }
  nlohmann::ordered_json answer = {{"plans", all}};
  if (!refusal.ok())
    answer["error"] = refusal.message();
  REPRISE_RETURN_IF_ERROR(options.json ? printJson(answer) : print(text));
  return refusal;
}

static constexpr const char *kLegend =
    "\npeak: of the arena, fixed bytes (parameters, optimizer state, "
    "constants) included; saved:\nof the peak of none; step: predicted, by a "
    "roofline or a profile; added: of the step of none\n";

rt::Status driver::comparePlans(const std::vector<std::string> &sources,
                                const ModelSettings &model,
                                const CompileSettings &compile, bool json) {
  auto all = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string &source : sources) {
    REPRISE_EXPECT(request, readRequest(source, model, compile));
    if (!request->compile.recompute.empty())
      return misuse("--compare compares modes for the whole model; leave out "
                    "--recompute");
    REPRISE_EXPECT(rows, compareModes(*request, compile.budget.value_or("")));
    text += (text.empty() ? "" : "\n") + source + "\n" + tableOf(*rows);
    std::string beaten = describeBeaten(*rows);
    text += beaten.empty() ? "" : "\n" + beaten;
    all.push_back(jsonOf(source, *rows));
  }
  return json ? printJson({{"plans", all}}) : print(text + kLegend);
}

rt::Status driver::planProcesses(const std::vector<std::string> &sources,
                                 const std::string &data,
                                 const ModelSettings &model,
                                 const CompileSettings &compile, bool json) {
  auto plans = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string &source : sources) {
    RunOptions flags;
    flags.source = source;
    flags.data = data;
    flags.model = model;
    flags.compile = compile;
    REPRISE_RETURN_IF_ERROR(flags.read());
    REPRISE_EXPECT(prepared, prepareRun(flags, RunRequest()));
    plans.push_back({{"source", source}, {"data", data}});
    addProcessJson(prepared->memory, plans.back());
    text += (text.empty() ? "" : "\n") + source + ", data " + data + "\n" +
            processTable(prepared->memory);
  }
  return json ? printJson({{"plans", plans}}) : print(text);
}
