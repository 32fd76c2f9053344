//===- CutModel.h - Model around the first execution of an op ---*- C++ -*-===//
//
// The variables and implications of CutRelaxation.h and CutChain.h: a node for
// each storage that may be resident or recomputed, and one for each op that may
// be executed again.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_CUTMODEL_H
#define REPRISE_LIB_PLAN_CUTMODEL_H

#include "../graph/CompactGraph.h"

namespace reprise::plan {

/// The transitive order constraints between ops.
struct Precedence {
  std::vector<std::vector<Rank>> before, behind; // direct, by rank
};

Precedence findPrecedence(const Graph &graph, const CompactGraph &compact);

class CutModel {
public:
  /// The limit of multipliers; together with the limits of checkGraph (2^50
  /// units of bytes, 10^18 picoseconds), sums of weights stay below 2^120.
  static constexpr int64_t kMaxMultiplier = int64_t(1) << 62;
  static constexpr uint32_t kFirstNode = 2; // 0 is the source, 1 the sink

  /// The needed storages are those that ops after `cut` read and the step
  /// returns; with `until`, an op after the cut, only those that it and the ops
  /// between the two read.
  CutModel(const CompactGraph &graph, const Precedence &precedence, Rank cut,
           Rank until = kNone);

  /// Returns the bytes that an op needs while it runs: inputs, outputs that
  /// can't be in place, workspace.
  static int64_t ownBytes(const CompactGraph &graph, Rank op);
  /// Returns true if an output of `op` can take over an input's bytes.
  static bool isInPlace(const CompactGraph &graph, Rank op, StorageId output);

  /// Gives a storage that is not free a node, with all its implications.
  void add(StorageId storage);
  /// Returns true if the storage needs no variable: it is resident at the cut,
  /// or computed by it or after it.
  bool isFree(StorageId storage) const;
  bool isBefore(Rank op) const { return side[op] == Side::Before; }
  bool isBehind(Rank op) const { return side[op] == Side::Behind; }
  /// Returns true if executing the op again is a variable and has a cost.
  bool canPay(Rank op) const { return isBefore(op) && opNode[op] != kNone; }

  uint32_t nodeCount() const { return storageOf.size(); }

  const CompactGraph &graph;
  const Rank cut;
  const int64_t own;  // ownBytes of the cut
  const int64_t unit; // in bytes: the unit of multipliers
  /// Multipliers are 2^-shift picoseconds a unit: finer than 1 if that makes a
  /// difference over all bytes.
  const int shift;
  std::vector<uint8_t> isInputOfCut; // by storage
  std::vector<uint32_t> storageNode; // by storage, or kNone
  std::vector<uint32_t> opNode;      // by rank, or kNone
  std::vector<StorageId> storageOf;  // by node, or kNone
  std::vector<Rank> opOf;            // by node, or kNone
  std::vector<std::pair<uint32_t, uint32_t>> implications;
  std::vector<uint32_t> needed; // nodes that are in every closure

private:
  enum class Side : uint8_t { Before, Beside, Behind, Cut };

  void markSides(const Precedence &precedence);
  void needAll(const Precedence &precedence, Rank until);
  void need(StorageId storage);
  void close();
  uint32_t nodeOf(StorageId storage);
  uint32_t nodeOfOp(Rank op);

  std::vector<Side> side; // by rank
  std::vector<Rank> open; // ops whose inputs are not yet linked
};

/// Returns the number of fractional bits of multipliers: none up to 16 GiB.
int multiplierShift(const CompactGraph &graph);

/// Returns every op that can be reached from `op` along `edges`; without
/// itself.
std::vector<bool> findReached(const std::vector<std::vector<Rank>> &edges,
                              Rank op);

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CUTMODEL_H
