//===- StageOptions.cpp - The values that a stage may keep ----------------===//
//
// Input:   a chain of stages.
// Output:  for each stage a handful of options with bytes and milliseconds.
// Method:  the stage becomes a graph of its own: forward part, an op that
//          represents all later stages (reads the values that cross, returns
//          the incoming gradients), backward part. Candidates are the storages
//          that the backward part reads, by decreasing cost for their bytes; an
//          option keeps a prefix. It is simulated with recomputation on demand,
//          and dropped if another is no worse in all respects. Stages with the
//          same graph are measured once.
// Cost:    at most 16 simulations for each distinct stage.
//
//===----------------------------------------------------------------------===//
#include "StageOptions.h"

#include <algorithm>
#include <map>

namespace reprise::plan {

namespace {

/// A stage as a graph: local ids on the left, the step's on the right.
struct StageGraph {
  Graph graph;
  std::vector<ValueId> valueOf;
  std::vector<ValueId> crossing; // local
  OpId boundary = kNone;         // represents the later stages
};

class StageExtractor {
public:
  StageExtractor(const DemandTables &tables, const Chain &chain, uint32_t stage)
      : tables(tables), chain(chain), stage(chain.stages[stage]), index(stage) {
  }

  StageGraph run() {
    for (uint32_t rank = stage.firstForward; rank < stage.endForward; ++rank)
      addOp(rank, false);
    addBoundary();
    for (uint32_t rank = stage.firstBackward; rank < stage.endBackward; ++rank)
      addOp(rank, true);
    markOutputs();
    return std::move(result);
  }

private:
  bool isInside(OpId op) const {
    if (op == kNone)
      return false;
    uint32_t rank = tables.rankOf[op];
    return (rank >= stage.firstForward && rank < stage.endForward) ||
           (rank >= stage.firstBackward && rank < stage.endBackward);
  }

  /// Adds a value. Results of other stages that are not incoming gradients take
  /// no bytes here; nor do views of them.
  ValueId addValue(ValueId id) {
    if (auto at = local.find(id); at != local.end())
      return at->second;
    Value value = tables.graph.values[id];
    value.name.clear();
    bool isMadeHere = isInside(value.producer);
    value.producer = kNone; // addOp sets the local one
    bool isOutside = !isMadeHere;
    if (value.viewOf != kNone) {
      value.viewOf = addValue(value.viewOf);
      isOutside =
          result.graph.values[value.viewOf].storage == StorageClass::Fixed;
    }
    if (isOutside) {
      value.viewOf = kNone;
      value.storage = StorageClass::Fixed;
    }
    ValueId added = result.valueOf.size();
    local.insert({id, added});
    result.graph.values.push_back(value);
    result.valueOf.push_back(id);
    return added;
  }

  void addOp(uint32_t rank, bool backward) {
    Op op = tables.graph.ops[tables.order[rank]];
    op.name.clear();
    op.backward = backward;
    op.after.clear();
    for (ValueId &input : op.inputs)
      input = addValue(input);
    std::vector<ValueId> overwritten;
    for (ValueId value : op.overwrites)
      if (auto at = local.find(value); at != local.end())
        overwritten.push_back(at->second);
    op.overwrites = overwritten;
    for (ValueId &output : op.outputs) {
      output = addValue(output);
      result.graph.values[output].producer = result.graph.ops.size();
    }
    result.graph.ops.push_back(std::move(op));
  }

  /// Returns true if the value is computed after the forward pass and before
  /// this stage's part of the backward pass, and read in that part.
  bool isIncoming(ValueId root) const {
    OpId producer = tables.graph.values[root].producer;
    if (producer == kNone || !tables.storages.bytes[root])
      return false;
    uint32_t rank = tables.rankOf[producer];
    return rank >= tables.forwardOps && rank < stage.firstBackward;
  }

  void addBoundary() {
    Op op;
    if (index < chain.cuts.size())
      for (ValueId root : chain.cuts[index].crossing)
        result.crossing.push_back(addValue(root));
    op.inputs = result.crossing;
    result.boundary = result.graph.ops.size();
    for (uint32_t rank = stage.firstBackward; rank < stage.endBackward; ++rank)
      for (ValueId input : tables.graph.ops[tables.order[rank]].inputs) {
        ValueId root = tables.storages.rootOf[input];
        if (!isIncoming(root) || local.count(root))
          continue;
        ValueId id = addValue(root);
        result.graph.values[id].producer = result.boundary;
        result.graph.values[id].storage = StorageClass::Temporary;
        op.outputs.push_back(id);
      }
    result.graph.ops.push_back(std::move(op));
  }

