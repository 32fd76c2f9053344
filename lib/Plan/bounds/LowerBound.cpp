//===- LowerBound.cpp - Proofs about every schedule -----------------------===//
//
// Input:   a graph, a budget.
// Output:  see lowerBound and lowestBytes in Recompute.h.
// Method:  BoundSearch on the graph in program order; cuts use only constraints
//          that hold in every order, so the order does not matter. More work
//          includes all of the smaller levels, and the best result counts.
// Cost:    some dozens of relaxations.
//
//===----------------------------------------------------------------------===//
#include "../search/LeastBytes.h"
#include "BoundSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace reprise::plan {

static CompactGraph inProgramOrder(const Graph &graph) {
  std::vector<OpId> order(graph.ops.size());
  std::iota(order.begin(), order.end(), 0);
  return makeCompact(graph, order);
}

static std::vector<ValueId> valuesOf(const CompactGraph &graph,
                                     const std::vector<StorageId> &storages) {
  std::vector<ValueId> values;
  for (StorageId id : storages)
    values.push_back(graph.valueOf[id]);
  return values;
}

namespace {

/// Bounds of one graph and budget; a level's result is used if it is larger.
class Prover {
public:
  Prover(const CompactGraph &compact, const Precedence &precedence,
         int64_t budget)
      : compact(compact), precedence(precedence), budget(budget) {}

  /// Each level starts anew, so that none depends on the levels tried before.
  void prove(double work) {
    BoundSearch search(compact, precedence);
    uint32_t tries = std::clamp(160 * work, 16.0, 4096.0);
    BoundSearch::Result found = search.find(budget, tries);
    found.answer = search.prove(found, budget, std::clamp(work, 0.1, 10.0));
    bool isBetter = best.cut == kNone || !found.answer.feasible ||
                    found.answer.extra > best.answer.extra;
    if (!isBetter)
      return;
    best = found;
    pinned = search.at(best.cut).pinned();
  }

  const CompactGraph &compact;
  const Precedence &precedence;
  const int64_t budget;
  BoundSearch::Result best;
  std::vector<StorageId> pinned; // at its cut
};

} // namespace

LowerBound lowerBound(const Graph &graph, uint64_t budgetBytes, double work) {
  LowerBound result;
  CompactGraph compact = inProgramOrder(graph);
  result.milliseconds = compact.totalCost() / CompactGraph::kPerMillisecond;
  if (compact.opCount() == 0)
    return result;
  Precedence precedence = findPrecedence(graph, compact);
  int64_t budget = std::min<uint64_t>(budgetBytes, kMostBytes);
  LeastBytes least = findLeastBytes(compact, precedence);
  if (least.bytes > budget) {
    result.feasible = false;
    result.cut = compact.opOf[least.cut];
    result.pinned = valuesOf(compact, least.pinned);
    return result;
  }
  Prover prover(compact, precedence, budget);
  for (double level : workLevels(work))
    if (prover.best.answer.feasible)
      prover.prove(level);
  const CutRelaxation::Answer &answer = prover.best.answer;
  result.feasible = answer.feasible;
  result.milliseconds =
      (compact.totalCost() + answer.extra) / CompactGraph::kPerMillisecond;
  result.cut = compact.opOf[prover.best.cut];
  result.millisecondsPerMiB =
      answer.multiplier * (1 << 20) / CompactGraph::kPerMillisecond;
  result.pinned = valuesOf(compact, prover.pinned);
  return result;
}

std::vector<double> workLevels(double work) {
  std::vector<double> levels = {1.0 / 64};
  for (double level : {1.0 / 8, 1.0})
    if (level <= work)
      levels.push_back(level);
  for (double level = 2; level <= work; level *= 2)
    levels.push_back(level);
  return levels;
}

//===----------------------------------------------------------------------===//
// Contradictions
//===----------------------------------------------------------------------===//

/// Formats all digits: contradictory numbers may differ in the last ones.
static std::string inFull(double milliseconds) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.17g ms", milliseconds);
  return text;
}

std::string checkBound(const LowerBound &bound, double milliseconds) {
  if (!bound.feasible)
    return "a schedule of " + inFull(milliseconds) +
           " was found where the proof says that there is none";
  if (bound.milliseconds > milliseconds)
    return "a schedule of " + inFull(milliseconds) +
           " was found where the proof says that each one takes " +
           inFull(bound.milliseconds);
  return "";
}

std::string checkBounds(const std::vector<FrontierPoint> &points) {
  LowerBound bound;
  for (const FrontierPoint &point : points) {
    bound.milliseconds = point.boundMilliseconds;
    if (std::string error = checkBound(bound, point.solution.milliseconds);
        !error.empty())
      return error;
  }
  return "";
}

std::string checkByteBound(const ByteBound &bound, uint64_t bytes) {
  if (bound.bytes <= bytes)
    return "";
  return "a schedule of " + std::to_string(bytes) +
         " bytes was found where the proof says that each one needs " +
         std::to_string(bound.bytes);
}

ByteBound lowestBytes(const Graph &graph) {
  CompactGraph compact = inProgramOrder(graph);
  Precedence precedence = findPrecedence(graph, compact);
  LeastBytes least = findLeastBytes(compact, precedence);
  if (least.cut == kNone)
    return {};
  return {static_cast<uint64_t>(least.bytes), compact.opOf[least.cut],
          valuesOf(compact, least.pinned),
          static_cast<uint64_t>(compact.workspace[least.cut])};
}

uint64_t priceOf(const LowerBound &bound) {
  return static_cast<uint64_t>(std::ceil(bound.millisecondsPerMiB * 1e9));
}

} // namespace reprise::plan
