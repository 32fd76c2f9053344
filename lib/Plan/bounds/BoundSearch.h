//===- BoundSearch.h - The cut that proves most -----------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_BOUNDSEARCH_H
#define REPRISE_LIB_PLAN_BOUNDSEARCH_H

#include "CutRelaxation.h"

#include <map>

namespace reprise::plan {

/// Scans the cuts of one graph, for one budget after another. Relaxations are
/// reused, and each budget starts from the result of the previous one.
class BoundSearch {
public:
  BoundSearch(const CompactGraph &graph, const Precedence &precedence)
      : graph(graph), precedence(precedence) {}

  struct Result {
    CutRelaxation::Answer answer;
    Rank cut = kNone;
  };

  /// Returns the largest bound among the cuts tried: a grid, then steps around
  /// its best ones. `tries` limits the relaxations solved.
  Result find(int64_t budget, uint32_t tries);

  /// Strengthens `found`: branch and bound at its cut, and further cuts at ops
  /// that need many bytes themselves. `effort` 1 takes about a second for a
  /// thousand ops.
  CutRelaxation::Answer prove(const Result &found, int64_t budget,
                              double effort);

  CutRelaxation &at(Rank cut);

private:
  const CompactGraph &graph;
  const Precedence &precedence;
  std::map<Rank, CutRelaxation> relaxations;
  Rank start = kNone;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_BOUNDSEARCH_H
