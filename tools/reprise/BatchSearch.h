//===- BatchSearch.h - Batches that fit a budget ----------------*- C++ -*-===//
#ifndef REPRISE_TOOLS_BATCHSEARCH_H
#define REPRISE_TOOLS_BATCHSEARCH_H

#include "ModelRequest.h"
#include "PlanFacts.h"
#include <map>

namespace reprise::tools {

/// Asks for plans of a zoo's model in several batches, compiling nothing.
class BatchSearch {
public:
  /// The request's batch is where the search begins.
  BatchSearch(ModelRequest request, uint64_t budget)
      : request(std::move(request)), budget(budget) {}

  struct Answer {
    int64_t batch = 0; // 0: not even one image fits
    PointFacts plan;   // within the budget
    PointFacts plain;  // of the same batch without recomputation
  };

  /// The largest batch up to `limit` that fits, by the same effort that
  /// 'reprise compile' makes, and, below the limit, one more refused.
  rt::Expected<Answer> largest(int64_t limit);
  /// One that fits, for a user who asked for another: the largest of a step
  /// with few ops; with many, two are looked at by full effort. None where the
  /// proof for one image says so.
  rt::Expected<Answer> offer(int64_t limit);
  /// The largest batch that fits without recomputation.
  rt::Expected<Answer> largestPlain(int64_t limit);

private:
  struct Probe {
    PointFacts plain;
    PointFacts smallest;      // of a quick one
    uint64_t provenBytes = 0; // of a quick one, without modes' kernels
    size_t ops = 0;
    std::optional<PointFacts> plan; // of another one
  };
  rt::Expected<const Probe *> probe(int64_t batch, bool quick);
  rt::Expected<Answer> confirm(int64_t guess, int64_t limit, uint32_t looks);
  rt::Expected<int64_t> bisect(int64_t limit, bool isPlain);

  ModelRequest request;
  uint64_t budget;
  std::map<std::pair<int64_t, bool>, Probe> probes; // by batch and quick
};

} // namespace reprise::tools

#endif // REPRISE_TOOLS_BATCHSEARCH_H
