//===- Rotor.cpp - Optimal persistent schedules of a chain ----------------===//
//
// Input:   a graph, an order, a budget.
// Output:  the cheapest plan found that fits in the budget, or none.
// Method:  dynamic programming over ranges of stages and bytes: the first stage
//          of a range either keeps the values of one of its options, or
//          nothing, in which case a later stage's input is kept instead. Bytes
//          are counted in slots, with sizes rounded up. The table covers all
//          budgets, so the whole schedules of several are simulated and the
//          cheapest that fits is taken: a smaller budget in the table
//          compensates for values that the chain doesn't model (those that skip
//          stages), a larger one for rounding.
// Cost:    O(L^3 S) for L stages and S slots, at most about half a second; 48
//          simulations.
// Source: O. Beaumont et al. Optimal checkpointing for heterogeneous chains.
// INRIA RR-9302, 2019. Options: X. Zhao et al. Rockmate. ICML 2023.
//
// Departures: gradients that outlive their stage reduce the room of the later
// ranges, and very small storages are always kept.
//
//===----------------------------------------------------------------------===//
#include "../search/Solvers.h"
#include "../search/StageOptions.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace reprise::plan {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The choice for the first stage of a range: it keeps `option`, or (kNone)
/// nothing, and the input of stage `split` is kept.
struct Decision {
  uint32_t option = kNone;
  uint32_t split = kNone;
};

class RotorTable {
public:
  RotorTable(const std::vector<StageCosts> &stages, uint64_t bytes,
             uint32_t slots)
      : stages(stages), slots(slots),
        slotBytes(std::max<uint64_t>(1, (bytes + slots - 1) / slots)) {
    uint32_t count = stages.size();
    rows.resize(count * count);
    for (uint32_t length = 1; length <= count; ++length)
      for (uint32_t first = 0; first + length <= count; ++first)
        fill(first, first + length - 1);
  }

  double cost(uint32_t first, uint32_t last, uint32_t room) const {
    return row(first, last)[room];
  }

  /// Returns the choice that attains cost(first, last, room), which is finite.
  Decision decide(uint32_t first, uint32_t last, uint32_t room) const {
    Decision best;
    double least = kNever;
    for (uint32_t k = 0; k < stages[first].options.size(); ++k)
      if (double cost = keepCost(first, last, k, room); cost < least) {
        least = cost;
        best = {k, kNone};
      }
    Pass pass(*this, first, last);
    for (uint32_t split = first + 1; split <= last; ++split) {
      pass.advance(split);
      if (double cost = pass.cost(split, room); cost < least) {
        least = cost;
        best = {kNone, split};
      }
    }
    return best;
  }

  uint32_t slotsOf(uint64_t bytes) const {
    return std::min<uint64_t>((bytes + slotBytes - 1) / slotBytes, kNone - 1);
  }
  /// Returns the slots for option k of a stage after its forward part.
  uint32_t keptSlots(uint32_t stage, uint32_t k) const {
    return slotsOf(stages[stage].options[k].keptBytes);
  }
  uint32_t inputSlots(uint32_t stage) const {
    return slotsOf(stages[stage - 1].crossingBytes);
  }

private:
  /// A run of stages starting at `first` that keeps nothing, up to a split.
  class Pass {
  public:
    Pass(const RotorTable &table, uint32_t first, uint32_t last)
        : table(table), first(first), last(last) {}

    /// Called for every split in turn.
    void advance(uint32_t split) {
      const StageCosts &stage = table.stages[split - 1];
      uint64_t peak = stage.passPeak + table.stages[last].heldBytes;
      if (split - 1 > first)
        peak += table.stages[split - 2].crossingBytes;
      need = std::max(need, table.slotsOf(peak));
      milliseconds += stage.passMilliseconds;
    }

    double cost(uint32_t split, uint32_t room) const {
      uint32_t input = table.inputSlots(split);
      if (room < need || room < input)
        return kNever;
      return milliseconds + table.row(split, last)[room - input] +
             table.row(first, split - 1)[room];
    }

    const RotorTable &table;
    uint32_t first, last;
    uint32_t need = 0;
    double milliseconds = 0;
  };

