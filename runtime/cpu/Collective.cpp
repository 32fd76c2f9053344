//===- Collective.cpp - Calls that all ranks make together ----------------===//
#include "Collective.h"

#include <cstring>

namespace reprise::rt {

/// The largest tensor that is summed whole, in bytes: its messages take less
/// time than their latency.
static constexpr uint64_t kSmallBytes = 8 << 10;

CollectivePlan planCollective(const LibraryCallDesc &call) {
  CollectivePlan plan;
  plan.op = call.op;
  plan.type = call.inputs[0].type;
  plan.ranks = unsigned(call.ints[0]);
  uint64_t elements = 1, each = elementBytes(plan.type);
  for (int64_t extent : call.outputs[0].shape)
    elements *= uint64_t(extent);
  uint64_t share = (elements + plan.ranks - 1) / plan.ranks;
  plan.shards = {elements * each, share * each};
  plan.isSmall = elements * each <= kSmallBytes;
  return plan;
}

uint64_t CollectivePlan::workspaceBytes() const {
  if (op != LibraryOp::AllReduce)
    return 0;
  return ranks * (isSmall ? shards.bytes : shards.shardBytes);
}

LibraryCallInfo CollectivePlan::info() const {
  LibraryCallInfo info;
  info.implementation = op != LibraryOp::AllReduce ? "rows by rank"
                        : isSmall                  ? "sums of whole tensors"
                                                   : "sums by shards";
  info.workspaceBytes = workspaceBytes();
  info.addsInPlace = op == LibraryOp::AllReduce;
  return info;
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

Status BoundCollective::sum(Communicator &ranks, Team &team) const {
  const Shards &shards = plan.shards;
  uint64_t begin = 0, bytes = shards.bytes;
  if (plan.isSmall) {
    std::memcpy(static_cast<char *>(workspace) + ranks.rank() * bytes, input,
                bytes);
    REPRISE_RETURN_IF_ERROR(
        ranks.gather(workspace, {plan.ranks * bytes, bytes}, Patience::Step));
  } else {
    begin = shards.begin(ranks.rank());
    bytes = shards.size(ranks.rank());
    REPRISE_RETURN_IF_ERROR(ranks.exchange(input, shards, workspace));
  }
  if (plan.type == RP_F64)
    addParts<double>(output + begin, bytes, team);
  else
    addParts<float>(output + begin, bytes, team);
  return plan.isSmall ? Status() : ranks.gather(output, shards, Patience::Step);
}

Status BoundCollective::run(Communicator *ranks, Team &team) const {
  unsigned size = ranks ? ranks->size() : 1;
  if (size != plan.ranks)
    return Status::error(
        RP_INVALID_ARGUMENT,
        "the program's step is one of " + std::to_string(plan.ranks) +
            " ranks, but the session has " + std::to_string(size));
  if (plan.op == LibraryOp::AllReduce)
    return sum(*ranks, team);
  std::memcpy(output + plan.shards.begin(ranks->rank()), input,
              plan.shards.size(ranks->rank()));
  return ranks->gather(output, plan.shards, Patience::Step);
}

} // namespace reprise::rt