  /// Marks values that the backward part computes and a later op reads: they
  /// outlive the stage.
  void markOutputs() {
    for (ValueId id = 0; id < result.valueOf.size(); ++id) {
      Value &value = result.graph.values[id];
      ValueId root = tables.storages.rootOf[result.valueOf[id]];
      if (value.producer == kNone || value.producer < result.boundary ||
          result.valueOf[id] != root ||
          value.storage != StorageClass::Temporary)
        continue;
      for (OpId user : tables.storages.users[root])
        if (tables.rankOf[user] >= stage.endBackward)
          value.storage = StorageClass::Output;
    }
  }

  const DemandTables &tables;
  const Chain &chain;
  const Stage &stage;
  uint32_t index;
  std::map<ValueId, ValueId> local;
  StageGraph result;
};

/// Returns a key that is equal for stages with equal measurements.
std::string describe(const StageGraph &stage, const std::vector<bool> &small) {
  std::string key;
  auto add = [&](uint64_t number) {
    key += std::to_string(number);
    key += ' ';
  };
  for (size_t i = 0; i < stage.valueOf.size(); ++i) {
    const Value &value = stage.graph.values[i];
    add(value.bytes);
    add(uint64_t(value.storage));
    add(value.viewOf);
    add(small[stage.valueOf[i]]);
  }
  for (const Op &op : stage.graph.ops) {
    key += std::to_string(op.cost) + ":";
    add(op.workspaceBytes);
    add(op.runsOnce);
    for (const std::vector<ValueId> *list :
         {&op.inputs, &op.outputs, &op.overwrites}) {
      for (ValueId id : *list)
        add(id);
      key += ';';
    }
    for (auto [output, input] : op.inPlace) {
      add(output);
      add(input);
    }
    key += '\n';
  }
  add(stage.boundary);
  return key;
}

class StageMeasurer {
public:
  StageMeasurer(const StageGraph &stage, const std::vector<bool> &small)
      : stage(stage), order(countUp(stage.graph.ops.size())),
        tables(stage.graph, order), isSmall(order.size(), false) {
    isSmall.assign(stage.valueOf.size(), false);
    for (ValueId id = 0; id < stage.valueOf.size(); ++id)
      isSmall[id] = small[stage.valueOf[id]];
  }

  StageCosts run() {
    StageCosts costs;
    for (ValueId id : stage.crossing)
      costs.crossingBytes += tables.storages.bytes[id];
    costs.passMilliseconds = makeAgain({});
    std::vector<ValueId> candidates = findCandidates();
    constexpr size_t most = 16;
    size_t step = std::max<size_t>(1, (candidates.size() + most - 1) / most);
    for (size_t count = candidates.size();; count -= std::min(count, step)) {
      add(costs, {candidates.begin(), candidates.begin() + count});
      if (count == 0)
        break;
    }
    costs.passPeak = costs.options.back().forwardPeak;
    prune(costs.options);
    return costs;
  }

private:
  static std::vector<OpId> countUp(size_t count) {
    std::vector<OpId> result;
    for (OpId id = 0; id < count; ++id)
      result.push_back(id);
    return result;
  }

  std::vector<ValueId> findCandidates() const {
    std::vector<ValueId> result;
    for (ValueId id = 0; id < stage.valueOf.size(); ++id) {
      if (!tables.canRebuild[id] || isSmall[id] ||
          stage.graph.values[id].producer >= stage.boundary ||
          std::count(stage.crossing.begin(), stage.crossing.end(), id))
        continue;
      const std::vector<OpId> &users = tables.storages.users[id];
      if (std::any_of(users.begin(), users.end(),
                      [&](OpId user) { return user > stage.boundary; }))
        result.push_back(id);
    }
    auto cost = [&](ValueId id) {
      return stage.graph.ops[stage.graph.values[id].producer].cost;
    };
    std::sort(result.begin(), result.end(), [&](ValueId a, ValueId b) {
      double left = cost(a) * double(tables.storages.bytes[b]);
      double right = cost(b) * double(tables.storages.bytes[a]);
      return left != right ? left > right : a < b;
    });
    return result;
  }

  /// Returns the cost of computing the values that cross and `inner` when only
  /// small storages and the stage's input are available.
  double makeAgain(const std::vector<ValueId> &inner) const {
    std::vector<bool> runs(stage.graph.ops.size(), false);
    std::vector<ValueId> work = stage.crossing;
    work.insert(work.end(), inner.begin(), inner.end());
    double sum = 0;
    while (!work.empty()) {
      ValueId id = work.back();
      work.pop_back();
      OpId producer = stage.graph.values[id].producer;
      ValueId root = tables.storages.rootOf[id];
      if (producer == kNone || runs[producer] || isSmall[root] ||
          !tables.canRebuild[root])
        continue;
      runs[producer] = true;
      sum += stage.graph.ops[producer].cost;
      work.insert(work.end(), tables.needs[producer].begin(),
                  tables.needs[producer].end());
    }
    return sum;
  }

