//===- BudgetPlans.h - What a budget chooses among --------------*- C++ -*-===//
//
// Which ops share a kernel depends on what annotated blocks compute again, so
// every mode of checkpointing forms kernels of its own, and now and then a
// mode's program takes fewer bytes than any schedule of the kernels that are
// formed without annotations. A budget therefore chooses among the schedules of
// several sets of kernels: the step's own, those of each mode whose program is
// no worse than they are, and those that are for small budgets alone.
//
//   milliseconds
//     |  x         x  a mode's program, left of all own schedules: its kernels
//     |    o          are searched as well
//     |      o--o     o  schedules of the step's own kernels
//     |    y      o   y  a mode's program in no fewer bytes and no less time
//     +------------   than an own schedule: not looked at again
//                     bytes
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_PASSES_BUDGETPLANS_H
#define REPRISE_PASSES_BUDGETPLANS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "reprise/Passes/OtherEntries.h"
#include <functional>
#include <memory>

namespace reprise {

/// A step's kernels and their schedules.
struct KernelSet {
  /// Whose kernels these are; "" for the step's own.
  std::string mode;
  /// Holds the step of a mode; null for the own, which is the caller's.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  BudgetCurve curve;
  /// Bytes of the program, whatever the step's schedule: those of its other
  /// entries, variables and constants included.
  uint64_t otherBytes = 0;
  /// Of the choice.
  bool isForSmall = false;
  double work = 1;
};

/// A schedule of one set of kernels.
struct PlanChoice {
  KernelSet *kernels;
  uint32_t point;

  BudgetCurve &curve() const { return kernels->curve; }
  /// Of the whole program, the peak of whichever entry needs most.
  uint64_t bytes() const { return std::max(stepBytes(), kernels->otherBytes); }
  /// The peak of the step itself.
  uint64_t stepBytes() const { return curve().totalBytes(point); }
  double milliseconds() const {
    return curve().points[point].solution.milliseconds;
  }
};

/// Which kernels a step may have.
struct KernelChoice {
  std::string mode; // of sg-assign-checkpointing
  /// See sg-recompute-cheap; 0: as it is without a budget.
  double mostReads = 0;
  /// What comes of that, for people; "" without it.
  std::string result = "";
  /// Whether schedules of these kernels are for small budgets, so that what
  /// their program takes without one does not speak against them.
  bool isForSmall = false;
  /// See sg-form-kernels.
  std::string joinProducts = "all";
  /// Of the search for schedules of the own kernels, for these: most matter for
  /// few budgets.
  double work = 0.25;
  /// See sg-decompose. Kernels for which it changes nothing are not looked at.
  bool addGradients = false;

  std::string name() const {
    return result.empty() ? mode : mode + ", " + result;
  }
};

class BudgetPlans {
public:
  /// A module with the flat step of a choice, kernels formed, or failure where
  /// its mode has nothing to do with the model.
  using FormKernels =
      std::function<mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>(
          const KernelChoice &choice)>;

  /// Chooses among the schedules of `own` alone, in a program with `others`.
  BudgetPlans(BudgetCurve own, std::vector<OtherEntry> others);
  /// Also among those of `choices`, which are formed when first needed and
  /// searched by the effort of `options`.
  BudgetPlans(BudgetCurve own, std::vector<OtherEntry> others,
              BudgetOptions options, std::vector<KernelChoice> choices,
              FormKernels form);

  BudgetCurve &own() { return sets.front()->curve; }
  const BudgetCurve &own() const { return sets.front()->curve; }
  /// See KernelSet, of the own kernels.
  uint64_t otherBytes() const { return sets.front()->otherBytes; }
  /// Without any recomputation.
  PlanChoice plain();
  /// Where less memory begins to cost more than it is worth.
  PlanChoice knee();
  /// With the fewest bytes, to a thousandth of a set's: less is refused.
  PlanChoice smallest();

  /// The cheapest schedule within `budget` bytes, or none. More budget never
  /// costs more, and less never has a larger peak.
  std::optional<PlanChoice> choose(uint64_t budget);
  /// The same after a search near that one, see BudgetCurve::chooseClosely,
  /// after which the points of earlier choices have other numbers.
  std::optional<PlanChoice> chooseClosely(uint64_t budget);

  /// Returns the first schedule found within BudgetOptions::withinBytes: it
  /// tries the program without recomputation, the kernels called `first`, then
  /// the others. Call it instead of choose, on plans for that budget alone.
  std::optional<PlanChoice> chooseWithin(llvm::StringRef first = "");

  /// Of any schedule of these sets' kernels within `budget` bytes.
  plan::LowerBound boundAt(uint64_t budget);
  /// Bytes under which no schedule of these sets' kernels exists, or none of
  /// another entry's, and the entry that pins them.
  struct Proof {
    const PlanProblem *problem;
    uint64_t fixedBytes; // variables and constants
    plan::ByteBound bound;

    /// The op that pins the bytes; of another entry than the step with its
    /// name. "" where none does.
    std::string place(const BudgetPlans &plans) const;
  };
  Proof provenBytes();

  /// As BudgetCurve::checkProofs, of all sets that were looked at and of a
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

  /// The own one first, then those chosen once they have been looked at.
  std::vector<std::unique_ptr<KernelSet>> sets;
  std::vector<OtherEntry> others;
  BudgetOptions options;
  std::vector<KernelChoice> choices; // not looked at yet
  FormKernels form;
  uint64_t asked = UINT64_MAX; // the budget in question
};

} // namespace reprise

#endif // REPRISE_PASSES_BUDGETPLANS_H
