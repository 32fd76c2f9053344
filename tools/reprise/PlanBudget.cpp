//===- PlanBudget.cpp - reprise plan --budget -----------------------------===//
//
// The plan is the one of 'reprise compile': the model is lowered in the same
// way.
//
//===----------------------------------------------------------------------===//

#include "PlanBudget.h"
#include "RequestFlags.h"
#include "reprise/Budget/BatchSearch.h"
#include "reprise/Budget/BudgetSweep.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/Console/Console.h"
#include "reprise/Console/JsonAnswer.h"
#include "reprise/Driver/KeptPlan.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;
using nlohmann::ordered_json;

namespace {
/// The results for one model.
struct BudgetReport {
  std::string text;
  ordered_json json;
  std::string picture; // of a sweep
  rt::Status refusal;  // of a sweep or in JSON, which are printed nevertheless
};
} // namespace

/// Returns the modes shown in the picture of a sweep, which has the points
/// without recomputation already.
static std::vector<std::string> modesOfPicture() {
  std::vector<std::string> modes = comparedModes();
  llvm::erase(modes, "none");
  return modes;
}

//===----------------------------------------------------------------------===//
// One budget, all budgets
//===----------------------------------------------------------------------===//

static std::string titleOf(const ModelRequest &request) {
  int64_t batch = batchOf(request);
  return request.source +
         (batch ? ", batch " + std::to_string(batch) : std::string());
}

/// Removes the budget of a sweep without a given one: the knee is only for the
/// picture.
static ordered_json withoutBudget(SweepFacts sweep) {
  sweep.budget.plan.reset();
  ordered_json json = toJson(sweep);
  for (const char *name : {"budget_bytes", "feasible"})
    json.erase(name);
  return json;
}

static rt::Status planBudget(ModelRequest request,
                             const BudgetPlanOptions &options,
                             BudgetReport &report) {
  // A sweep without a budget marks the knee.
  bool isAsked = request.compile.budget.has_value();
  if (!isAsked)
    request.compile.budget = plan::Budget{};
  std::optional<BudgetFacts> facts, refused;
  SweepFacts sweep;
  {
    Activity activity("planning " + request.source);
    Compiler compiler;
    REPRISE_RETURN_IF_ERROR(compiler.load(request.source, request.model));
    if (options.sweep) {
      // A sweep needs more plans than a cached program holds.
      REPRISE_RETURN_IF_ERROR(sweepModel(compiler, request, sweep));
      if (!sweep.budget.plan)
        refused = sweep.budget;
    } else {
      auto lowered = lowerToProgram(compiler, request);
      if (!lowered.ok())
        return lowered.status();
      refused = *lowered;
    }
    if (!refused) {
      rt::Expected<ProgramFacts> program = compiler.facts();
      if (!program.ok())
        return program.status();
      facts = budgetFactsOf(request.source, *program);
    }
  }
  if (refused && !options.sweep && !options.json)
    return refuse(request, *refused);
  if (refused && !options.sweep) {
    report.refusal = refuseShortly(request, *refused);
    report.json = refusalJson(request, *refused);
    return {};
  }
  if (!options.sweep) {
    report.text = toText(*facts);
    report.json = toJson(*facts);
    return {};
  }
  if (refused)
    report.refusal = refuse(request, *refused);
  sweep.isAsked = isAsked;
  REPRISE_RETURN_IF_ERROR(addModes(request, modesOfPicture(), sweep));
  report.text = toText(sweep);
  if (isAsked && !refused) {
    // The sweep's own plans have no bound.
    sweep.budget = *facts;
    report.text += "\n" + toText(*facts);
  }
  report.json = isAsked ? toJson(sweep) : withoutBudget(sweep);
  report.picture = toSvg(sweep, titleOf(request), batchOf(request));
  return {};
}

//===----------------------------------------------------------------------===//
// The largest batch
//===----------------------------------------------------------------------===//

static double perImage(const BatchSearch::Answer &answer) {
  return answer.plan.milliseconds / double(answer.batch);
}

static ordered_json toJson(const BatchSearch::Answer &answer) {
  ordered_json json = {{"batch", answer.batch}};
  if (answer.more)
    json["one_more"] = {{"batch", answer.more->batch},
                        {"needed_bytes", answer.more->bytes},
                        {"proven", answer.more->isProven}};
  if (answer.batch == 0)
    return json;
  json["peak_bytes"] = answer.plan.bytes;
  json["step_ms"] = answer.plan.milliseconds;
  json["recomputed_share"] =
      std::max(0.0, answer.plan.milliseconds / answer.plain.milliseconds - 1);
  json["ms_per_image"] = perImage(answer);
  return json;
}

static std::string describe(const BatchSearch::Answer &answer) {
  if (answer.batch == 0)
    return "none: not one image fits";
  double share = answer.plan.milliseconds / answer.plain.milliseconds - 1;
  return std::to_string(answer.batch) + ", peak " +
         text::formatSize(answer.plan.bytes) + " (" +
         std::to_string(answer.plan.bytes) + " bytes), step " +
         formatMilliseconds(answer.plan.milliseconds) + " (" +
         formatMore(share) + "), " + formatMilliseconds(perImage(answer)) +
         " an image";
}