  void add(StageCosts &costs, const std::vector<ValueId> &inner) {
    std::vector<bool> kept = isSmall;
    StageOption option;
    option.kept = inner;
    option.keptBytes = costs.crossingBytes;
    for (ValueId id : stage.crossing)
      kept[id] = true;
    for (ValueId id : inner) {
      kept[id] = true;
      option.keptBytes += tables.storages.bytes[id];
    }
    Executions executions = recomputeOnDemand(tables, kept);
    UnrolledGraph unrolled = unroll(stage.graph, executions);
    Schedule schedule{countUp(executions.size())};
    Liveness liveness = computeLiveness(unrolled.graph, schedule);
    double forward = 0;
    for (size_t step = 0; step < executions.size(); ++step) {
      bool before = step < stage.boundary;
      uint64_t &peak = before ? option.forwardPeak : option.backwardPeak;
      peak = std::max(peak, liveness.liveBytes[step]);
      if (before)
        forward += stage.graph.ops[executions[step]].cost;
    }
    option.forwardMilliseconds = makeAgain(inner);
    option.backwardMilliseconds = costOf(stage.graph, executions) - forward;
    costs.options.push_back(std::move(option));
  }

  static void prune(std::vector<StageOption> &options) {
    auto isWorse = [](const StageOption &a, const StageOption &b) {
      return b.keptBytes <= a.keptBytes && b.forwardPeak <= a.forwardPeak &&
             b.backwardPeak <= a.backwardPeak &&
             b.forwardMilliseconds + b.backwardMilliseconds <=
                 a.forwardMilliseconds + a.backwardMilliseconds;
    };
    std::vector<StageOption> kept;
    for (const StageOption &option : options)
      if (std::none_of(kept.begin(), kept.end(), [&](const StageOption &other) {
            return isWorse(option, other);
          }))
        kept.push_back(option);
    options = std::move(kept);
  }

  const StageGraph &stage;
  std::vector<OpId> order;
  DemandTables tables;
  std::vector<bool> isSmall; // by local value
};

/// Computes heldBytes and untouchedBytes of every stage.
void addHeld(const DemandTables &tables, const Chain &chain,
             std::vector<StageCosts> &costs) {
  for (ValueId root = 0; root < tables.graph.values.size(); ++root) {
    OpId producer = tables.graph.values[root].producer;
    if (producer == kNone || !tables.storages.bytes[root] ||
        tables.rankOf[producer] < tables.forwardOps)
      continue;
    std::vector<uint32_t> reads;
    for (OpId user : tables.storages.users[root])
      reads.push_back(tables.rankOf[user]);
    std::sort(reads.begin(), reads.end());
    uint32_t last = reads.empty() ? 0 : reads.back();
    if (tables.storages.toEnd[root])
      last = tables.order.size();
    for (uint32_t i = 0; i < costs.size(); ++i) {
      const Stage &stage = chain.stages[i];
      if (tables.rankOf[producer] >= stage.firstBackward ||
          last < stage.firstBackward)
        continue;
      costs[i].heldBytes += tables.storages.bytes[root];
      auto read =
          std::lower_bound(reads.begin(), reads.end(), stage.firstBackward);
      if (read == reads.end() || *read >= stage.endBackward)
        costs[i].untouchedBytes += tables.storages.bytes[root];
    }
  }
}

} // namespace

std::vector<StageCosts> measureStages(const DemandTables &tables,
                                      const Chain &chain,
                                      const std::vector<bool> &small) {
  std::vector<StageCosts> result;
  std::map<std::string, StageCosts> measured; // kept: local ids
  for (uint32_t i = 0; i < chain.stages.size(); ++i) {
    StageGraph stage = StageExtractor(tables, chain, i).run();
    std::string key = describe(stage, small);
    auto at = measured.find(key);
    if (at == measured.end())
      at = measured.insert({key, StageMeasurer(stage, small).run()}).first;
    StageCosts costs = at->second;
    for (StageOption &option : costs.options)
      for (ValueId &id : option.kept)
        id = stage.valueOf[id];
    result.push_back(std::move(costs));
  }
  addHeld(tables, chain, result);
  return result;
}

} // namespace reprise::plan
