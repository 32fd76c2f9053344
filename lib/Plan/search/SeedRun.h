//===- SeedRun.h - Executions on demand, by rank ----------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_SEEDRUN_H
#define REPRISE_LIB_PLAN_SEEDRUN_H

#include "../graph/Simulator.h"

namespace reprise::plan {

/// Executes ops and their missing inputs. Subclasses decide what is dropped.
/// Uses an explicit stack, since missing inputs may form a long chain.
class SeedRun {
public:
  explicit SeedRun(const CompactGraph &graph)
      : graph(graph), isResident(graph.storageCount(), false),
        isOnWay(graph.opCount(), false) {
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      isResident[id] = graph.producer[id] == kNone;
  }
  virtual ~SeedRun() = default;

protected:
  virtual void beforeExecution(Rank) {}
  virtual void afterExecution(Rank) {}
  /// Called when the op begins to wait for its inputs.
  virtual void onWait(Rank) {}

  bool canClone(Rank op) const {
    return graph.canClone(op) && next <= graph.cloneBefore[op];
  }

  /// Executes `op`, after the producers of missing inputs. Returns false if one
  /// of them must not be executed again, or at `mostSteps`.
  bool execute(Rank first) {
    wait(first);
    while (!stack.empty()) {
      if (sequence.size() >= mostSteps)
        return false;
      auto [op, index] = stack.back();
      if (index < graph.inputs.size(op)) {
        ++stack.back().second;
        StorageId input = graph.inputs.begin(op)[index];
        if (isResident[input])
          continue;
        Rank producer = graph.producer[input];
        if (producer == kNone || !canClone(producer) || isOnWay[producer])
          return false;
        wait(producer);
        continue;
      }
      stack.pop_back();
      run(op, op != first);
    }
    return true;
  }

  void run(Rank op, bool isClone) {
    beforeExecution(op);
    sequence.push_back({op, isClone, static_cast<uint32_t>(sequence.size())});
    for (StorageId output : graph.outputsOf(op))
      isResident[output] = true;
    isOnWay[op] = false;
    afterExecution(op);
  }

  const CompactGraph &graph;
  Rank next = 0; // current first execution
  size_t mostSteps = SIZE_MAX;
  std::vector<bool> isResident;
  std::vector<bool> isOnWay; // by op: waits for its inputs
  Sequence sequence;

private:
  void wait(Rank op) {
    isOnWay[op] = true;
    stack.push_back({op, 0});
    onWait(op);
  }

  std::vector<std::pair<Rank, uint32_t>> stack; // op, inputs visited
};

/// Runs the ops in order and evicts storages while the next op would exceed a
/// budget. Subclasses choose the storage.
class BudgetedRun : public SeedRun {
public:
  BudgetedRun(const CompactGraph &graph, int64_t budget)
      : SeedRun(graph), budget(budget) {
    for (StorageId id = 0; id < graph.storageCount(); ++id)
      live += isResident[id] ? graph.bytes[id] : 0;
  }

  /// Returns the sequence; empty if an op cannot run.
  Sequence run() {
    for (next = 0; next < graph.opCount(); ++next)
      if (!execute(next))
        return {};
    return std::move(sequence);
  }

protected:
  /// Calls `drop` for a storage. Returns false if none can be evicted.
  virtual bool giveUpOne() = 0;

  void drop(StorageId id) {
    isResident[id] = false;
    live -= graph.bytes[id];
  }

private:
  int64_t bytesToRun(Rank op) const {
    int64_t bytes = graph.workspace[op];
    for (StorageId output : graph.outputsOf(op))
      bytes += isResident[output] ? 0 : graph.bytes[output];
    return bytes;
  }

  void beforeExecution(Rank op) override {
    int64_t wanted = bytesToRun(op);
    while (live + wanted > budget && giveUpOne())
      continue;
    for (StorageId output : graph.outputsOf(op))
      live += isResident[output] ? 0 : graph.bytes[output];
  }

  int64_t budget, live = 0; // bytes
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_SEEDRUN_H