/// Describes why one more image does not fit.
static std::string describe(const BatchSearch::Refused &more) {
  return std::to_string(more.batch) +
         (more.isProven ? " cannot fit: no schedule exists below "
                        : " do not fit: the smallest plan found takes ") +
         text::formatSize(more.bytes) + " (" + std::to_string(more.bytes) +
         " bytes)";
}

static rt::Status planBatch(const ModelRequest &request, BudgetReport &report) {
  if (optionsOf(request.source) == frontend::Options::None)
    return misuse("'" + request.source +
                  "' fixes the number of images of a step; --max-batch is for "
                  "models that take --batch");
  const std::optional<plan::Budget> &asked = request.compile.budget;
  if (!asked || asked->kind != plan::Budget::Kind::Bytes)
    return misuse("--max-batch needs a --budget in bytes, as 2GiB");
  if (request.model.batch)
    return misuse("--max-batch looks for the batch; leave out --batch");
  constexpr int64_t limit = 65536;
  BatchSearch search(request, asked->bytes);
  rt::Expected<BatchSearch::Answer> best = search.largest(limit);
  if (!best.ok())
    return best.status();
  rt::Expected<BatchSearch::Answer> plain = search.largestPlain(limit);
  if (!plain.ok())
    return plain.status();
  text::Facts lines;
  lines.add("budget", text::formatSize(asked->bytes) + " (" +
                          std::to_string(asked->bytes) + " bytes)");
  lines.add("largest batch", describe(*best));
  if (best->more)
    lines.add("one more", describe(*best->more));
  lines.add("without recomputation", describe(*plain));
  if (best->batch && plain->batch)
    lines.add("an image takes",
              formatMore(perImage(*best) / perImage(*plain) - 1) +
                  " of the time in the larger batch");
  report.text = lines.str();
  report.json = {{"source", request.source},
                 {"budget_bytes", asked->bytes},
                 {"largest", toJson(*best)},
                 {"without_recomputation", toJson(*plain)}};
  return {};
}

//===----------------------------------------------------------------------===//
// All models
//===----------------------------------------------------------------------===//

/// Takes the answer from the cache if it is there; refusals are not cached.
static rt::Status answer(const ModelRequest &request,
                         const BudgetPlanOptions &options,
                         BudgetReport &report) {
  rt::Expected<KeptAnswer> kept =
      KeptAnswer::of(request, options.sweep ? "sweep" : "largest batch");
  if (!kept.ok())
    return kept.status();
  std::optional<std::string> text = kept->find();
  auto found = ordered_json::parse(text.value_or(""), nullptr, false);
  if (found.is_object()) {
    report.text = found.value("text", "");
    report.json = found["json"];
    report.picture = found.value("picture", "");
    return {};
  }
  REPRISE_RETURN_IF_ERROR(options.sweep ? planBudget(request, options, report)
                                        : planBatch(request, report));
  if (report.refusal.ok())
    kept->keep(ordered_json{{"text", report.text},
                            {"json", report.json},
                            {"picture", report.picture}}
                   .dump());
  return {};
}

static rt::Status planOne(const ModelRequest &request,
                          const BudgetPlanOptions &options,
                          BudgetReport &report) {
  if (!options.sweep && !options.maxBatch)
    return planBudget(request, options, report);
  REPRISE_RETURN_IF_ERROR(answer(request, options, report));
  if (options.output.empty())
    return {};
  REPRISE_RETURN_IF_ERROR(writeText(options.output, report.picture));
  report.text += "\nwritten  " + options.output + "\n";
  return {};
}

rt::Status driver::planBudgets(const std::vector<std::string> &sources,
                               const ModelFlags &model,
                               const CompileFlags &compile,
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
  auto all = ordered_json::array();
  std::string text;
  rt::Status refusal;
  for (const std::string &source : sources) {
    rt::Expected<ModelRequest> request = readRequest(source, model, compile);
    if (!request.ok())
      return request.status();
    // The plans of all methods are for the bare model.
    if (options.sweep && !compile.hasCheckpointing())
      request->compile.checkpointing = "none";
    if (options.maxBatch && !compile.hasCheckpointing())
      request->compile.checkpointing = "none";
    BudgetReport report;
    REPRISE_RETURN_IF_ERROR(planOne(*request, options, report));
    text += (text.empty() ? "" : "\n") +
            (sources.size() > 1 ? source + "\n" : std::string()) + report.text;
    all.push_back(std::move(report.json));
    refusal = refusal.ok() ? report.refusal : refusal;
  }
  ordered_json answer = {{"plans", all}};
  if (!refusal.ok())
    answer["error"] = refusal.message();
  REPRISE_RETURN_IF_ERROR(options.json ? printJson(answer) : print(text));
  return refusal;
}
