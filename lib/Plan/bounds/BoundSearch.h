//===- BoundSearch.h - The cut that proves most -----------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_BOUNDSEARCH_H
#define REPRISE_LIB_PLAN_BOUNDSEARCH_H

#include "CutRelaxation.h"

#include <map>

namespace reprise::plan {

/// Scans cuts of one graph, for one budget after the other. Relaxations are
/// kept, and a budget starts where the one before it ended.
class BoundSearch {
public:
  BoundSearch(const CompactGraph &graph, const Precedence &precedence)
      : graph(graph), precedence(precedence) {}

  struct Result {
    CutRelaxation::Answer answer;
    Rank cut = kNone;
  };

  /// The largest bound among the cuts tried: a grid, then steps around its
  /// best ones. `tries` limits the relaxations solved.
  Result find(int64_t budget, uint32_t tries);

  /// More for `found`: branch and bound at its cut, and further cuts at ops
  /// that need many bytes themselves. `effort` 1 is about a second for a
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
