//===- BatchUpdates.cpp - Updates of many small variables as one kernel ---===//
//
// Input:   a grouping of a flat function's ops.
// Output:  groups of arithmetic on gradients, of the forward pass's phase,
//          whose results are only written, united as long as what they wait
//          for is small.
// Method:  one walk over the groups in the order of their last members. Nothing
//          waits for an update, so that no union delays anything but updates;
//          gradients are kept until the last of them is there, of the size of
//          at most one part in kWaitingPart of the variables.
// Cost:    linear in the ops.
// Fails:   never.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "reprise/Fault.h"
#include <algorithm>

using namespace mlir;
using namespace reprise;

/// What waits, of all that is updated.
static constexpr uint64_t kWaitingPart = 1024;
/// Updates for which it is worth waiting.
static constexpr size_t kLeastUpdates = 4;

namespace {
class Batcher {
public:
  Batcher(const FlatGraph &graph, Groups &groups);

  void run();

private:
  bool isUpdate(unsigned group) const;
  uint64_t bytesOf(unsigned group) const;
  void close();

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
  for (auto [i, op] : llvm::enumerate(graph.ops))
    readsGradient[i] =
        op.phase == sg::Phase::Forward &&
        llvm::any_of(op.producers, [&](const Edge &edge) {
          return graph.ops[edge.from].phase != sg::Phase::Forward ||
                 readsGradient[edge.from];
        });
}

/// Whether a group makes new values of variables, of gradients, and no others.
bool Batcher::isUpdate(unsigned group) const {
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
         llvm::any_of(groups.members[group],
                      [&](unsigned member) { return readsGradient[member]; });
}

/// Of one of the tensors that an update is made of.
uint64_t Batcher::bytesOf(unsigned group) const {
  uint64_t bytes = 0;
  for (unsigned member : groups.members[group])
    bytes = std::max<uint64_t>(
        bytes, sg::byteSize(graph.ops[member].op->getResult(0).getType()));
  return bytes;
}

void Batcher::close() {
  if (batch.size() >= kLeastUpdates) {
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

void Batcher::run() {
  SmallVector<unsigned> updates;
  uint64_t all = 0;
  for (unsigned group = 0; group < groups.members.size(); ++group)
    if (!groups.members[group].empty() && isUpdate(group)) {
      updates.push_back(group);
      all += bytesOf(group);
    }
  llvm::sort(updates, [&](unsigned a, unsigned b) {
    return groups.members[a].back() < groups.members[b].back();
  });
  for (unsigned group : updates) {
    uint64_t bytes = bytesOf(group), limit = all / kWaitingPart;
    REPRISE_FAULT("updates-wait-for-all", limit = all);
    if (bytes > limit)
      continue;
    size_t size = groups.members[group].size();
    if (waiting + bytes > limit || count + size > kMostMembers)
      close();
    batch.push_back(group);
    waiting += bytes;
    count += size;
  }
  close();
}

void reprise::batchUpdates(const FlatGraph &graph, Groups &groups) {
  Batcher(graph, groups).run();
}
