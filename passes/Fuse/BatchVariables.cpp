//===- BatchVariables.cpp - Batch small kernels of many variables ---------===//
//
// Input:   a grouping of a flat function's ops.
// Output:  groups of arithmetic on gradients, of the forward pass's phase,
//          whose results are only written, united while the values that wait
//          are small. Where launches are shared, also new running statistics,
//          and groups that compute operands of library calls from variables
//          alone, while the values that wait for their call are small.
// Method:  walks over the groups in the order of their last members. Nothing
//          waits for an update, so that a union delays only updates; values
//          computed from variables alone can be computed at any earlier time.
// Cost:    linear in the ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "reprise/IR/Origin.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;

/// The largest part, 1/N, of the bytes that may wait: of all updated bytes and,
/// where launches are shared, of the results of forward library calls.
static constexpr uint64_t kWaitingPart = 1024, kWaitingForLaunch = 256;
/// The least number of updates worth waiting for.
static constexpr size_t kLeastUpdates = 4;

namespace {
class Batcher {
public:
  Batcher(const FlatGraph &graph, Groups &groups);

  void batchUpdates(Launches launches);
  /// Batches new values of variables that are not computed from gradients:
  /// running statistics.
  void batchStatistics();
  /// Batches the groups of a phase that are computed from variables alone.
  void batchParameters(Phase phase);

private:
  bool isUpdate(unsigned group, bool ofGradient) const;
  bool isParameter(unsigned group, Phase phase) const;
  uint64_t bytesOf(unsigned group) const;
  uint64_t callBytes() const;
  std::vector<unsigned>
  groupsWhere(llvm::function_ref<bool(unsigned)> holds) const;
  void unite(ArrayRef<unsigned> candidates, uint64_t limit, size_t least);
  void close(size_t least);

  const FlatGraph &graph;
  Groups &groups;
  /// Forward ops that depend on a gradient, by position.
  std::vector<bool> readsGradient;
  /// The current batch: its groups, the bytes that wait for it and its number
  /// of members.
  SmallVector<unsigned> batch;
  uint64_t waiting = 0;
  size_t count = 0;
};
} // namespace

Batcher::Batcher(const FlatGraph &graph, Groups &groups)
    : graph(graph), groups(groups), readsGradient(graph.ops.size()) {
  for (auto [i, op] : llvm::enumerate(graph.ops)) {
    bool isOwn = sg::phaseOf(op.op) != Phase::Forward;
    readsGradient[i] =
        op.phase == Phase::Forward &&
        (isOwn || llvm::any_of(op.producers, [&](const Edge &edge) {
           return graph.ops[edge.from].phase != Phase::Forward ||
                  readsGradient[edge.from];
         }));
  }
}

/// Returns true if a group computes new values of variables, from gradients or
/// not as given, and nothing else.
bool Batcher::isUpdate(unsigned group, bool ofGradient) const {
  auto isWritten = [&](Operation *user) {
    return groups.groupOf[graph.position.lookup(user)] == group ||
           (user->getNumResults() == 0 &&
            !user->hasTrait<OpTrait::IsTerminator>());
  };
  return llvm::all_of(groups.members[group],
                      [&](unsigned member) {
                        const FlatOp &op = graph.ops[member];
                        return op.role == KernelRole::Pointwise &&
                               op.phase == Phase::Forward &&
                               llvm::all_of(op.op->getUsers(), isWritten);
                      }) &&
         ofGradient ==
             llvm::any_of(groups.members[group], [&](unsigned member) {
               return readsGradient[member];
             });
}

/// Returns the bytes of the largest tensor that an update computes.
uint64_t Batcher::bytesOf(unsigned group) const {
  uint64_t bytes = 0;
  for (unsigned member : groups.members[group])
    bytes = std::max<uint64_t>(
        bytes, sg::byteSize(graph.ops[member].op->getResult(0).getType()));
  return bytes;
}

static bool readsVariable(Operation *op) {
  return isa<SymbolUserOpInterface>(op) && op->getNumOperands() == 0 &&
         op->getNumResults() == 1;
}

