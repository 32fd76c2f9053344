//===- BudgetPlans.h - The plans that a budget chooses among ----*- C++ -*-===//
//
// Which ops share a kernel depends on what annotated blocks recompute, so every
// checkpointing mode forms its own kernels, and occasionally a mode's program
// takes fewer bytes than any schedule of the kernels that are formed without
// annotations. A budget therefore chooses among the schedules of several sets
// of kernels: the step's own, those of each mode whose program is no worse than
// they are, and those that are for small budgets alone.
//
//   milliseconds
//     |  x         x  a mode's program, left of all own schedules: its kernels
//     |    o          are searched as well
//     |      o--o     o  schedules of the step's own kernels
//     |    y      o   y  a mode's program with no fewer bytes and no less time
//     +------------   than an own schedule: not searched
//                     bytes
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_BUDGETPLANS_H
#define REPRISE_PASSES_BUDGETPLANS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/CheckpointingModes.h"
#include "reprise/Passes/OtherEntries.h"
#include <memory>

namespace reprise {

/// A step's kernels and their schedules.
struct KernelSet {
  /// The name of their choice; "" for the step's own.
  std::string mode;
  /// Holds the step of a mode; null for the step's own, which the caller holds.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  BudgetCurve curve;
  /// Bytes of the program, whatever the step's schedule: those of its other
  /// entries, including variables and constants.
  uint64_t otherBytes = 0;
  /// See KernelChoice::isForSmall.
  bool isForSmall = false;
  double work = 1;
};

/// A schedule of one set of kernels.
struct PlanChoice {
  KernelSet *kernels;
  uint32_t point;

  BudgetCurve &curve() const { return kernels->curve; }
  /// Bytes of the whole program, the peak of the entry that needs the most.
  uint64_t bytes() const { return std::max(stepBytes(), kernels->otherBytes); }
  /// The peak of the step itself.
  uint64_t stepBytes() const { return curve().totalBytes(point); }
  double milliseconds() const {
    return curve().points[point].solution.milliseconds;
  }
};

/// The settings of a set of kernels.
struct KernelChoice {
  Checkpointing mode;
  /// See sg-recompute-cheap; 0: as without a budget.
  double mostReads = 0;
  /// The effect of the choice, for people; "" if there is none.
  std::string result = "";
  /// True if schedules of these kernels are for small budgets, so that they are
  /// not rejected for the bytes of their program without a budget.
  bool isForSmall = false;
  /// The work of the search for schedules of these kernels, relative to that
  /// for the own kernels: most of these sets matter for few budgets only.
  double work = 0.25;
  /// See sg-decompose. Kernels for which it changes nothing are skipped.
  bool addGradients = false;

  std::string name() const {
    return mode.text() + (result.empty() ? "" : ", " + result);
  }
};

/// The other kernels that a model forms; see passes/Remat/OtherKernels.h.
class OtherKernels;

class BudgetPlans {
public:
  /// Chooses among the schedules of `own` alone, in a program with `others`.
  BudgetPlans(BudgetCurve own, std::vector<OtherEntry> others);
  /// Chooses also among those of `kernels`, which are formed when first needed
  /// and searched with the effort of `options`.
  BudgetPlans(BudgetCurve own, std::vector<OtherEntry> others,
              BudgetOptions options, std::unique_ptr<OtherKernels> kernels);
  BudgetPlans(BudgetPlans &&);
  ~BudgetPlans();

  BudgetCurve &own() { return sets.front()->curve; }
  const BudgetCurve &own() const { return sets.front()->curve; }
  /// See KernelSet::otherBytes, for the own kernels.
  uint64_t otherBytes() const { return sets.front()->otherBytes; }
  /// The choice without any recomputation.
  PlanChoice plain();
  /// The choice below which saving memory costs more time than it is worth.
  PlanChoice knee();
  /// The choice with the fewest bytes, to a thousandth of a set's: smaller
  /// budgets are refused.
  PlanChoice smallest();

  /// The cheapest schedule within `budget` bytes, or none. More budget never
  /// costs more, and less never has a larger peak.
  std::optional<PlanChoice> choose(uint64_t budget);
  /// The same after a search near that one, see BudgetCurve::chooseClosely,
  /// after which the points of earlier choices have other numbers.
  std::optional<PlanChoice> chooseClosely(uint64_t budget);

  /// The sets that have been searched, the own one first.
  std::vector<KernelSet *> searched() const;

  /// Returns the first schedule found within BudgetOptions::withinBytes: it
  /// tries the program without recomputation, the kernels called `first`, then
  /// the others. Call it instead of choose, on plans for that budget alone.
  std::optional<PlanChoice> chooseWithin(llvm::StringRef first = "");

  /// A lower bound on any schedule of these sets' kernels within `budget`
  /// bytes.
  plan::LowerBound boundAt(uint64_t budget);
  /// The bytes below which no schedule of these sets' kernels exists, or none
  /// of another entry's, and the entry that pins them.
  struct Proof {
    const PlanProblem *problem;
    uint64_t fixedBytes; // variables and constants
    plan::ByteBound bound;

    /// The op that pins the bytes, with the entry's name unless it is the step.
    /// "" if there is none.
    std::string place(const BudgetPlans &plans) const;
  };
  Proof provenBytes();

  /// The same as BudgetCurve::checkProofs, for all sets searched so far and a
  /// choice within `budget` bytes.
  std::string checkProofs(uint64_t budget,
                          const std::optional<PlanChoice> &choice);

private:
  const std::vector<std::unique_ptr<KernelSet>> &all();
  std::unique_ptr<KernelSet> setOf(BudgetCurve curve) const;
  bool fits(KernelSet &set, uint64_t budget);
  void lookAtChoices();
  std::unique_ptr<KernelSet> programOf(const KernelChoice &choice);
  mlir::FailureOr<BudgetCurve> curveOf(mlir::ModuleOp module, double work,
                                       const std::string &phase);
  mlir::FailureOr<BudgetCurve> curveOfOther(const KernelSet &set,
                                            mlir::ModuleOp module);
  void tell(const std::string &phase, double share);
  bool isBeatenByFar(const BudgetCurve &program) const;
  bool isBeaten(BudgetCurve &program);
  bool searchWithin(KernelSet &set, mlir::ModuleOp module);
  bool fitsWithin(const KernelChoice &choice);
  double costBelow(double milliseconds);
  uint64_t budgetOf(const KernelSet &set, uint64_t budget);

  /// The own set first, then the searched choices.
  std::vector<std::unique_ptr<KernelSet>> sets;
  std::vector<OtherEntry> others;
  BudgetOptions options;
  std::vector<KernelChoice> choices;     // not searched yet
  std::unique_ptr<OtherKernels> kernels; // null: none
  uint64_t asked = UINT64_MAX;           // the requested budget
};

} // namespace reprise

#endif // REPRISE_PASSES_BUDGETPLANS_H