  std::vector<double> &row(uint32_t first, uint32_t last) {
    return rows[first * stages.size() + last];
  }
  const std::vector<double> &row(uint32_t first, uint32_t last) const {
    return rows[first * stages.size() + last];
  }

  /// Returns the least room in which stages first..last can start with option
  /// k.
  uint32_t keepNeed(uint32_t first, uint32_t last, uint32_t k) const {
    const StageOption &option = stages[first].options[k];
    uint64_t forward = option.forwardPeak + stages[last].heldBytes;
    uint64_t backward = option.backwardPeak + stages[first].untouchedBytes;
    return std::max(slotsOf(std::max(forward, backward)), keptSlots(first, k));
  }

  double keepCost(uint32_t first, uint32_t last, uint32_t k,
                  uint32_t room) const {
    if (room < keepNeed(first, last, k))
      return kNever;
    const StageOption &option = stages[first].options[k];
    double own = option.forwardMilliseconds + option.backwardMilliseconds;
    if (first == last)
      return own;
    return own + row(first + 1, last)[room - keptSlots(first, k)];
  }

  void fill(uint32_t first, uint32_t last) {
    std::vector<double> &costs = row(first, last);
    costs.assign(slots + 1, kNever);
    for (uint32_t k = 0; k < stages[first].options.size(); ++k)
      for (uint32_t room = keepNeed(first, last, k); room <= slots; ++room)
        costs[room] = std::min(costs[room], keepCost(first, last, k, room));
    Pass pass(*this, first, last);
    for (uint32_t split = first + 1; split <= last; ++split) {
      pass.advance(split);
      uint32_t input = inputSlots(split);
      const std::vector<double> &left = row(first, split - 1);
      const std::vector<double> &right = row(split, last);
      for (uint32_t room = std::max(pass.need, input); room <= slots; ++room)
        costs[room] = std::min(
            costs[room], pass.milliseconds + right[room - input] + left[room]);
    }
  }

  const std::vector<StageCosts> &stages;
  uint32_t slots;
  uint64_t slotBytes;
  std::vector<std::vector<double>> rows; // by first, last; by room in slots
};

/// The treatment of a kept input after its stage and the later ones are
/// reversed: the chain forgets it; the previous stage may still read it, which
/// saves rerunning its last op, at more bytes than the table accounts for.
enum class PastInput { Forget, Hold };

/// Writes the executions of the table's choices.
class RotorScript {
public:
  RotorScript(const RotorTable &table, const std::vector<StageCosts> &stages,
              const std::vector<bool> &small, PastInput pastInput,
              ChainRunner &runner)
      : table(table), stages(stages), small(small), pastInput(pastInput),
        runner(runner) {}

  void reverse(uint32_t first, uint32_t last, uint32_t room) {
    Decision decision = table.decide(first, last, room);
    if (decision.split == kNone) {
      const std::vector<ValueId> &inner =
          stages[first].options[decision.option].kept;
      std::vector<bool> kept = small;
      for (ValueId id : inner)
        kept[id] = true;
      runner.forward(first, inner);
      runner.forgetInner(first, kept);
      if (first < last)
        reverse(first + 1, last,
                room - table.keptSlots(first, decision.option));
      runner.backward(first);
      return;
    }
    uint32_t split = decision.split;
    for (uint32_t stage = first; stage < split; ++stage) {
      runner.forward(stage, {});
      runner.forgetInner(stage, small);
      if (stage > first)
        runner.forgetCut(stage - 1);
    }
    reverse(split, last, room - table.inputSlots(split));
    if (pastInput == PastInput::Forget)
      runner.forgetCut(split - 1);
    reverse(first, split - 1, room);
  }

private:
  const RotorTable &table;
  const std::vector<StageCosts> &stages;
  const std::vector<bool> &small;
  PastInput pastInput;
  ChainRunner &runner;
};

