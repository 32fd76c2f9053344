//===- BatchSearch.cpp - Batches that fit a budget ------------------------===//
//
// Bytes grow with the batch nearly as a line does, so the search guesses on the
// line through the two batches it is between. Guesses use a quick curve; what
// is said in the end is checked by the effort of a compilation.
//
//===----------------------------------------------------------------------===//

#include "BatchSearch.h"
#include "Console.h"
#include "Refusal.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::tools;

/// Of the searches for schedules; bounds and placement stay.
static constexpr double kQuickWork = 0.02;

rt::Expected<const BatchSearch::Probe *> BatchSearch::probe(int64_t batch,
                                                            bool quick) {
  auto [known, isNew] = probes.try_emplace({batch, quick});
  if (!isNew)
    return &known->second;
  Activity activity("planning " + request.source + " with a batch of " +
                    std::to_string(batch));
  ModelRequest one = request;
  one.model.batch = batch;
  double work = one.compile.planWork;
  rt::Expected<PlannedRequest> planned =
      planRequest(one, quick ? work * kQuickWork : work);
  if (!planned.ok()) {
    probes.erase(known);
    return planned.status();
  }
  BudgetPlans &plans = *planned->plans;
  Probe &result = known->second;
  result.plain = pointFactsOf(plans.plain());
  result.ops = plans.own().problem.graph.ops.size();
  if (quick) {
    // A guess needs no modes' kernels.
    BudgetCurve &own = plans.own();
    uint32_t least = own.smallest();
    result.smallest = {own.totalBytes(least),
                       own.points[least].solution.milliseconds, ""};
    result.provenBytes = own.provenBytes().bytes;
  } else {
    std::optional<PlanChoice> choice = plans.chooseClosely(budget);
    if (std::string error = plans.checkProofs(budget, choice); !error.empty())
      return contradiction(error);
    if (choice)
      result.plan = pointFactsOf(*choice);
  }
  return &result;
}

/// By quick probes: the largest batch of which the smallest plan, or the one
/// without recomputation, is within the budget.
rt::Expected<int64_t> BatchSearch::bisect(int64_t limit, bool isPlain) {
  int64_t low = 0, high = 0; // fits, does not
  uint64_t lowBytes = 0, highBytes = 0;
  if (limit < 1)
    return 0;
  int64_t next = std::clamp<int64_t>(batchOf(request), 1, limit);
  for (int round = 0; high == 0 || high - low > 1; ++round) {
    rt::Expected<const Probe *> probed = probe(next, true);
    if (!probed.ok())
      return probed.status();
    uint64_t bytes = (isPlain ? (*probed)->plain : (*probed)->smallest).bytes;
    if (bytes <= budget) {
      low = next;
      lowBytes = bytes;
      if (low == limit)
        return low;
      if (high == 0) {
        next = std::min(low * 2, limit);
        continue;
      }
    } else {
      high = next;
      highBytes = bytes;
    }
    if (low == 0) {
      next = std::max<int64_t>(1, high / 2);
      continue;
    }
    double share = double(budget - lowBytes) / double(highBytes - lowBytes);
    if (round > 12)
      share = 0.5;
    next = std::clamp<int64_t>(low + int64_t(share * double(high - low)),
                               low + 1, high - 1);
  }
  return low;
}

/// As many looks as it takes.
static constexpr uint32_t kAllLooks = UINT32_MAX;

/// From a guess by full effort: steps that double until the answer changes,
/// then halves; with few looks halves at once.
rt::Expected<BatchSearch::Answer>
BatchSearch::confirm(int64_t guess, int64_t limit, uint32_t looks) {
  Answer answer;
  int64_t low = 0, high = limit + 1; // fits, does not
  // More effort may fit the one image that a quick look refused.
  int64_t next = std::clamp<int64_t>(guess, 1, std::max<int64_t>(limit, 1));
  bool isShort = looks != kAllLooks;
  for (int64_t step = 1; high - low > 1 && looks > 0; step *= 2, --looks) {
    rt::Expected<const Probe *> checked = probe(next, false);
    if (!checked.ok())
      return checked.status();
    if (const std::optional<PointFacts> &plan = (*checked)->plan) {
      low = next;
      answer = {low, *plan, (*checked)->plain};
    } else {
      high = next;
    }
    bool isBetween = isShort || (low > 0 && high <= limit);
    next = isBetween  ? low + (high - low) / 2
           : low == 0 ? std::max<int64_t>(1, high - step)
                      : std::min(limit, low + step);
  }
  return answer;
}

rt::Expected<BatchSearch::Answer> BatchSearch::largest(int64_t limit) {
  rt::Expected<int64_t> guess = bisect(limit, false);
  if (!guess.ok())
    return guess.status();
  return confirm(*guess, limit, kAllLooks);
}

rt::Expected<BatchSearch::Answer> BatchSearch::offer(int64_t limit) {
  rt::Expected<int64_t> guess = bisect(limit, false);
  if (!guess.ok())
    return guess.status();
  rt::Expected<const Probe *> known = probe(std::max<int64_t>(*guess, 1), true);
  if (!known.ok())
    return known.status();
  if ((*known)->provenBytes > budget)
    return Answer();
  constexpr size_t manyOps = 500;
  constexpr uint32_t fewLooks = 2;
  return confirm(*guess, limit, (*known)->ops < manyOps ? kAllLooks : fewLooks);
}

rt::Expected<BatchSearch::Answer> BatchSearch::largestPlain(int64_t limit) {
  rt::Expected<int64_t> batch = bisect(limit, true);
  if (!batch.ok())
    return batch.status();
  Answer answer;
  if (*batch == 0)
    return answer;
  rt::Expected<const Probe *> found = probe(*batch, true);
  if (!found.ok())
    return found.status();
  answer = {*batch, (*found)->plain, (*found)->plain};
  return answer;
}
