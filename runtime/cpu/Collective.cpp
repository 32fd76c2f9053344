//===- Collective.cpp - Collective calls on processors --------------------===//
#include "Collective.h"

#include <cstring>

namespace reprise::rt {

static uint64_t addressOf(void *data) {
  return reinterpret_cast<uintptr_t>(data);
}

static char *at(uint64_t address) {
  return reinterpret_cast<char *>(uintptr_t(address));
}

namespace {

/// Moves bytes at once.
class HostMoves final : public CollectiveMoves {
public:
  HostMoves(Communicator &ranks, Team &team) : ranks(ranks), team(team) {}

  Status copy(uint64_t to, uint64_t from, uint64_t bytes) override {
    std::memcpy(at(to), at(from), bytes);
    return {};
  }
  Status clear(uint64_t address, uint64_t bytes) override {
    std::memset(at(address), 0, bytes);
    return {};
  }
  Status exchange(uint64_t data, const Shards &shards,
                  uint64_t received) override {
    return ranks.exchange(at(data), shards, at(received));
  }
  Status gather(uint64_t data, const Shards &shards) override {
    return ranks.gather(at(data), shards, Patience::Step);
  }
  Status sum(uint64_t data, uint64_t bytes, rp_element_type type) override {
    return ranks.sum(at(data), bytes / elementBytes(type), type);
  }
  Status addParts(uint64_t sum, uint64_t parts, uint64_t bytes, unsigned count,
                  rp_element_type type) override {
    if (type == RP_F64)
      add<double>(sum, parts, bytes, count);
    else
      add<float>(sum, parts, bytes, count);
    return {};
  }

private:
  template <typename Number>
  void add(uint64_t sum, uint64_t parts, uint64_t bytes, unsigned ranks) {
    const auto *numbers = reinterpret_cast<const Number *>(at(parts));
    auto *sums = reinterpret_cast<Number *>(at(sum));
    int64_t count = int64_t(bytes / sizeof(Number));
    // Below this size, waking the other threads costs more than they save.
    constexpr int64_t kInlineElements = 16 << 10;
    unsigned members = count <= kInlineElements ? 1 : team.size();
    runShares(team, count, members, [&](int64_t begin, int64_t end, unsigned) {
      for (int64_t i = begin; i < end; ++i)
        sums[i] = numbers[i] + numbers[count + i];
      for (unsigned r = 2; r < ranks; ++r)
        for (int64_t i = begin; i < end; ++i)
          sums[i] += numbers[r * count + i];
    });
  }

  Communicator &ranks;
  Team &team;
};

} // namespace

BoundCollective::BoundCollective(const CollectivePlan &plan,
                                 const std::vector<void *> &inputs,
                                 const std::vector<void *> &outputs,
                                 void *workspace)
    : plan(plan) {
  for (void *input : inputs)
    operands.inputs.push_back(addressOf(input));
  for (void *output : outputs)
    operands.outputs.push_back(addressOf(output));
  operands.workspace = addressOf(workspace);
}

Status BoundCollective::run(Communicator *ranks, Team &team) const {
  REPRISE_RETURN_IF_ERROR(checkRanks(plan, ranks));
  HostMoves moves(*ranks, team);
  return runCollective(plan, operands, *ranks, moves);
}

} // namespace reprise::rt
