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
#include <algorithm>
#include <cmath>

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
BatchSearch::Look BatchSearch::lookWithin(BudgetPlans &plans, Kind kind) {
  Look result;
  bool isKnown = kind == Kind::Known;
  std::optional<PlanChoice> choice = plans.chooseWithin(
      kernels.value_or(""),
      isKnown ? BudgetPlans::Reach::First : BudgetPlans::Reach::All);
  result.fits = choice.has_value();
  bool recomputes =
      choice && choice->milliseconds() > plans.plain().milliseconds();
  if (recomputes && !isKnown)
    kernels = choice->kernels->mode;
  uint64_t proven = plans.provenBytes().bound.bytes;
  uint64_t fixed = plans.own().fixedBytes;
  result.isProven = !result.fits && proven > budget;
  result.refused = proven;
  if (!result.fits && !result.isProven) {
    choice = plans.smallest();
    result.refused = choice->bytes();
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
    result = lookWithin(plans, kind);
  }
  result.fixed = plans.own().fixedBytes;
  result.plain = plain;
  return &result;
}

/// Plans as 'reprise compile' does; returns no batch if that finds nothing.
rt::Expected<BatchSearch::Answer> BatchSearch::plan(int64_t batch) {
  Activity activity("planning " + request.source + " with a batch of " +
                    std::to_string(batch));
  rt::Expected<PlannedRequest> planned =
      planRequest(of(batch), request.compile.planWork);
  if (!planned.ok())
    return planned.status();
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

/// Looks at the kernels alone that served other batches, once these are known.
rt::Expected<const BatchSearch::Look *> BatchSearch::lookQuickly(int64_t batch,
                                                                 Kind kind) {
  bool isKnown =
      kind == Kind::Least && kernels && !looks.count({batch, Kind::Least});
  return look(batch, isKnown ? Kind::Known : kind);
}

/// Predicts the largest batch that fits. Returns 0 if batches contradict each
/// other.
int64_t BatchSearch::predict(int64_t batch, const Look &found) {
  double needs = double(found.needs), per = needs - double(found.fixed);
  double each = per / double(batch), left = double(budget) - needs;
  if (found.fits)
    return int64_t(std::min(batch + left / std::max(each, 1.0), 1e9));
  // Two batches that do not fit tell the bytes of an image best.
  if (exceeding && exceeding->first != batch) {
    double more =
        (double(exceeding->second) - needs) / double(exceeding->first - batch);
    if (more <= 0)
      return 0;
    each = more;
  }
  exceeding = {batch, found.needs};
  return batch + int64_t(std::floor(left / std::max(each, 1.0)));
}

/// Narrows the interval to a batch that fits and the next one, which does not.
rt::Status BatchSearch::narrow(Interval &between, Kind kind, int64_t next) {
  auto &[low, high, limit] = between;
  constexpr int manyLooks = 12;
  int64_t stride = 1;
  for (int round = 0; high - low > 1; ++round) {
    next = std::clamp(next, low + 1, high - 1);
    rt::Expected<const Look *> looked = lookQuickly(next, kind);
    if (!looked.ok())
      return looked.status();
    const Look &found = **looked;
    int64_t at = next, middle;
    (found.fits ? low : high) = at;
    next = predict(at, found);
    bool isBounded = high <= limit;
    middle = isBounded ? low + (high - low) / 2 : limit;
    if (!found.fits) {
      stride = 1;
      // Ignores a prediction that contradicts a trial.
      if (next <= low || next >= high)
        next = middle;
    } else if (isBounded || next < low + stride) {
      // The bytes of a trial that fits are an upper limit of its need.
      next = std::min(low + stride, middle);
      stride = std::max(stride * 4, low / 64);
    }
    // Halves the interval: workspaces of libraries are not linear.
    if (round >= manyLooks)
      next = isBounded ? middle : low * 2;
  }
  return {};
}

/// Returns a batch that fits, while one more does not, or `limit`; 0 if one
/// image does not fit. Tries `next` first.
rt::Expected<int64_t> BatchSearch::crossing(int64_t limit, Kind kind,
                                            int64_t next) {
  exceeding.reset();
  limit = std::max<int64_t>(limit, 0);
  Interval between = {0, limit + 1, limit};
  for (;;) {
    REPRISE_RETURN_IF_ERROR(narrow(between, kind, next));
    if (between.high > limit)
      return between.low;
    // Other kernels may serve a batch that the known ones do not.
    rt::Expected<const Look *> looked = look(between.high, kind);
    if (!looked.ok())
      return looked.status();
    if (!(*looked)->fits)
      return between.low;
    between = {between.high, limit + 1, limit};
    next = between.low + 1;
  }
}

rt::Expected<BatchSearch::Answer> BatchSearch::largest(int64_t limit) {
  for (;;) {
    rt::Expected<int64_t> batch =
        crossing(limit, Kind::Least, batchOf(request));
    if (!batch.ok())
      return batch.status();
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
  rt::Expected<int64_t> batch = crossing(limit, Kind::Plain, batchOf(request));
  if (!batch.ok())
    return batch.status();
  Answer answer;
  answer.more = refusedAt(*batch + 1, Kind::Plain);
  if (*batch == 0)
    return answer;
  rt::Expected<const Look *> found = look(*batch, Kind::Plain);
  if (!found.ok())
    return found.status();
  answer.batch = *batch;
  answer.plan = answer.plain = (*found)->plain;
  return answer;
}
