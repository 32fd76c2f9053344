//===- BatchSearch.cpp - Find batches that fit a budget -------------------===//
//
// Bytes grow with the batch almost linearly from those of variables and
// constants, so each trial predicts the next batch to try, and the last two are
// neighbours. A trial ends with the first schedule within the budget, or with a
// proof that there is none; only the plan of the answer is computed like a
// compilation's.
//
//===----------------------------------------------------------------------===//

#include "reprise/Budget/BatchSearch.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/Runtime/Expect.h"
#include <algorithm>

using namespace reprise;
using namespace reprise::driver;

ModelRequest BatchSearch::of(int64_t batch) const {
  ModelRequest one = request;
  one.model.batch = batch;
  return one;
}

//===----------------------------------------------------------------------===//
// One batch
//===----------------------------------------------------------------------===//

/// Tries to find a schedule within the budget.
BatchSearch::Look BatchSearch::lookWithin(BudgetPlans &plans) {
  Look result;
  std::optional<PlanChoice> choice = plans.chooseWithin(kernels);
  result.fits = choice.has_value();
  if (choice)
    kernels = choice->kernels->mode;
  uint64_t proven = plans.provenBytes().bound.bytes;
  uint64_t fixed = plans.own().fixedBytes;
  result.isProven = !result.fits && proven > budget;
  result.refused = proven;
  if (!result.fits && !result.isProven) {
    result.refused = plans.smallest().bytes();
    overProof = double(result.refused - fixed) /
                double(std::max<uint64_t>(proven - fixed, 1));
  }
  result.needs = fixed + uint64_t(double(proven - fixed) * overProof);
  return result;
}

rt::Expected<const BatchSearch::Look *> BatchSearch::look(int64_t batch,
                                                          Kind kind) {
  auto [known, isNew] = looks.try_emplace({batch, kind});
  if (!isNew)
    return &known->second;
  Activity activity("planning " + request.source + " with a batch of " +
                    std::to_string(batch));
  bool isPlain = kind == Kind::Plain;
  rt::Expected<PlannedRequest> planned = planRequest(
      of(batch), isPlain ? kNoSearch : request.compile.planWork, budget);
  if (!planned.ok()) {
    looks.erase(known);
    return planned.status();
  }
  BudgetPlans &plans = *planned->plans;
  PointFacts plain = pointFactsOf(plans.plain());
  Look &result = known->second;
  if (isPlain) {
    result.fits = plain.bytes <= budget;
    result.needs = result.refused = plain.bytes;
  } else {
    result = lookWithin(plans);
  }
  result.fixed = plans.own().fixedBytes;
  result.plain = plain;
  return &result;
}

/// Plans as 'reprise compile' does; returns no batch if that finds nothing.
rt::Expected<BatchSearch::Answer> BatchSearch::plan(int64_t batch) {
  Activity activity("planning " + request.source + " with a batch of " +
                    std::to_string(batch));
  REPRISE_EXPECT(planned, planRequest(of(batch), request.compile.planWork));
  BudgetPlans &plans = *planned->plans;
  std::optional<PlanChoice> choice = plans.chooseClosely(budget);
  if (std::string error = plans.checkProofs(budget, choice); !error.empty())
    return contradiction(error);
  if (choice)
    return Answer{batch, pointFactsOf(*choice), pointFactsOf(plans.plain()),
                  refusedAt(batch + 1, Kind::Least)};
  // These plans do not include the schedules found before.
  Look &refused = looks[{batch, Kind::Least}];
  refused.fits = false;
  refused.refused = plans.smallest().bytes();
  return Answer();
}

std::optional<BatchSearch::Refused> BatchSearch::refusedAt(int64_t batch,
                                                           Kind kind) const {
  auto known = looks.find({batch, kind});
  if (known == looks.end())
    return std::nullopt;
  return Refused{batch, known->second.refused, known->second.isProven};
}

//===----------------------------------------------------------------------===//
// The largest one
//===----------------------------------------------------------------------===//

/// Returns a batch that fits, while one more does not, or `limit`; 0 if one
/// image does not fit. Tries `next` first.
rt::Expected<int64_t> BatchSearch::crossing(int64_t limit, Kind kind,
                                            int64_t next) {
  constexpr int manyLooks = 8;
  int64_t low = 0, high = std::max<int64_t>(limit, 0) + 1; // fits, does not
  int64_t stride = 1;
  for (int round = 0; high - low > 1; ++round) {
    next = std::clamp(next, low + 1, high - 1);
    REPRISE_EXPECT(looked, look(next, kind));
    const Look &found = **looked;
    (found.fits ? low : high) = next;
    double each = double(found.needs - found.fixed) / double(next);
    double free = double(budget) - double(found.fixed);
    next = std::clamp(free / std::max(each, 1.0), 0.0, double(limit));
    // Ignores an estimate that contradicts a trial.
    bool isContradicted = found.fits ? next > high : next < low;
    if (isContradicted && high <= limit)
      next = low + (high - low) / 2;
    // The bytes of a trial that fits are an upper limit of its need.
    if (found.fits && next < low + std::max(stride, low / 64)) {
      next = std::max(next, low + stride);
      stride = std::max(stride * 4, low / 64);
    }
    // Halves the interval: workspaces of libraries are not linear.
    if (round >= manyLooks)
      next = high > limit ? low * 2 : low + (high - low) / 2;
  }
  return low;
}

rt::Expected<BatchSearch::Answer> BatchSearch::largest(int64_t limit) {
  for (;;) {
    REPRISE_EXPECT(batch, crossing(limit, Kind::Least, batchOf(request)));
    if (*batch == 0) {
      Answer none;
      none.more = refusedAt(1, Kind::Least);
      return none;
    }
    rt::Expected<Answer> answer = plan(*batch);
    if (!answer.ok() || answer->batch)
      return answer;
  }
}

rt::Expected<int64_t> BatchSearch::largestFound(int64_t limit, int64_t guess) {
  return crossing(limit, Kind::Least, guess);
}

rt::Expected<BatchSearch::Answer> BatchSearch::largestPlain(int64_t limit) {
  REPRISE_EXPECT(batch, crossing(limit, Kind::Plain, batchOf(request)));
  Answer answer;
  answer.more = refusedAt(*batch + 1, Kind::Plain);
  if (*batch == 0)
    return answer;
  REPRISE_EXPECT(found, look(*batch, Kind::Plain));
  answer.batch = *batch;
  answer.plan = answer.plain = (*found)->plain;
  return answer;
}
