//===- BudgetReport.cpp - The effect of a budget on a model ---------------===//
//
// The plan is the one of 'reprise compile': the model is lowered in the same
// way.
//
//===----------------------------------------------------------------------===//

#include "reprise/Budget/BudgetReport.h"
#include "reprise/Budget/BatchSearch.h"
#include "reprise/Budget/BudgetSweep.h"
#include "reprise/Budget/ModeAdvice.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/KeptPlan.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"

using namespace reprise;
using namespace reprise::driver;
using nlohmann::ordered_json;

/// Returns the modes shown in the picture of a sweep, which has the points
/// without recomputation already.
static std::vector<Checkpointing>
modesOfPicture(const CompileOptions &compile) {
  std::vector<Checkpointing> modes = comparedModes(compile);
  llvm::erase(modes, Checkpointing());
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
      REPRISE_EXPECT(lowered, lowerToProgram(compiler, request));
      refused = *lowered;
    }
    if (!refused) {
      REPRISE_EXPECT(program, compiler.facts());
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
  REPRISE_RETURN_IF_ERROR(
      addModes(request, modesOfPicture(request.compile), sweep));
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
  REPRISE_EXPECT(best, search.largest(limit));
  REPRISE_EXPECT(plain, search.largestPlain(limit));
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
  REPRISE_EXPECT(
      kept, KeptAnswer::of(request, options.sweep ? "sweep" : "largest batch"));
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

rt::Expected<BudgetReport>
driver::reportBudget(const ModelRequest &request,
                     const BudgetPlanOptions &options) {
  BudgetReport report;
  if (!options.sweep && !options.maxBatch) {
    REPRISE_RETURN_IF_ERROR(planBudget(request, options, report));
    return report;
  }
  REPRISE_RETURN_IF_ERROR(answer(request, options, report));
  if (options.output.empty())
    return report;
  REPRISE_RETURN_IF_ERROR(writeText(options.output, report.picture));
  report.text += "\nwritten  " + options.output + "\n";
  return report;
}
