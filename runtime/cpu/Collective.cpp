//===- Collective.cpp - Calls that all ranks make together ----------------===//
#include "Collective.h"

#include <cstring>

namespace reprise::rt {

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
  return plan;
}

LibraryCallInfo CollectivePlan::info() const {
  LibraryCallInfo info;
  info.implementation =
      op == LibraryOp::AllReduce ? "sums by shards" : "rows by rank";
  if (op == LibraryOp::AllReduce)
    info.workspaceBytes = ranks * shards.shardBytes;
  info.addsInPlace = op == LibraryOp::AllReduce;
  return info;
}

/// Adds the received parts in the order of their ranks.
template <typename Number>
void BoundCollective::addParts(unsigned rank, Team &team) const {
  const auto *parts = static_cast<const Number *>(workspace);
  auto *own = reinterpret_cast<Number *>(output + plan.shards.begin(rank));
  int64_t count = int64_t(plan.shards.size(rank) / sizeof(Number));
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
  REPRISE_RETURN_IF_ERROR(ranks.exchange(input, plan.shards, workspace));
  if (plan.type == RP_F64)
    addParts<double>(ranks.rank(), team);
  else
    addParts<float>(ranks.rank(), team);
  return ranks.gather(output, plan.shards, Patience::Step);
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
