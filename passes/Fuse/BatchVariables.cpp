//===- BatchVariables.cpp - Small kernels of many variables as one --------===//
//
// Input:   a grouping of a flat function's ops.
// Output:  groups of arithmetic on gradients, of the forward pass's phase,
//          whose results are only written, united as long as what they wait
//          for is small. Where launches are shared, also new running
//          statistics, and groups that make of variables alone what library
//          calls read, as long as what waits for its call is small.
// Method:  walks over the groups in the order of their last members. Nothing
//          waits for an update, so that no union delays anything but updates;
//          what is made of variables can be made at any time before.
// Cost:    linear in the ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "reprise/IR/Origin.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;

/// What waits, of all that is updated; where launches are shared, of what
/// library calls of the forward pass make.
static constexpr uint64_t kWaitingPart = 1024, kWaitingForLaunch = 256;
/// Updates for which it is worth waiting.
static constexpr size_t kLeastUpdates = 4;

namespace {
class Batcher {
public:
  Batcher(const FlatGraph &graph, Groups &groups);

  void batchUpdates(Launches launches);
  /// New values of variables that are no gradients' work: running statistics.
  void batchStatistics();
  /// What is made of variables alone, of a phase.
  void batchParameters(sg::Phase phase);

private:
  bool isUpdate(unsigned group, bool ofGradient) const;
  bool isParameter(unsigned group, sg::Phase phase) const;
  uint64_t bytesOf(unsigned group) const;
  uint64_t callBytes() const;
  std::vector<unsigned>
  groupsWhere(llvm::function_ref<bool(unsigned)> holds) const;
  void unite(ArrayRef<unsigned> candidates, uint64_t limit, size_t least);
  void close(size_t least);

  const FlatGraph &graph;
  Groups &groups;
  /// Forward ops that a gradient goes into, by position.
  std::vector<bool> readsGradient;
  /// The batch at hand: its groups, what they wait for and how many members
  /// they have.
  SmallVector<unsigned> batch;
  uint64_t waiting = 0;
  size_t count = 0;
};
} // namespace

Batcher::Batcher(const FlatGraph &graph, Groups &groups)
    : graph(graph), groups(groups), readsGradient(graph.ops.size()) {
  for (auto [i, op] : llvm::enumerate(graph.ops)) {
    bool isOwn = sg::phaseOf(op.op) != sg::Phase::Forward;
    readsGradient[i] =
        op.phase == sg::Phase::Forward &&
        (isOwn || llvm::any_of(op.producers, [&](const Edge &edge) {
           return graph.ops[edge.from].phase != sg::Phase::Forward ||
                  readsGradient[edge.from];
         }));
  }
}

/// Whether a group makes new values of variables, of gradients or not, and no
/// others.
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
                               op.phase == sg::Phase::Forward &&
                               llvm::all_of(op.op->getUsers(), isWritten);
                      }) &&
         ofGradient ==
             llvm::any_of(groups.members[group], [&](unsigned member) {
               return readsGradient[member];
             });
}

/// Of one of the tensors that an update is made of.
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

/// Whether a group makes, of what is read of variables, operands of library
/// calls.
bool Batcher::isParameter(unsigned group, sg::Phase phase) const {
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

/// What library calls of the forward pass make.
uint64_t Batcher::callBytes() const {
  uint64_t bytes = 0;
  for (const FlatOp &op : graph.ops)
    if (op.phase == sg::Phase::Forward && isa<LibraryOpInterface>(op.op))
      for (Type type : op.op->getResultTypes())
        bytes += sg::byteSize(type);
  return bytes;
}

/// In the order of their last members.
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

/// Neighbours of at most `limit` bytes together.
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

void Batcher::batchParameters(sg::Phase phase) {
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
  batcher.batchParameters(sg::Phase::Forward);
  batcher.batchParameters(sg::Phase::Backward);
}
