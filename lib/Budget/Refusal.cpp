//===- Refusal.cpp - A budget that cannot be met --------------------------===//
//
// The short form reports only the two numbers, for runs that continue without
// the budget. The long form also lists ways out, best first: a slightly larger
// budget, which changes nothing else, or enough for no recomputation if that is
// hardly more; a smaller batch; no momentum, which takes memory too; and if
// none of these fit, enough for no recomputation. No two are the same.
//
//===----------------------------------------------------------------------===//

#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/Driver/KeptPlan.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <nlohmann/json.hpp>

using namespace reprise;
using namespace reprise::driver;

/// The number of values that a refusal names.
static constexpr size_t kPinned = 5;

namespace {
struct Alternative {
  std::string flags; // to paste
  /// Nothing if only a schedule was searched for.
  std::optional<PointFacts> plan = std::nullopt;
  double more = 0; // of the step's time, over no recomputation
};
} // namespace

static double moreThan(const PointFacts &plan, const PointFacts &plain) {
  return plain.milliseconds > 0 ? plan.milliseconds / plain.milliseconds - 1
                                : 0;
}

/// Returns a larger budget, by epochs if the run's modes are given by epochs.
static Alternative moreBudget(const ModelRequest &request,
                              const BudgetFacts &facts, uint64_t bytes,
                              const PointFacts &point) {
  std::string flags = request.isScheduled ? "budget=" + budgetText(bytes) +
                                                " in --checkpointing-schedule"
                                          : "--budget " + budgetText(bytes);
  return {flags, point, moreThan(point, facts.plain)};
}

/// Returns the budget in bytes, since a share of another step would be other
/// bytes.
static std::string sameBudget(const ModelRequest &request,
                              const BudgetFacts &facts) {
  const std::optional<plan::Budget> &asked = request.compile.budget;
  bool isBytes = !asked || asked->kind == plan::Budget::Kind::Bytes;
  if (isBytes)
    return "";
  std::string bytes = std::to_string(facts.asked);
  return request.isScheduled
             ? " with budget=" + bytes + " in --checkpointing-schedule"
             : " --budget " + bytes;
}

/// Returns a smaller batch; nothing if one image is too much. Its plan is not
/// searched for, which would take as long as the refused one.
static std::optional<Alternative> smallerBatch(const ModelRequest &request,
                                               const BudgetFacts &facts) {
  int64_t batch = batchOf(request);
  if (batch < 2)
    return std::nullopt;
  double each = double(facts.smallest.bytes - facts.fixed) / double(batch);
  double left = double(facts.asked) - double(facts.fixed);
  rt::Expected<int64_t> found =
      BatchSearch(request, facts.asked)
          .largestFound(batch - 1, int64_t(left / std::max(each, 1.0)));
  if (!found.ok() || *found == 0)
    return std::nullopt;
  return Alternative{"--batch " + std::to_string(*found) +
                     sameBudget(request, facts)};
}

/// Returns the plan of another request within the same budget; nothing if it
/// has none.
static std::optional<Alternative> sameBudgetWith(const std::string &flags,
                                                 const ModelRequest &request,
                                                 const BudgetFacts &facts) {
  // The proof needs no search.
  {
    rt::Expected<PlannedRequest> proof = planRequest(request, kNoSearch);
    if (!proof.ok() || proof->plans->provenBytes().bound.bytes > facts.asked)
      return std::nullopt;
  }
  rt::Expected<PlannedRequest> planned =
      planRequest(request, request.compile.planWork);
  if (!planned.ok())
    return std::nullopt;
  std::optional<PlanChoice> choice = planned->plans->choose(facts.asked);
  if (!choice)
    return std::nullopt;
  PointFacts plan = pointFactsOf(*choice);
  return Alternative{flags + sameBudget(request, facts), plan,
                     moreThan(plan, pointFactsOf(planned->plans->plain()))};
}

