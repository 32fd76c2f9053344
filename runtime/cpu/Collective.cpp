//===- Collective.cpp - Calls that all ranks make together ----------------===//
#include "Collective.h"
#include "reprise/Runtime/Link.h"

#include <cstring>

namespace reprise::rt {

CollectivePlan planCollective(const LibraryCallDesc &call) {
  CollectivePlan plan;
  plan.op = call.op;
  plan.type = call.inputs[0].type;
  plan.ranks = unsigned(call.ints[0]);
  uint64_t elements = 0, each = elementBytes(plan.type);
  bool makesShard =
      call.op == LibraryOp::ReduceScatter || call.op == LibraryOp::TakeShard;
  for (const TensorDesc &whole : makesShard ? call.inputs : call.outputs) {
    uint64_t count = 1;
    for (int64_t extent : whole.shape)
      count *= uint64_t(extent);
    plan.bytes.push_back(count * each);
    elements += count;
  }
  uint64_t share = (elements + plan.ranks - 1) / plan.ranks;
  plan.shards = {elements * each, share * each};
  plan.isSmall = call.op == LibraryOp::AllReduce &&
                 isSmallSum(plan.shards.bytes, plan.ranks);
  return plan;
}

uint64_t CollectivePlan::receivedBytes() const {
  if (!adds())
    return 0;
  return ranks * (isSmall ? shards.bytes : shards.shardBytes);
}

uint64_t CollectivePlan::workspaceBytes() const {
  return receivedBytes() + (isPacked() ? shards.bytes : 0);
}

LibraryCallInfo CollectivePlan::info() const {
  LibraryCallInfo info;
  info.implementation = !adds()   ? "rows by rank"
                        : isSmall ? "sums of whole tensors"
                                  : "sums by shards";
  info.workspaceBytes = workspaceBytes();
  info.addsInPlace = op == LibraryOp::AllReduce;
  return info;
}

BoundCollective::BoundCollective(const CollectivePlan &plan,
                                 std::vector<void *> inputs,
                                 std::vector<void *> outputs, void *workspace)
    : plan(plan), inputs(std::move(inputs)), outputs(std::move(outputs)),
      workspace(workspace) {
  output = static_cast<char *>(
      plan.isPacked() ? static_cast<char *>(workspace) + plan.receivedBytes()
                      : this->outputs.front());
  input = plan.isPacked() ? output : static_cast<char *>(this->inputs.front());
}

/// Adds the received parts in the order of their ranks.
template <typename Number>
void BoundCollective::addParts(char *sum, uint64_t bytes, Team &team) const {
  const auto *parts = static_cast<const Number *>(workspace);
  auto *own = reinterpret_cast<Number *>(sum);
  int64_t count = int64_t(bytes / sizeof(Number));
  // Below this size, waking the other threads costs more than they save.
  constexpr int64_t kInlineElements = 16 << 10;
  unsigned members = count <= kInlineElements ? 1 : team.size();
  runShares(team, count, members, [&](int64_t begin, int64_t end, unsigned) {
    for (int64_t i = begin; i < end; ++i)
      own[i] = parts[i] + parts[count + i];
    for (unsigned r = 2; r < plan.ranks; ++r)
      for (int64_t i = begin; i < end; ++i)
        own[i] += parts[r * count + i];
  });
}

/// Clears what a shard has behind the tensor's last element.
void BoundCollective::clearPadding(unsigned rank) const {
  uint64_t own = plan.shards.size(rank);
  std::memset(output + own, 0, plan.shards.shardBytes - own);
}

Status BoundCollective::sum(Communicator &ranks, Team &team) const {
  const Shards &shards = plan.shards;
  uint64_t begin = 0, bytes = shards.bytes;
  bool isScattered = plan.op == LibraryOp::ReduceScatter;
  if (ranks.addsInAnyOrder() && !isScattered) {
    if (output != input)
      std::memcpy(output, input, bytes);
    return ranks.sum(output, bytes / elementBytes(plan.type), plan.type);
  }
  if (plan.isSmall) {
    std::memcpy(static_cast<char *>(workspace) + ranks.rank() * bytes, input,
                bytes);
    REPRISE_RETURN_IF_ERROR(
        ranks.gather(workspace, {plan.ranks * bytes, bytes}, Patience::Step));
  } else {
    begin = isScattered ? 0 : shards.begin(ranks.rank());
    bytes = shards.size(ranks.rank());
    REPRISE_RETURN_IF_ERROR(ranks.exchange(input, shards, workspace));
  }
  if (plan.type == RP_F64)
    addParts<double>(output + begin, bytes, team);
  else
    addParts<float>(output + begin, bytes, team);
  if (isScattered)
    clearPadding(ranks.rank());
  bool isDone = isScattered || plan.isSmall;
  return isDone ? Status() : ranks.gather(output, shards, Patience::Step);
}

/// Sums several tensors as one.
Status BoundCollective::sumPacked(Communicator &ranks, Team &team) const {
  char *packed = output;
  for (size_t k = 0; k < inputs.size(); packed += plan.bytes[k++])
    std::memcpy(packed, inputs[k], plan.bytes[k]);
  REPRISE_RETURN_IF_ERROR(sum(ranks, team));
  packed = output;
  for (size_t k = 0; k < outputs.size(); packed += plan.bytes[k++])
    std::memcpy(outputs[k], packed, plan.bytes[k]);
  return {};
}

Status BoundCollective::run(Communicator *ranks, Team &team) const {
  unsigned size = ranks ? ranks->size() : 1;
  if (size != plan.ranks)
    return Status::error(
        RP_INVALID_ARGUMENT,
        "the program's step is one of " + std::to_string(plan.ranks) +
            " ranks, but the session has " + std::to_string(size));
  if (plan.adds())
    return plan.isPacked() ? sumPacked(*ranks, team) : sum(*ranks, team);
  uint64_t begin = plan.shards.begin(ranks->rank()),
           bytes = plan.shards.size(ranks->rank());
  if (plan.op == LibraryOp::TakeShard) {
    std::memcpy(output, input + begin, bytes);
    clearPadding(ranks->rank());
    return {};
  }
  std::memcpy(output + begin, input, bytes);
  return ranks->gather(output, plan.shards, Patience::Step);
}

} // namespace reprise::rt
