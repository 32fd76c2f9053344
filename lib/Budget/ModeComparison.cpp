//===- ModeComparison.cpp - What each mode saves and costs ----------------===//

#include "reprise/Budget/ModeComparison.h"
#include "reprise/Budget/ModeAdvice.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/Program/BudgetFacts.h"
#include "reprise/Runtime/Expect.h"
#include "reprise/Text/Size.h"
#include "reprise/Text/Table.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

namespace {
/// A row's mode, and whether the request's budget applies.
struct Way {
  Checkpointing mode;
  bool withBudget = false;
  bool isAsked = false; // by the user, otherwise one of a table of all
};
} // namespace

static std::vector<Way> waysOf(const ModelRequest &request) {
  std::vector<Way> ways;
  for (Checkpointing mode : comparedModes(request.compile))
    ways.push_back({mode});
  Checkpointing asked = request.compile.checkpointing;
  bool isNew = std::none_of(ways.begin(), ways.end(),
                            [&](const Way &way) { return way.mode == asked; });
  if (request.hasMode && isNew)
    ways.push_back({asked, false, true});
  if (request.compile.budget)
    ways.push_back({request.hasMode ? asked : Checkpointing(), true, true});
  return ways;
}

static rt::Expected<StepEstimate> estimate(const ModelRequest &request,
                                           const Way &way) {
  Activity activity("planning " + request.source + " (" + way.mode.text() +
                    ")");
  ModelRequest one = request;
  one.compile.checkpointing = way.mode;
  one.compile.training = true;
  one.compile.evaluation = false;
  if (!way.withBudget) {
    one.compile.budget.reset();
    one.compile.keep.clear();
  }
  Compiler compiler;
  REPRISE_RETURN_IF_ERROR(compiler.load(one.source, one.model));
  if (!way.isAsked)
    compiler.hideWarnings();
  REPRISE_RETURN_IF_ERROR(lowerRequest(compiler, one, CompileLevel::Program));
  return estimateStep(
      *compiler.module().getOps<rt_dialect::ProgramOp>().begin());
}

rt::Expected<std::vector<ComparedMode>>
driver::compareModes(const ModelRequest &request,
                     const std::string &budgetText) {
  std::vector<ComparedMode> all;
  StepEstimate without;
  for (const Way &way : waysOf(request)) {
    REPRISE_EXPECT(with, estimate(request, way));
    if (all.empty())
      without = *with;
    all.push_back({way.withBudget ? "budget " + budgetText : way.mode.text(),
                   {without, *with}});
  }
  return all;
}

static std::string signedSize(int64_t bytes) {
  return bytes < 0 ? "-" + text::formatSize(uint64_t(-bytes))
                   : text::formatSize(uint64_t(bytes));
}

std::string driver::tableOf(const std::vector<ComparedMode> &rows) {
  text::Table table({{"checkpointing", text::Align::Left},
                     {"peak"},
                     {"above fixed"},
                     {"saved"},
                     {"of the peak"},
                     {"step"},
                     {"added"}});
  std::vector<uint64_t> peaks, above;
  for (const ComparedMode &row : rows) {
    peaks.push_back(row.savings.with.peakBytes);
    above.push_back(peaks.back() - row.savings.with.fixedBytes);
  }
  std::vector<std::string> peak = text::formatSizesApart(peaks);
  std::vector<std::string> rest = text::formatSizesApart(above);
  for (size_t at = 0; at < rows.size(); ++at) {
    const MemorySavings &savings = rows[at].savings;
    table.add({rows[at].mode, peak[at], rest[at],
               signedSize(savings.savedBytes()),
               text::formatPercent(savings.savedShare()),
               formatMilliseconds(savings.with.milliseconds),
               text::formatPercent(savings.addedTime())});
  }
  return table.str();
}

std::string driver::describeBeaten(const std::vector<ComparedMode> &rows) {
  std::vector<ModeCost> costs;
  for (const ComparedMode &row : rows)
    costs.push_back({row.mode, row.savings.with.peakBytes,
                     std::max(0.0, row.savings.addedTime())});
  return describeBeaten(costs);
}

nlohmann::ordered_json driver::jsonOf(const std::string &source,
                                      const std::vector<ComparedMode> &rows) {
  auto modes = nlohmann::ordered_json::array();
  for (const ComparedMode &row : rows) {
    const MemorySavings &savings = row.savings;
    modes.push_back({{"checkpointing", row.mode},
                     {"fixed_bytes", savings.with.fixedBytes},
                     {"peak_bytes", savings.with.peakBytes},
                     {"saved_bytes", savings.savedBytes()},
                     {"saved_share", savings.savedShare()},
                     {"step_ms", savings.with.milliseconds},
                     {"added_time", savings.addedTime()}});
  }
  return {{"source", source}, {"modes", std::move(modes)}};
}
