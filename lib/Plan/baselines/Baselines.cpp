//===- Baselines.cpp - Fixed rules for keeping values ---------------------===//
//
// Input:   a graph, an order, a budget.
// Output:  the cheapest plan of the rule that fits in the budget, or none.
// Method:  none        everything is kept
//          segments=N  N segments of about equal bytes keep their inputs
//          sqrt        every ceil(sqrt(C))-th of C cuts is kept
//          chen        a cut is kept when the bytes computed since the last
//                      one exceed a bound; the bound is swept
//          threshold   values that are large and cheap are recomputed first;
//                      the number of such values and the least size are swept
//          Segments, sqrt and chen: Chen et al. 2016, arXiv 1604.06174.
//          Departures: cuts are found (see Segments.h), and the last segment is
//          kept whole, because the backward pass starts with it.
// Cost:    at most 64 simulations for each sweep.
//
//===----------------------------------------------------------------------===//
#include "../search/Solvers.h"
#include "Segments.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace reprise::plan {

namespace {

/// Remembers the cheapest plan that fits.
class Best {
public:
  Best(const DemandTables &tables, const SolverOptions &options,
       std::string name)
      : tables(tables), options(options) {
    best.solver = std::move(name);
  }

  void offer(const std::vector<bool> &kept) {
    if (!seen.insert(kept).second)
      return;
    Solution solution =
        makeSolution(tables.graph, recomputeOnDemand(tables, kept),
                     options.budgetBytes, best.solver);
    if (solution.executions.empty())
      return;
    if (best.executions.empty() || solution.milliseconds < best.milliseconds ||
        (solution.milliseconds == best.milliseconds &&
         solution.maxLive < best.maxLive))
      best = std::move(solution);
  }

  Solution take() { return std::move(best); }

private:
  const DemandTables &tables;
  const SolverOptions &options;
  std::set<std::vector<bool>> seen;
  Solution best;
};

class None : public Solver {
public:
  std::string name() const override { return "none"; }
  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    return makeSolution(graph, order, options.budgetBytes, name());
  }
};

class Segments : public Solver {
public:
  explicit Segments(unsigned count) : count(std::max(1u, count)) {}
  std::string name() const override {
    return "segments=" + std::to_string(count);
  }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    DemandTables tables(graph, order);
    std::vector<Cut> cuts = findCuts(tables), chosen;
    std::vector<uint64_t> bytes = sumForwardBytes(tables);
    size_t from = 0;
    for (unsigned part = 1; part < count && from < cuts.size(); ++part) {
      double target = double(bytes.back()) * part / count;
      auto distance = [&](size_t cut) {
        return std::abs(double(bytes[cuts[cut].after]) - target);
      };
      size_t nearest = from;
      for (size_t cut = from; cut < cuts.size(); ++cut)
        if (distance(cut) < distance(nearest))
          nearest = cut;
      chosen.push_back(cuts[nearest]);
      from = nearest + 1;
    }
    return makeSolution(graph,
                        recomputeOnDemand(tables, keepCuts(tables, chosen)),
                        options.budgetBytes, name());
  }

private:
  unsigned count;
};

class Sqrt : public Solver {
public:
  std::string name() const override { return "sqrt"; }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    DemandTables tables(graph, order);
    std::vector<Cut> cuts = findCuts(tables), chosen;
    size_t stride = std::ceil(std::sqrt(double(cuts.size())));
    for (size_t cut = stride; cut <= cuts.size() && stride; cut += stride)
      chosen.push_back(cuts[cut - 1]);
    return makeSolution(graph,
                        recomputeOnDemand(tables, keepCuts(tables, chosen)),
                        options.budgetBytes, name());
  }
};

class Chen : public Solver {
public:
  std::string name() const override { return "chen"; }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    DemandTables tables(graph, order);
    std::vector<Cut> cuts = findCuts(tables);
    std::vector<uint64_t> bytes = sumForwardBytes(tables);
    Best best(tables, options, name());
    uint64_t total = bytes.empty() ? 0 : bytes.back();
    constexpr unsigned bounds = 64;
    // Bounds fall geometrically from all bytes to a thousandth of them.
    for (unsigned i = 0; i < bounds; ++i) {
      double bound = double(total) * std::pow(1e-3, double(i) / (bounds - 1));
      std::vector<Cut> chosen;
      uint64_t since = 0;
      for (const Cut &cut : cuts)
        if (double(bytes[cut.after] - since) > bound) {
          chosen.push_back(cut);
          since = bytes[cut.after];
        }
      best.offer(keepCuts(tables, chosen));
    }
    return best.take();
  }
};

class Threshold : public Solver {
public:
  std::string name() const override { return "threshold"; }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    DemandTables tables(graph, order);
    Best best(tables, options, name());
    std::vector<ValueId> saved = findSaved(tables);
    uint64_t largest = 0;
    for (ValueId id : saved)
      largest = std::max(largest, tables.storages.bytes[id]);
    constexpr size_t counts = 24;
    for (uint64_t least : {uint64_t(1), largest / 64, largest / 8}) {
      std::vector<ValueId> large;
      for (ValueId id : saved)
        if (tables.storages.bytes[id] >= least)
          large.push_back(id);
      size_t step = std::max<size_t>(1, (large.size() + counts - 1) / counts);
      for (size_t count = 0; count < large.size() + step; count += step) {
        std::vector<bool> kept(graph.values.size(), false);
        for (ValueId id : saved)
          kept[id] = true;
        for (size_t i = 0; i < std::min(count, large.size()); ++i)
          kept[large[i]] = false;
        best.offer(kept);
      }
    }
    return best.take();
  }

private:
  /// Returns the values that the forward pass computes and the rest of the step
  /// reads, by decreasing bytes for the cost of computing them.
  static std::vector<ValueId> findSaved(const DemandTables &tables) {
    std::vector<ValueId> saved;
    for (ValueId id = 0; id < tables.graph.values.size(); ++id) {
      OpId producer = tables.graph.values[id].producer;
      if (!tables.canRebuild[id] ||
          tables.rankOf[producer] >= tables.forwardOps)
        continue;
      const std::vector<OpId> &users = tables.storages.users[id];
      if (std::any_of(users.begin(), users.end(), [&](OpId user) {
            return tables.rankOf[user] >= tables.forwardOps;
          }))
        saved.push_back(id);
    }
    auto cost = [&](ValueId id) {
      return tables.graph.ops[tables.graph.values[id].producer].cost;
    };
    std::sort(saved.begin(), saved.end(), [&](ValueId a, ValueId b) {
      double left = double(tables.storages.bytes[a]) * cost(b);
      double right = double(tables.storages.bytes[b]) * cost(a);
      return left != right ? left > right : a < b;
    });
    return saved;
  }
};

} // namespace

std::unique_ptr<Solver> createNone() { return std::make_unique<None>(); }
std::unique_ptr<Solver> createSegments(unsigned count) {
  return std::make_unique<Segments>(count);
}
std::unique_ptr<Solver> createSqrt() { return std::make_unique<Sqrt>(); }
std::unique_ptr<Solver> createChen() { return std::make_unique<Chen>(); }
std::unique_ptr<Solver> createThreshold() {
  return std::make_unique<Threshold>();
}

} // namespace reprise::plan
