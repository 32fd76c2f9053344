//===- Revolve.cpp - Optimal reversal of a uniform chain ------------------===//
//
// Input:   a graph, an order, a budget.
// Output:  the plan with the most slots that fits in the budget, or none.
// Method:  as in Revolve, stages between cuts count as equal steps; a slot
//          holds the values that cross a cut. A stage is rerun as a whole (as
//          far as its results have readers) before its part of the backward
//          pass.
// Cost:    at most 64 simulations.
// Source: Griewank, Walther 2000 (see Revolve.h).
//
// Departure: if keeping everything fits in the budget, that is the plan.
//
//===----------------------------------------------------------------------===//
#include "Revolve.h"
#include "../search/Solvers.h"
#include "Chain.h"

#include <algorithm>
#include <numeric>

namespace reprise::plan {

RevolveTable::RevolveTable(uint32_t length, uint32_t slots)
    : entries(slots, std::vector<Entry>(length + 1)) {
  for (uint64_t l = 2; l <= length; ++l)
    entries[0][l] = {l * (l - 1) / 2, uint32_t(l - 1)};
  for (uint32_t s = 1; s < slots; ++s)
    for (uint32_t l = 2; l <= length; ++l) {
      Entry best{UINT64_MAX, 0};
      for (uint32_t k = 1; k < l; ++k) {
        uint64_t steps = k + entries[s - 1][l - k].steps + entries[s][k].steps;
        if (steps < best.steps)
          best = {steps, k};
      }
      entries[s][l] = best;
    }
}

std::optional<uint64_t> revolveClosedForm(uint64_t length, uint64_t slots) {
  if (length == 0 || slots == 0)
    return std::nullopt;
  if (slots == 1) { // r would count up to the length
    uint64_t even = length % 2 ? length - 1 : length,
             odd = 2 * length - 1 - even;
    uint64_t product;
    bool exceeds = __builtin_mul_overflow(even / 2, odd, &product);
    return exceeds ? std::nullopt : std::optional<uint64_t>(product);
  }
  // C(s+r, s+1) is the sum of C(s+i, s) over i < r, and each of those is below
  // the length: the sum of their distances to it needs no larger numbers than
  // the result.
  uint64_t steps = 0, reach = 1; // C(s+r, s)
  for (uint64_t r = 0; reach < length;) {
    if (__builtin_add_overflow(steps, length - reach, &steps))
      return std::nullopt;
    ++r;
    // C(s+r, s) = C(s+r-1, s) * (s+r) / r, divided first.
    uint64_t factor, common = std::gcd(reach, r);
    if (__builtin_add_overflow(slots, r, &factor) ||
        __builtin_mul_overflow(reach / common, factor / (r / common), &reach))
      break; // past any length
  }
  return steps;
}

namespace {

class Revolve : public Solver {
public:
  std::string name() const override { return "revolve"; }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    Solution all = makeSolution(graph, order, options.budgetBytes, name());
    if (!all.executions.empty() || order.empty())
      return all;
    DemandTables tables(graph, order);
    Chain chain = findChain(tables, 400);
    uint32_t length = chain.stages.size();
    RevolveTable table(length, std::min(length, 64u));
    for (uint32_t slots = std::min(length, 64u); slots > 0; --slots) {
      Executions executions = runScript(tables, [&](OnDemandRunner &runner) {
        ChainRunner chainRunner(tables, chain, runner);
        reverse(chainRunner, table, {0, length, slots});
      });
      Solution solution = makeSolution(graph, std::move(executions),
                                       options.budgetBytes, name());
      if (!solution.executions.empty())
        return solution;
    }
    return all;
  }

private:
  struct Range {
    uint32_t first, length, slots;
  };

  static void advance(ChainRunner &runner, uint32_t first, uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i) {
      runner.forward(first + i, {});
      runner.forgetInner(first + i);
      if (i > 0)
        runner.forgetCut(first + i - 1);
    }
  }

  /// Reverses stages whose input is available.
  static void reverse(ChainRunner &runner, const RevolveTable &table,
                      Range range) {
    if (range.length == 1) {
      runner.forward(range.first, {});
      runner.backward(range.first);
      return;
    }
    uint32_t steps = table.advance(range.length, range.slots);
    advance(runner, range.first, steps);
    reverse(runner, table,
            {range.first + steps, range.length - steps,
             std::max(1u, range.slots - 1)});
    runner.forgetCut(range.first + steps - 1);
    reverse(runner, table, {range.first, steps, range.slots});
  }
};

} // namespace

std::unique_ptr<Solver> createRevolve() { return std::make_unique<Revolve>(); }

} // namespace reprise::plan
