//===- CutModel.h - What is around the first execution of an op -*- C++ -*-===//
//
// The variables and implications of CutRelaxation.h and CutChain.h: a node for
// each storage that may be resident or computed again, and one for each op
// that may be executed again.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_CUTMODEL_H
#define REPRISE_LIB_PLAN_CUTMODEL_H

#include "../graph/CompactGraph.h"

namespace reprise::plan {

/// Which op must run before which, transitively.
struct Precedence {
  std::vector<std::vector<Rank>> before, behind; // direct, by rank
};

Precedence findPrecedence(const Graph &graph, const CompactGraph &compact);

class CutModel {
public:
  /// No multiplier is larger; together with the limits of checkGraph (2^50
  /// units of bytes, 10^18 picoseconds), sums of weights stay below 2^120.
  static constexpr int64_t kMaxMultiplier = int64_t(1) << 62;
  static constexpr uint32_t kFirstNode = 2; // 0 is the source, 1 the sink

  /// Needed is what ops behind `cut` read and what the step returns; with
  /// `until`, an op behind the cut, only what it reads and what ops between
  /// the two read.
  CutModel(const CompactGraph &graph, const Precedence &precedence, Rank cut,
           Rank until = kNone);

  /// Bytes that an op needs while it runs: inputs, outputs that can't be in
  /// place, workspace.
  static int64_t ownBytes(const CompactGraph &graph, Rank op);
  /// Whether an output of `op` can take over an input's bytes.
  static bool isInPlace(const CompactGraph &graph, Rank op, StorageId output);

  /// Gives a storage that is not free a node, with all that implies.
  void add(StorageId storage);
  /// What needs no variable: resident at the cut, made by it or behind it.
  bool isFree(StorageId storage) const;
  bool isBefore(Rank op) const { return side[op] == Side::Before; }
  bool isBehind(Rank op) const { return side[op] == Side::Behind; }
  /// Whether executing the op again is a variable and costs something.
  bool canPay(Rank op) const { return isBefore(op) && opNode[op] != kNone; }

  uint32_t nodeCount() const { return storageOf.size(); }

  const CompactGraph &graph;
  const Rank cut;
  const int64_t own;  // ownBytes of the cut
  const int64_t unit; // of bytes: what multipliers count
  /// Multipliers are 2^-shift picoseconds a unit: finer than one where that
  /// makes a difference over all bytes.
  const int shift;
  std::vector<uint8_t> isInputOfCut; // by storage
  std::vector<uint32_t> storageNode; // by storage, or kNone
  std::vector<uint32_t> opNode;      // by rank, or kNone
  std::vector<StorageId> storageOf;  // by node, or kNone
  std::vector<Rank> opOf;            // by node, or kNone
  std::vector<std::pair<uint32_t, uint32_t>> implications;
  std::vector<uint32_t> needed; // nodes that every closure holds

private:
  enum class Side : uint8_t { Before, Beside, Behind, Cut };

  void markSides(const Precedence &precedence);
  void needAll(const Precedence &precedence, Rank until);
  void need(StorageId storage);
  void close();
  uint32_t nodeOf(StorageId storage);
  uint32_t nodeOfOp(Rank op);

  std::vector<Side> side; // by rank
  std::vector<Rank> open; // ops whose inputs are still to link
};

/// How many bits behind the point multipliers have: none up to 16 GiB.
int multiplierShift(const CompactGraph &graph);

/// Every op from which, or to which, `edges` lead from `op`; without itself.
std::vector<bool> findReached(const std::vector<std::vector<Rank>> &edges,
                              Rank op);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CUTMODEL_H
