//===- BatchSearch.h - Find batches that fit a budget -----------*- C++ -*-===//
#ifndef REPRISE_BUDGET_BATCHSEARCH_H
#define REPRISE_BUDGET_BATCHSEARCH_H

#include "reprise/Budget/PlanFacts.h"
#include "reprise/Driver/ModelRequest.h"
#include <map>

namespace reprise::driver {

/// Plans a zoo's model in several batches, compiling nothing.
class BatchSearch {
public:
  /// The search begins at the request's batch.
  BatchSearch(ModelRequest request, uint64_t budget)
      : request(std::move(request)), budget(budget) {}

  /// The reason why a batch does not fit: no schedule exists below these bytes,
  /// or none was found.
  struct Refused {
    int64_t batch = 0;
    uint64_t bytes = 0;
    bool isProven = false;
  };
  struct Answer {
    int64_t batch = 0;           // 0: not even one image fits
    PointFacts plan;             // within the budget
    PointFacts plain;            // the same batch without recomputation
    std::optional<Refused> more; // for one more image; none at the limit
  };

  /// Returns the largest batch up to `limit` that fits, with the plan of
  /// 'reprise compile'.
  rt::Expected<Answer> largest(int64_t limit);
  /// Returns the largest batch up to `limit` for which a plan is found; 0 if
  /// there is none. Tries `guess` first.
  rt::Expected<int64_t> largestFound(int64_t limit, int64_t guess);
  /// Returns the largest batch that fits without recomputation.
  rt::Expected<Answer> largestPlain(int64_t limit);

private:
  enum class Kind { Plain, Least };
  /// The result for one batch.
  struct Look {
    bool fits = false;
    bool isProven = false; // that it does not fit
    uint64_t refused = 0;  // if it does not fit: see Refused::bytes
    uint64_t needs = 0;    // approximate bytes
    uint64_t fixed = 0;    // the part of them independent of the batch
    PointFacts plain;
  };
  rt::Expected<const Look *> look(int64_t batch, Kind kind);
  Look lookWithin(BudgetPlans &plans);
  rt::Expected<int64_t> crossing(int64_t limit, Kind kind, int64_t next);
  rt::Expected<Answer> plan(int64_t batch);
  std::optional<Refused> refusedAt(int64_t batch, Kind kind) const;
  ModelRequest of(int64_t batch) const;

  ModelRequest request;
  uint64_t budget;
  std::map<std::pair<int64_t, Kind>, Look> looks;
  std::string kernels; // of the last plan that fits
  /// The ratio of the bytes that searches needed to the proven bytes, both
  /// without fixed bytes.
  double overProof = 1;
};

} // namespace reprise::driver

#endif // REPRISE_BUDGET_BATCHSEARCH_H
