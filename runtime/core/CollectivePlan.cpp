//===- CollectivePlan.cpp - Calls that all ranks make together ------------===//
#include "reprise/Runtime/CollectivePlan.h"
#include "reprise/Runtime/Link.h"

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
  uint64_t exchanges = exchangesOfSum(plan.shards.bytes);
  plan.pieceBytes = (share + exchanges - 1) / exchanges * each;
  plan.isSmall = call.op == LibraryOp::AllReduce &&
                 isSmallSum(plan.shards.bytes, plan.ranks);
  return plan;
}

uint64_t CollectivePlan::receivedBytes() const {
  if (!adds())
    return 0;
  return ranks * (isSmall ? shards.bytes : pieceBytes);
}

uint64_t CollectivePlan::workspaceBytes() const {
  return receivedBytes() + (isPacked() ? shards.bytes : 0);
}

LibraryCallInfo CollectivePlan::info() const {
  LibraryCallInfo info;
  info.implementation = !adds()   ? "rows by rank"
                        : isSmall ? "sums of whole tensors"
                        : pieceBytes < shards.shardBytes
                            ? "sums by shards in pieces"
                            : "sums by shards";
  info.workspaceBytes = workspaceBytes();
  info.addsInPlace = op == LibraryOp::AllReduce;
  return info;
}

Status checkRanks(const CollectivePlan &plan, const Communicator *ranks) {
  unsigned size = ranks ? ranks->size() : 1;
  if (size == plan.ranks)
    return {};
  return Status::error(RP_INVALID_ARGUMENT, "the program's step is one of " +
                                                std::to_string(plan.ranks) +
                                                " ranks, but the session has " +
                                                std::to_string(size));
}

CollectiveMoves::~CollectiveMoves() = default;

namespace {

/// A call on one rank.
class RankCall {
public:
  RankCall(const CollectivePlan &plan, const CollectiveOperands &operands,
           const Communicator &ranks, CollectiveMoves &moves)
      : plan(plan), operands(operands), ranks(ranks), moves(moves),
        workspace(operands.workspace) {
    output = plan.isPacked() ? workspace + plan.receivedBytes()
                             : operands.outputs.front();
    input = plan.isPacked() ? output : operands.inputs.front();
  }
  Status run();

private:
  Status sumPacked();
  Status sum();
  Status sumWhole();
  Status sumShard(uint64_t to);
  Status clearPadding();

  const CollectivePlan &plan;
  const CollectiveOperands &operands;
  const Communicator &ranks;
  CollectiveMoves &moves;
  /// The first operands, or where all are packed.
  uint64_t input, output, workspace;
};

} // namespace

/// Clears what a shard has behind the tensor's last element.
Status RankCall::clearPadding() {
  uint64_t own = plan.shards.size(ranks.rank());
  return moves.clear(output + own, plan.shards.shardBytes - own);
}

/// Every rank adds all elements.
Status RankCall::sumWhole() {
  uint64_t bytes = plan.shards.bytes;
  REPRISE_RETURN_IF_ERROR(
      moves.copy(workspace + ranks.rank() * bytes, input, bytes));
  REPRISE_RETURN_IF_ERROR(moves.gather(workspace, {plan.ranks * bytes, bytes}));
  return moves.addParts(output, workspace, bytes, plan.ranks, plan.type);
}

/// Adds this rank's shard, a piece after the other. No rank sends a piece after
/// its sum is written, which may be in the input's bytes.
Status RankCall::sumShard(uint64_t to) {
  for (uint64_t at = 0; at < plan.shards.shardBytes; at += plan.pieceBytes) {
    Shards piece = plan.shards.piece(at, at + plan.pieceBytes);
    REPRISE_RETURN_IF_ERROR(moves.exchange(input, piece, workspace));
    if (uint64_t bytes = piece.size(ranks.rank()))
      REPRISE_RETURN_IF_ERROR(
          moves.addParts(to + at, workspace, bytes, plan.ranks, plan.type));
  }
  return {};
}

Status RankCall::sum() {
  if (plan.op == LibraryOp::ReduceScatter) {
    REPRISE_RETURN_IF_ERROR(sumShard(output));
    return clearPadding();
  }
  if (ranks.addsInAnyOrder()) {
    if (output != input)
      REPRISE_RETURN_IF_ERROR(moves.copy(output, input, plan.shards.bytes));
    return moves.sum(output, plan.shards.bytes, plan.type);
  }
  if (plan.isSmall)
    return sumWhole();
  REPRISE_RETURN_IF_ERROR(sumShard(output + plan.shards.begin(ranks.rank())));
  return moves.gather(output, plan.shards);
}

/// Sums several tensors as one.
Status RankCall::sumPacked() {
  uint64_t packed = output;
  for (size_t k = 0; k < plan.bytes.size(); packed += plan.bytes[k++])
    REPRISE_RETURN_IF_ERROR(
        moves.copy(packed, operands.inputs[k], plan.bytes[k]));
  REPRISE_RETURN_IF_ERROR(sum());
  packed = output;
  for (size_t k = 0; k < plan.bytes.size(); packed += plan.bytes[k++])
    REPRISE_RETURN_IF_ERROR(
        moves.copy(operands.outputs[k], packed, plan.bytes[k]));
  return {};
}

Status RankCall::run() {
  if (plan.adds())
    return plan.isPacked() ? sumPacked() : sum();
  uint64_t begin = plan.shards.begin(ranks.rank()),
           bytes = plan.shards.size(ranks.rank());
  if (plan.op == LibraryOp::TakeShard) {
    REPRISE_RETURN_IF_ERROR(moves.copy(output, input + begin, bytes));
    return clearPadding();
  }
  REPRISE_RETURN_IF_ERROR(moves.copy(output + begin, input, bytes));
  return moves.gather(output, plan.shards);
}

Status runCollective(const CollectivePlan &plan,
                     const CollectiveOperands &operands,
                     const Communicator &ranks, CollectiveMoves &moves) {
  return RankCall(plan, operands, ranks, moves).run();
}

} // namespace reprise::rt
