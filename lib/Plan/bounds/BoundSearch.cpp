//===- BoundSearch.cpp - Search for the cut with the largest bound --------===//
//
// Input:   a graph and a budget.
// Output:  the cut with the largest bound found, and that bound. All cuts are
//          valid; the choice only affects how strong the bound is.
// Method:  a grid over the order, then halved steps around the best. The best
//          cut of training graphs is a few ops after the loss. More cuts are
//          added after it, and before it, at ops that need many bytes: first
//          the one with the largest bound by itself, then others.
// Cost:    one relaxation a try; for a chain some hundred.
//
//===----------------------------------------------------------------------===//
#include "BoundSearch.h"

#include "CutChain.h"

#include <algorithm>
#include <numeric>

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

/// Returns the ops that need the most bytes while they run, in order.
static std::vector<Rank> largestOps(const CompactGraph &graph, uint32_t count) {
  std::vector<int64_t> bytes;
  for (Rank op = 0; op < graph.opCount(); ++op)
    bytes.push_back(CutModel::ownBytes(graph, op));
  std::vector<Rank> ops(graph.opCount());
  std::iota(ops.begin(), ops.end(), 0);
  std::stable_sort(ops.begin(), ops.end(),
                   [&](Rank a, Rank b) { return bytes[a] > bytes[b]; });
  ops.resize(std::min<size_t>(ops.size(), count));
  std::sort(ops.begin(), ops.end());
  return ops;
}

/// Returns the candidate that proves most together with the chain's cut, or
/// none.
static Rank bestSecond(const CutChain &chain,
                       const std::vector<Rank> &candidates, uint32_t rounds) {
  Rank best = kNone;
  int64_t extra = chain.extra();
  for (Rank cut : candidates) {
    CutChain trial = chain;
    if (!trial.extend(cut, rounds) || trial.extra() <= extra)
      continue;
    best = cut;
    extra = trial.extra();
  }
  return best;
}

CutRelaxation::Answer BoundSearch::prove(const Result &found, int64_t budget,
                                         double effort) {
  CutRelaxation::Answer answer = found.answer;
  if (!answer.feasible || answer.extra == 0)
    return answer;
  answer.extra = std::max(
      answer.extra, at(found.cut).refine(budget, uint32_t(200 * effort)).extra);
  constexpr uint32_t count = 8;
  std::vector<Rank> candidates = largestOps(graph, count);
  CutChain chain(graph, precedence, budget, found.cut);
  Rank second = bestSecond(chain, candidates, uint32_t(30 * effort));
  if (second == kNone)
    return answer;
  uint32_t rounds = uint32_t(150 * effort);
  chain.extend(second, rounds);
  for (Rank cut : candidates)
    if (cut != second)
      chain.extend(cut, rounds);
  std::reverse(candidates.begin(), candidates.end());
  for (Rank cut : candidates)
    if (cut != second)
      chain.extend(cut, rounds);
  if (!chain.isFeasible()) {
    answer.feasible = false;
    return answer;
  }
  if (chain.extra() > answer.extra) {
    answer.extra = chain.extra();
    answer.multiplier = chain.multiplier();
  }
  return answer;
}

} // namespace reprise::plan
