//===- BoundSearch.cpp - The cut that proves most -------------------------===//
//
// Input:   a graph and a budget.
// Output:  the cut with the largest bound found, and that bound. All cuts are
//          valid; which is tried only decides how strong the bound is.
// Method:  a grid over the order, then halved steps around the best. The best
//          cut of training graphs lies a few ops behind the loss.
// Cost:    one relaxation a try.
//
//===----------------------------------------------------------------------===//
#include "BoundSearch.h"

#include <algorithm>

namespace reprise::plan {

CutRelaxation &BoundSearch::at(Rank cut) {
  auto found = relaxations.find(cut);
  if (found == relaxations.end())
    found = relaxations
                .emplace(std::piecewise_construct, std::forward_as_tuple(cut),
                         std::forward_as_tuple(graph, precedence, cut))
                .first;
  return found->second;
}

namespace {

/// Tries cuts once each and remembers the best.
class Scan {
public:
  Scan(BoundSearch &search, int64_t budget, uint32_t tries, uint32_t ops)
      : search(search), budget(budget), left(tries), tried(ops, false) {}

  void visit(int64_t cut) {
    if (cut < 0 || cut >= int64_t(tried.size()) || tried[cut] || !left ||
        !best.answer.feasible)
      return;
    tried[cut] = true;
    --left;
    CutRelaxation::Answer answer = search.at(cut).bound(budget);
    if (best.cut == kNone || !answer.feasible ||
        answer.extra > best.answer.extra)
      best = {answer, static_cast<Rank>(cut)};
  }

  bool isDone() const { return !left || !best.answer.feasible; }

  BoundSearch &search;
  int64_t budget;
  uint32_t left;
  std::vector<bool> tried;
  BoundSearch::Result best;
};

} // namespace

BoundSearch::Result BoundSearch::find(int64_t budget, uint32_t tries) {
  uint32_t ops = graph.opCount();
  Scan scan(*this, budget, tries, ops);
  int64_t stride = std::max<int64_t>(1, ops / std::max(1u, tries / 2));
  if (start != kNone) {
    scan.visit(start);
    stride = std::max<int64_t>(1, stride / 2);
  } else {
    for (int64_t cut = 0; cut < ops; cut += stride)
      scan.visit(cut);
  }
  for (; stride > 0 && !scan.isDone();) {
    Rank before = scan.best.cut;
    scan.visit(int64_t(before) - stride);
    scan.visit(int64_t(before) + stride);
    if (scan.best.cut == before)
      stride /= 2;
  }
  start = scan.best.cut;
  return scan.best;
}

} // namespace reprise::plan