/// Returns the smallest storages of the forward pass, up to a five-hundredth of
/// its bytes (statistics of normalizations: few bytes, costly to compute).
std::vector<bool> findSmall(const DemandTables &tables) {
  std::vector<ValueId> made;
  uint64_t total = 0;
  for (uint32_t rank = 0; rank < tables.forwardOps; ++rank)
    for (ValueId id : tables.graph.ops[tables.order[rank]].outputs)
      if (tables.canRebuild[id]) {
        made.push_back(id);
        total += tables.storages.bytes[id];
      }
  std::stable_sort(made.begin(), made.end(), [&](ValueId a, ValueId b) {
    return tables.storages.bytes[a] < tables.storages.bytes[b];
  });
  std::vector<bool> small(tables.graph.values.size(), false);
  uint64_t sum = 0;
  for (ValueId id : made) {
    sum += tables.storages.bytes[id];
    if (sum > total / 500)
      break;
    small[id] = true;
  }
  return small;
}

class Rotor : public Solver {
public:
  std::string name() const override { return "rotor"; }

  Solution solve(const Graph &graph, const std::vector<OpId> &order,
                 const SolverOptions &options) const override {
    Solution best = makeSolution(graph, order, options.budgetBytes, name());
    if (!best.executions.empty() || order.empty())
      return best;
    DemandTables tables(graph, order);
    Chain chain = findChain(tables, 200);
    std::vector<bool> small = findSmall(tables);
    std::vector<StageCosts> stages = measureStages(tables, chain, small);
    uint32_t count = stages.size();
    uint32_t slots = slotsFor(count);
    // Rounding up costs about half a slot a stage: tables reach above the
    // budget, and the simulation decides.
    uint64_t bytes = roomFor(tables, options.budgetBytes);
    RotorTable table(stages, bytes + bytes / 2, slots);
    auto attemptOne = [&](uint32_t room, PastInput pastInput) {
      Executions executions = runScript(tables, [&](OnDemandRunner &runner) {
        ChainRunner chainRunner(tables, chain, runner);
        RotorScript(table, stages, small, pastInput, chainRunner)
            .reverse(0, count - 1, room);
      });
      Solution solution = makeSolution(graph, std::move(executions),
                                       options.budgetBytes, name());
      bool fits = !solution.executions.empty();
      if (fits && (best.executions.empty() ||
                   solution.milliseconds < best.milliseconds))
        best = std::move(solution);
      return fits;
    };
    auto attempt = [&](uint32_t room) {
      bool fits = attemptOne(room, PastInput::Forget);
      return attemptOne(room, PastInput::Hold) || fits;
    };
    tryRooms(table, count, slots, attempt);
    return best;
  }

private:
  /// Bisects for the most room whose schedule fits; as that isn't quite
  /// monotone, tries some more values around it.
  static void tryRooms(const RotorTable &table, uint32_t count, uint32_t slots,
                       const std::function<bool(uint32_t)> &attempt) {
    auto cost = [&](uint32_t room) { return table.cost(0, count - 1, room); };
    uint32_t fits = 0, exceeds = slots + 1;
    while (fits < slots && cost(fits) == kNever)
      ++fits;
    if (cost(fits) == kNever)
      return;
    uint32_t least = fits;
    attempt(least);
    while (exceeds - fits > 1) {
      uint32_t middle = fits + (exceeds - fits) / 2;
      (attempt(middle) ? fits : exceeds) = middle;
    }
    constexpr uint32_t around = 16;
    double last = kNever;
    for (uint32_t room = std::max(least, fits - std::min(fits, around));
         room <= std::min(slots, fits + around); ++room) {
      if (cost(room) != last)
        attempt(room);
      last = cost(room);
    }
  }

  static uint32_t slotsFor(uint64_t stages) {
    uint64_t cubes = stages * stages * stages / 6 + 1;
    return std::clamp<uint64_t>(400000000 / cubes, 60, 600);
  }

  /// Returns the budget without the inputs of the step.
  static uint64_t roomFor(const DemandTables &tables, uint64_t budget) {
    uint64_t inputs = 0;
    for (ValueId id = 0; id < tables.graph.values.size(); ++id)
      if (tables.graph.values[id].storage == StorageClass::Input)
        inputs += tables.storages.bytes[id];
    return budget > inputs ? budget - inputs : 0;
  }
};

} // namespace

std::unique_ptr<Solver> createRotor() { return std::make_unique<Rotor>(); }

} // namespace reprise::plan
