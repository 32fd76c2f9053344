//===- CutRelaxation.h - Costs of every schedule around a cut ---*- C++ -*-===//
//
// Considers the first execution of an op t. The ops before it in every order
// (A, its ancestors) have been executed; the ops after it in every order (D)
// need their inputs. For each storage computed outside D, x says that it is
// resident at t, and q that its op is executed again later (free if the op need
// not be an ancestor: it may then run for the first time).
//
//   minimize   sum c_o q_o
//   so that    bytes of t's inputs, outputs, workspace + sum m_s x_s <= budget
//              x_s + q_o >= 1   for what D reads or the step returns
//              q_o <= x_u + q   for every input u of an o executed again
//
// With p_s = x_s + q_o >= q_o these are implications, and the memory row gets a
// multiplier: a minimum-weight closure, by maximum flow on integers, for each
// multiplier. Every multiplier gives a valid bound.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_CUTRELAXATION_H
#define REPRISE_LIB_PLAN_CUTRELAXATION_H

#include "CutModel.h"
#include "MaxFlow.h"

#include <functional>

namespace reprise::plan {

class CutRelaxation {
public:
  CutRelaxation(const CompactGraph &graph, const Precedence &precedence,
                Rank cut);

  /// Returns the bytes that are live at the cut in every schedule, with any
  /// recomputation: t's own, and those of storages that cannot be rebuilt.
  int64_t leastBytes();

  struct Answer {
    bool feasible = true;
    int64_t extra = 0;     // picoseconds that any schedule adds
    double multiplier = 0; // picoseconds a byte, at the best bound
  };
  /// Returns the best bound of this cut for `budget` bytes.
  Answer bound(int64_t budget);

  /// Calls bound(), then branches and bounds on resident storages to close the
  /// multiplier's gap, which exists because storages are indivisible. Solves
  /// about `tries` relaxations.
  Answer refine(int64_t budget, uint32_t tries);

  /// After bound(): returns the storages that the closure at `factor` times the
  /// best multiplier has as resident. By storage.
  std::vector<bool> residentAt(double factor);

  /// Returns the bytes of t itself: inputs, outputs that can't be in place,
  /// workspace.
  int64_t ownBytes() const { return model.own; }
  /// Returns the storages that are resident at the cut in every schedule,
  /// largest first; without outputs that take over an input's bytes.
  std::vector<StorageId> pinned();
  /// Returns the storages that leastBytes() counts in addition to the
  /// workspace.
  std::vector<StorageId> pinnedAtLeast();

private:
  struct Line {
    int64_t cost, units; // of a closure: picoseconds, bytes of x
  };
  /// The share of an op's cost that counts.
  enum class Price { None, Real, Prohibitive };
  struct Node {
    int64_t cost = 0, units = 0; // weight: cost 2^shift + multiplier * units
    uint32_t toSource = 0, toSink = 0;
    uint32_t toOp = kNone; // of a storage: the arc that a decision opens
    bool isForcedIn = false, isForcedOut = false;
  };
  /// A branching decision about a storage.
  struct Decision {
    StorageId storage;
    bool isResident; // at the cut; else it is recomputed where needed
  };
  struct Branch {
    int64_t extra = 0; // proven under the decisions
    std::vector<Decision> decisions;
    StorageId next = kNone; // the storage to decide; none: all are decided
  };

  void build();
  Line solve(int64_t perUnit, Price price);
  void approach(Line loose, Line tight, int64_t units,
                const std::function<void(const Line &, int64_t, Wide)> &found);
  /// In the last closure.
  bool isResident(StorageId storage) const;
  std::vector<bool> residents() const;
  std::vector<StorageId> listPinned(const std::vector<bool> &resident) const;
  /// Returns false if decisions contradict one another.
  bool decide(const std::vector<Decision> &decisions);
  bool explore(Branch &branch, int64_t units, int64_t &cheapest);

  const CompactGraph &graph;
  CutModel model;
  std::vector<Node> nodes; // as the model's
  MaxFlow flow;
  int64_t best = 0; // multiplier, 2^-shift picoseconds a unit
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CUTRELAXATION_H