/// Returns sums over ranks of fewer bytes at once, whose copies take less
/// memory; the bits stay the same.
static std::optional<Alternative> smallerSums(ModelRequest request,
                                              const BudgetFacts &facts) {
  constexpr uint64_t kSmall = 4 << 10;
  if (request.compile.ranks < 2 || request.compile.bucketBytes <= kSmall)
    return std::nullopt;
  request.compile.bucketBytes = kSmall;
  return sameBudgetWith("--reduce-bucket 4KiB", request, facts);
}

static std::optional<Alternative> noMomentum(ModelRequest request,
                                             const BudgetFacts &facts) {
  HyperparameterValues &values = request.compile.optimizer.values;
  bool hasMomentum = request.compile.optimizer.kind == OptimizerKind::Sgd &&
                     values["momentum"] != 0;
  bool needsMomentum = values.count("nesterov");
  if (!hasMomentum || needsMomentum)
    return std::nullopt;
  values["momentum"] = 0;
  return sameBudgetWith("--momentum 0", request, facts);
}

static std::vector<Alternative> findAlternatives(const ModelRequest &request,
                                                 const BudgetFacts &facts) {
  Activity activity("looking for ways out");
  bool hasHost = facts.smallestWithHost.has_value();
  uint64_t smallest =
      hasHost ? facts.smallestWithHost->bytes : facts.smallest.bytes;
  const PointFacts &rounded = hasHost ? *facts.smallestWithHost : facts.rounded;
  // A hundredth more memory costs less than recomputing.
  uint64_t least = rounded.bytes;
  bool isAll = facts.plain.bytes <= least + least / 100;
  Alternative all = moreBudget(request, facts, facts.plain.bytes, facts.plain);
  std::vector<Alternative> ways = {
      isAll ? all : moreBudget(request, facts, smallest, rounded)};
  std::optional<Alternative> second = smallerSums(request, facts);
  if (!second)
    second = smallerBatch(request, facts);
  if (!second)
    second = noMomentum(request, facts);
  if (!second && !isAll)
    second = all;
  if (second)
    ways.push_back(*second);
  return ways;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string sizeAndBytes(uint64_t bytes) {
  return text::formatSize(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

/// Lists the values that live at once, which add up to the proven bytes.
static std::string describePinned(const BudgetFacts &facts) {
  if (facts.pinned.empty())
    return "";
  text::Table table({{"", text::Align::Left},
                     {""},
                     {"", text::Align::Left},
                     {"", text::Align::Left}});
  size_t shown = std::min<size_t>(kPinned, facts.pinned.size());
  uint64_t rest = facts.provenBytes - facts.provenFixed;
  for (size_t at = 0; at < shown; ++at) {
    const ValueFacts &value = facts.pinned[at];
    table.add({"   ", text::formatSize(value.bytes), value.name, value.module});
    rest -= std::min(rest, value.bytes);
  }
  if (size_t others = facts.pinned.size() - shown)
    table.add(
        {"   ", text::formatSize(rest),
         "in " + std::to_string(others) + (others == 1 ? " other" : " others"),
         ""});
  std::string text = table.str();
  // Removes the titles.
  text.erase(0, text.find('\n') + 1);
  return "  pinned  by '" + facts.provenAt + "', in addition to " +
         text::formatSize(facts.provenFixed) +
         " of variables and constants:\n" + text;
}

static std::string describe(const std::vector<Alternative> &ways) {
  text::Table table(
      {{"", text::Align::Left}, {"", text::Align::Left}, {""}, {""}});
  for (size_t at = 0; at < ways.size(); ++at) {
    const Alternative &way = ways[at];
    std::string peak, step;
    if (way.plan) {
      peak = "peak " + text::formatSize(way.plan->bytes);
      step = "step " + formatMilliseconds(way.plan->milliseconds) + " (" +
             formatMore(way.more) + ")";
    }
    table.add({"    " + std::to_string(at + 1) + ".", way.flags, peak, step});
  }
  std::string text = table.str();
  text.erase(0, text.find('\n') + 1);
  return "  ways out (the share is over the step without recomputation):\n" +
         text;
}

/// Returns what host memory adds to the smallest budget, "" without any.
static std::string withHost(const BudgetFacts &facts) {
  if (!facts.smallestWithHost)
    return "";
  return " without host memory\n          " +
         sizeAndBytes(facts.smallestWithHost->bytes) +
         " is the smallest found with it, and " +
         sizeAndBytes(facts.hostBytesOfSmallest) + " on the host";
}

rt::Status driver::refuse(const ModelRequest &request,
                          const BudgetFacts &facts) {
  std::string message = "'" + request.source + "' cannot be trained in " +
                        sizeAndBytes(facts.asked) + "\n  needed  " +
                        sizeAndBytes(facts.smallest.bytes) +
                        " is the smallest budget found" + withHost(facts) +
                        "\n  proven  no schedule of the "
                        "kernels as formed exists below " +
                        sizeAndBytes(facts.provenBytes) + ", " +
                        text::formatFixed(facts.provenShare() * 100, 2) +
                        "% less\n" + describePinned(facts) +
                        describe(findAlternatives(request, facts));
  message.pop_back(); // the last line end
  return invalid(message);
}

nlohmann::ordered_json driver::refusalJson(const ModelRequest &request,
                                           const BudgetFacts &facts) {
  nlohmann::ordered_json json = toJson(facts);
  json["ways_out"] = nlohmann::ordered_json::array();
  for (const Alternative &way : findAlternatives(request, facts)) {
    nlohmann::ordered_json line = {{"flags", way.flags}};
    if (way.plan) {
      line["bytes"] = way.plan->bytes;
      line["milliseconds"] = way.plan->milliseconds;
      line["more"] = way.more;
    }
    json["ways_out"].push_back(std::move(line));
  }
  return json;
}

rt::Status driver::refuseShortly(const ModelRequest &request,
                                 const BudgetFacts &facts) {
  return invalid("'" + request.source + "' cannot be trained in " +
                 sizeAndBytes(facts.asked) + "; " +
                 sizeAndBytes(facts.smallest.bytes) +
                 " is the smallest budget found");
}

rt::Expected<std::optional<BudgetFacts>>
driver::lowerToProgram(Compiler &compiler, const ModelRequest &request) {
  const CompileOptions &options = request.compile;
  std::optional<BudgetFacts> refused;
  if (!options.budget || !options.training) {
    REPRISE_RETURN_IF_ERROR(compiler.lower(options, CompileLevel::Program));
    return refused;
  }
  std::optional<KeptPlan> kept;
  if (options.planWork > 0) {
    REPRISE_EXPECT(found, KeptPlan::of(request, compiler));
    if (found->recall(compiler, options))
      return refused;
    kept = std::move(*found);
  }
  REPRISE_EXPECT(planned, compiler.planWithin(options));
  if (!planned->answer.isMet()) {
    refused = budgetFactsOf(request.source, planned->plans,
                            planned->answer.bytes, options.host);
    return refused;
  }
  REPRISE_RETURN_IF_ERROR(compiler.lowerPlanned(*planned, options));
  if (kept)
    kept->keep(compiler);
  return refused;
}

rt::Status driver::lowerLoaded(Compiler &compiler, const ModelRequest &request,
                               CompileLevel level, Advice advice) {
  if (level != CompileLevel::Program)
    return compiler.lower(request.compile, level);
  rt::Expected<std::optional<BudgetFacts>> refused =
      lowerToProgram(compiler, request);
  if (!refused.ok() || !*refused)
    return refused.status();
  return advice == Advice::Alternatives ? refuse(request, **refused)
                                        : refuseShortly(request, **refused);
}

rt::Status driver::lowerRequest(Compiler &compiler, const ModelRequest &request,
                                CompileLevel level) {
  REPRISE_RETURN_IF_ERROR(compiler.load(request.source, request.model));
  return lowerLoaded(compiler, request, level, Advice::Alternatives);
}

rt::Status driver::contradiction(const std::string &error) {
  return rt::Status::error(
      RP_INTERNAL,
      "the planner contradicts itself, please report it: " + error);
}
