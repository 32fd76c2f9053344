//===- CutChain.h - Costs around several cuts -------------------*- C++ -*-===//
//
// Cuts t_1, t_2, ... each of which comes after the previous one in every order.
// For each t_j, as in CutRelaxation.h: x_sj says that storage s is resident
// then, Q_oj that op o is executed again at any later time, and q_oj that it is
// executed again before t_(j+1); after the last cut, that is Q itself.
//
//   minimize   sum c_o q_oj
//   so that    the bytes of t_j + sum m_s x_sj <= budget
//              x_sj + Q_oj >= 1    for what is read at any time after t_j
//              x_sj + q_oj >= 1    for what is read until t_(j+1)
//              Q_oj <= x_uj + Q,  q_oj <= x_uj + q   for every input u of o
//              Q_oj <= q_oj + q_o(j+1) + ...
//              x_s(j+1) <= x_sj + q_oj
//
// The last two rows and the bytes get multipliers; so do copies y of x, with
// y <= x, for the rows with q. The rest decomposes into minimum-weight
// closures, one for Q and one for q of each cut. Every choice of multipliers
// gives a valid bound; if those of the last two rows are zero, it is the bound
// of a single cut.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_LIB_PLAN_CUTCHAIN_H
#define REPRISE_LIB_PLAN_CUTCHAIN_H

#include "CutModel.h"
#include "MaxFlow.h"

#include <memory>

namespace reprise::plan {

/// One closure of the chain, with prices for its variables.
class PricedCut {
public:
  PricedCut(CutModel model);

  struct Prices {
    std::vector<Wide> again;    // by rank: q
    std::vector<Wide> resident; // by storage: x
    std::vector<Wide> present;  // by storage: x or q
  };

  const CutModel &variables() const { return model; }
  bool hasStorage(StorageId id) const { return model.storageNode[id] != kNone; }

  /// Returns the least sum of prices, without a limit of bytes.
  Wide solveFreely(const Prices &prices);
  /// Returns a bound on the least sum of prices with at most `budget` bytes.
  Wide solveWithin(const Prices &prices, int64_t budget);
  /// Returns the multiplier of that bound in picoseconds a byte.
  double multiplier() const;

  /// Returns the last solution's value of an op's execution, from 0 to 1: a
  /// mixture of two closures, one with too many bytes and one with spare ones.
  double again(Rank op) const;
  double resident(StorageId storage) const;
  double present(StorageId storage) const;

private:
  enum State : uint8_t { Absent = 0, Present = 1, Resident = 2 };
  struct Line {
    Wide cost = 0;
    int64_t units = 0;
    std::vector<uint8_t> states; // by node
  };

  Line solve(const Prices &prices, int64_t perUnit);
  Line solveAt(const Prices &prices, int64_t perUnit);
  Line solveTightly(const Prices &prices);
  void sumUp(const Prices &prices, Line &line) const;
  double mixed(uint32_t node, uint8_t state) const;

  CutModel model;
  std::vector<uint32_t> toSource, toSink; // arcs, by node
  MaxFlow flow;
  Line loose, tight;
  double looseShare = 1;
  int64_t best = 0; // multiplier
};

/// A chain that grows by one cut at a time, each of which must improve the
/// bound.
class CutChain {
public:
  CutChain(const CompactGraph &graph, const Precedence &precedence,
           int64_t budget, Rank cut);

  /// Returns the picoseconds that every schedule within the budget adds.
  int64_t extra() const { return best; }
  /// False: no schedule fits in the budget.
  bool isFeasible() const { return feasible; }
  /// Returns the most picoseconds that one more byte saves near this budget.
  double multiplier() const;

  /// Adds a cut that comes after all others in every order, or before all
  /// others. Improves the multipliers at most `rounds` times. Returns true if
  /// the bound increases; otherwise the chain stays unchanged.
  bool extend(Rank cut, uint32_t rounds);

private:
  /// Multipliers between a cut and the next one, in picoseconds.
  struct Link {
    std::vector<double> later;   // by rank: Q <= q + q + ...
    std::vector<double> copied;  // by storage: y <= x
    std::vector<double> carried; // by storage: the next x <= y + q
  };
  using Links = std::vector<Link>;
  /// The closures and multipliers of a chain.
  struct Chain {
    std::vector<Rank> cuts;
    std::vector<std::shared_ptr<PricedCut>> later; // of Q, by cut
    std::vector<std::shared_ptr<PricedCut>> next;  // of q, by cut but the last
    Links links;                                   // by cut but the last
  };

  std::shared_ptr<PricedCut> makeNext(Rank cut, Rank until,
                                      const PricedCut &after) const;
  Chain append(Rank cut) const;
  Chain prepend(Rank cut) const;
  Wide evaluate(const Chain &chain) const;
  void raise(Wide value, size_t cuts);
  Links gradientOf(const Chain &chain) const;
  void move(Links &links, const Links &gradient, double gain) const;
  void improve(Chain &chain, uint32_t rounds);

  const CompactGraph &graph;
  const Precedence &precedence;
  int64_t budget;
  int64_t best = 0;
  bool feasible = true;
  double perByte = 0; // picoseconds that a byte is worth, for the steps' scale
  Chain chain;
};

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_CUTCHAIN_H