/// Returns true if a group computes operands of library calls from reads of
/// variables.
bool Batcher::isParameter(unsigned group, Phase phase) const {
  auto isOfVariable = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    return op && (readsVariable(op) ||
                  groups.groupOf[graph.position.lookup(op)] == group);
  };
  auto isCall = [&](Operation *user) {
    return isa<LibraryOpInterface>(user) ||
           groups.groupOf[graph.position.lookup(user)] == group;
  };
  return llvm::all_of(groups.members[group], [&](unsigned member) {
    const FlatOp &op = graph.ops[member];
    return op.role == KernelRole::Pointwise && op.phase == phase &&
           llvm::all_of(op.op->getOperands(), isOfVariable) &&
           llvm::all_of(op.op->getUsers(), isCall);
  });
}

/// Returns the bytes that library calls of the forward pass compute.
uint64_t Batcher::callBytes() const {
  uint64_t bytes = 0;
  for (const FlatOp &op : graph.ops)
    if (op.phase == Phase::Forward && isa<LibraryOpInterface>(op.op))
      for (Type type : op.op->getResultTypes())
        bytes += sg::byteSize(type);
  return bytes;
}

/// Returns the groups in the order of their last members.
std::vector<unsigned>
Batcher::groupsWhere(llvm::function_ref<bool(unsigned)> holds) const {
  std::vector<unsigned> found;
  for (unsigned group = 0; group < groups.members.size(); ++group)
    if (!groups.members[group].empty() && holds(group))
      found.push_back(group);
  llvm::sort(found, [&](unsigned a, unsigned b) {
    return groups.members[a].back() < groups.members[b].back();
  });
  return found;
}

void Batcher::close(size_t least) {
  if (batch.size() >= least) {
    SmallVector<unsigned> &members = groups.members[batch.front()];
    for (unsigned group : llvm::drop_begin(batch)) {
      llvm::append_range(members, groups.members[group]);
      groups.members[group].clear();
    }
    llvm::sort(members);
    for (unsigned member : members)
      groups.groupOf[member] = batch.front();
    groups.batches.insert(batch.front());
  }
  batch.clear();
  waiting = count = 0;
}

/// Unites neighbours of at most `limit` bytes in total.
void Batcher::unite(ArrayRef<unsigned> candidates, uint64_t limit,
                    size_t least) {
  for (unsigned group : candidates) {
    uint64_t bytes = bytesOf(group);
    if (bytes > limit)
      continue;
    size_t size = groups.members[group].size();
    if (waiting + bytes > limit || count + size > kMostMembers)
      close(least);
    batch.push_back(group);
    waiting += bytes;
    count += size;
  }
  close(least);
}

void Batcher::batchUpdates(Launches launches) {
  std::vector<unsigned> updates =
      groupsWhere([&](unsigned group) { return isUpdate(group, true); });
  uint64_t all = 0;
  for (unsigned group : updates)
    all += bytesOf(group);
  uint64_t limit = all / kWaitingPart;
  if (launches == Launches::Shared)
    limit = std::max(limit, callBytes() / kWaitingForLaunch);
  unite(updates, limit, launches == Launches::Shared ? 2 : kLeastUpdates);
}

void Batcher::batchStatistics() {
  unite(groupsWhere([&](unsigned group) { return isUpdate(group, false); }),
        callBytes() / kWaitingForLaunch, 2);
}

void Batcher::batchParameters(Phase phase) {
  uint64_t limit = callBytes() / kWaitingForLaunch;
  unite(groupsWhere([&](unsigned group) { return isParameter(group, phase); }),
        limit, 2);
}

void reprise::batchVariables(const FlatGraph &graph, Groups &groups,
                             Launches launches) {
  Batcher batcher(graph, groups);
  batcher.batchUpdates(launches);
  if (launches == Launches::Own)
    return;
  batcher.batchStatistics();
  batcher.batchParameters(Phase::Forward);
  batcher.batchParameters(Phase::Backward);
}
