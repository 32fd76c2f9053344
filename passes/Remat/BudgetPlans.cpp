//===- BudgetPlans.cpp - Plans that a budget chooses among ----------------===//
//
// Input:   the curve of a step's own kernels, and the modes that form others.
// Output:  the cheapest schedule of all of them, for every budget.
// Method:  kernels are formed by modes, and by the number of reads that a cheap
//          recomputation may have: fewer reads keep more, and need less at
//          once. The resulting program is one schedule of its kernels. Where a
//          known schedule takes at most its bytes and its time, the mode is
//          dropped, unless its kernels are for small budgets; otherwise its
//          kernels are searched like the step's own, with less effort. Which
//          modes are dropped does not depend on the budget, so that the
//          cheapest of a fixed set of schedules is taken, and peak and cost are
//          monotone across sets as they are within each.
// Cost:    a lowering for each mode, and a search for each that is not dropped.
// Fails:   never: a mode that cannot be applied to the model is dropped.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/BudgetPlans.h"
#include "OtherKernels.h"

#include "mlir/IR/Diagnostics.h"
#include "reprise/Passes/Remat.h"

using namespace mlir;
using namespace reprise;

BudgetPlans::BudgetPlans(BudgetCurve own, std::vector<OtherEntry> others)
    : others(std::move(others)) {
  sets.push_back(setOf(std::move(own)));
}

BudgetPlans::BudgetPlans(BudgetCurve own, std::vector<OtherEntry> others,
                         BudgetOptions options,
                         std::unique_ptr<OtherKernels> kernels)
    : BudgetPlans(std::move(own), std::move(others)) {
  this->options = std::move(options);
  this->kernels = std::move(kernels);
  choices = this->kernels->choices();
}

BudgetPlans::BudgetPlans(BudgetPlans &&) = default;
BudgetPlans::~BudgetPlans() = default;

std::unique_ptr<KernelSet> BudgetPlans::setOf(BudgetCurve curve) const {
  auto set = std::make_unique<KernelSet>();
  for (const OtherEntry &other : others) {
    set->otherBytes =
        std::max(set->otherBytes, curve.fixedBytes + other.height);
  }
  set->curve = std::move(curve);
  return set;
}

/// Returns true if a schedule of the set, together with the other entries, is
/// within `budget`.
bool BudgetPlans::fits(KernelSet &set, uint64_t budget) {
  return set.otherBytes <= budget && set.curve.choose(budget);
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// Reports progress with the best known plan, by bytes that need no placement.
void BudgetPlans::tell(const std::string &phase, double share) {
  if (!options.observer)
    return;
  SearchProgress progress = {phase, share};
  for (const auto &set : sets)
    for (uint32_t point = 0; point < set->curve.points.size(); ++point) {
      const plan::FrontierPoint &found = set->curve.points[point];
      bool fits = set->curve.leastBytes(point) <= budgetOf(*set, asked);
      bool isBest = progress.bestMilliseconds == 0 ||
                    found.solution.milliseconds < progress.bestMilliseconds;
      if (asked == UINT64_MAX || !fits || !isBest)
        continue;
      progress.bestMilliseconds = found.solution.milliseconds;
      progress.boundMilliseconds = found.boundMilliseconds;
    }
  options.observer(progress);
}

FailureOr<BudgetCurve> BudgetPlans::curveOf(mlir::ModuleOp module, double work,
                                            const std::string &phase) {
  BudgetOptions search = options;
  search.work = work;
  search.phase = phase;
  return computeBudgetCurve(*module.getOps<func::FuncOp>().begin(), search);
}

FailureOr<BudgetCurve> BudgetPlans::curveOfOther(const KernelSet &set,
                                                 mlir::ModuleOp module) {
  std::string phase = "searching schedules of kernels of " + set.mode;
  tell(phase, 0);
  double share = plan::paceOf(options.effort).otherKernels * set.work;
  return curveOf(module, options.work * share, phase);
}

/// Returns true if a known schedule takes at most the time of `program` and so
/// few bytes that a placement, which seldom wastes an eighth, is not needed.
bool BudgetPlans::isBeatenByFar(const BudgetCurve &program) const {
  double milliseconds = program.plainMilliseconds();
  uint64_t bytes = program.leastBytes(0);
  return llvm::any_of(sets, [&](const std::unique_ptr<KernelSet> &set) {
    const BudgetCurve &curve = set->curve;
    for (uint32_t point = 0; point < curve.points.size(); ++point) {
      uint64_t least = curve.leastBytes(point);
      if (least + (least - curve.fixedBytes) / 8 <= bytes &&
          curve.points[point].solution.milliseconds <= milliseconds)
        return true;
    }
    return false;
  });
}

/// Returns true if a known schedule takes at most the bytes and the time of
/// `program`.
bool BudgetPlans::isBeaten(BudgetCurve &program) {
  if (options.effort != plan::Effort::Thorough && isBeatenByFar(program))
    return true;
  double milliseconds = program.plainMilliseconds();
  auto fits = [&](uint64_t bytes) {
    return llvm::any_of(sets, [&](const std::unique_ptr<KernelSet> &set) {
      return set->curve.choose(bytes, milliseconds).has_value();
    });
  };
  // The least bytes are known without a placement and are a lower bound.
  return fits(program.leastBytes(0)) || fits(program.plainBytes());
}

/// Returns the program of a choice as the only schedule of its kernels; null if
/// its mode cannot be applied or is beaten.
std::unique_ptr<KernelSet> BudgetPlans::programOf(const KernelChoice &choice) {
  // Recomputation takes time.
  if (options.fitsAsIs && choice.mode != Checkpointing())
    return nullptr;
  FailureOr<OwningOpRef<mlir::ModuleOp>> module = kernels->form(choice);
  if (failed(module))
    return nullptr;
  FailureOr<BudgetCurve> curve = curveOf(**module, 0, "");
  if (failed(curve) || (!choice.isForSmall && isBeaten(*curve)))
    return nullptr;
  // No schedule of the kernels takes less time.
  if (options.fitsAsIs &&
      curve->plainMilliseconds() >= own().plainMilliseconds())
    return nullptr;
  std::unique_ptr<KernelSet> set = setOf(std::move(*curve));
  set->mode = choice.name();
  set->isForSmall = choice.isForSmall;
  set->work = choice.work;
  set->module = std::move(*module);
  return set;
}

/// Returns true if two choices led to the same kernels, as far as plans can
/// tell.
static bool areOne(BudgetCurve &a, BudgetCurve &b) {
  return a.plainMilliseconds() == b.plainMilliseconds() &&
         a.plainBytes() == b.plainBytes() && a.leastBytes(0) == b.leastBytes(0);
}

void BudgetPlans::lookAtChoices() {
  // A mode with too few cuts reports an error; the user did not request it.
  ScopedDiagnosticHandler quiet(own().problem.function.getContext(),
                                [](Diagnostic &) { return success(); });
  std::vector<std::unique_ptr<KernelSet>> programs;
  std::vector<KernelChoice> all = std::exchange(choices, {});
  for (const KernelChoice &choice : all) {
    tell("looking at other kernels",
         double(&choice - all.data()) / double(all.size()));
    if (std::unique_ptr<KernelSet> program = programOf(choice)) {
      bool isKnown =
          areOne(program->curve, sets.front()->curve) ||
          llvm::any_of(programs, [&](const std::unique_ptr<KernelSet> &other) {
            return areOne(program->curve, other->curve);
          });
      if (!isKnown)
        programs.push_back(std::move(program));
    }
  }
  // The cheapest first: schedules found from there beat most of the others.
  llvm::stable_sort(programs, [](const auto &a, const auto &b) {
    return a->curve.plainMilliseconds() < b->curve.plainMilliseconds();
  });
  for (std::unique_ptr<KernelSet> &program : programs) {
    if (!program->isForSmall && isBeaten(program->curve))
      continue;
    FailureOr<BudgetCurve> curve = curveOfOther(*program, *program->module);
    // Another order may place worse than the program's own.
    bool isNoWorse =
        succeeded(curve) && curve->choose(program->curve.plainBytes());
    if (isNoWorse || (succeeded(curve) && !curve->contradiction.empty()))
      program->curve = std::move(*curve);
    sets.push_back(std::move(program));
  }
}

const std::vector<std::unique_ptr<KernelSet>> &BudgetPlans::all() {
  if (!choices.empty())
    lookAtChoices();
  return sets;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

PlanChoice BudgetPlans::plain() {
  return {sets.front().get(), uint32_t(own().points.size() - 1)};
}

PlanChoice BudgetPlans::knee() { return {sets.front().get(), own().knee()}; }

PlanChoice BudgetPlans::smallest() {
  std::vector<KernelSet *> byLeast;
  for (const auto &set : all())
    byLeast.push_back(set.get());
  llvm::stable_sort(byLeast, [](KernelSet *a, KernelSet *b) {
    return a->curve.leastBytes(0) < b->curve.leastBytes(0);
  });
  std::optional<PlanChoice> best;
  for (KernelSet *set : byLeast) {
    // Small points take longest to place and need at least their bytes.
    if (best && set->curve.leastBytes(0) >= best->bytes())
      break;
    PlanChoice choice = {set, set->curve.smallest()};
    // Other entries may need more than all schedules; choose then accepts no
    // schedule of other kernels.
    if (choice.stepBytes() > budgetOf(*set, UINT64_MAX))
      continue;
    if (!best || choice.bytes() < best->bytes())
      best = choice;
  }
  return *best;
}

/// Other kernels than the step's own serve budgets in which these have to
/// recompute.
uint64_t BudgetPlans::budgetOf(const KernelSet &set, uint64_t budget) {
  return &set == sets.front().get() ? budget
                                    : std::min(budget, plain().stepBytes() - 1);
}

std::optional<PlanChoice> BudgetPlans::choose(uint64_t budget) {
  asked = budget;
  // The most promising first: a set that cannot be cheaper is not placed.
  std::vector<std::pair<double, KernelSet *>> promising;
  for (const auto &set : all())
    if (set->otherBytes <= budget)
      promising.push_back(
          {set->curve.leastMilliseconds(budgetOf(*set, budget)), set.get()});
  llvm::stable_sort(promising, llvm::less_first());
  std::optional<PlanChoice> best;
  for (auto [least, set] : promising) {
    double most =
        best ? best->milliseconds() : std::numeric_limits<double>::infinity();
    std::optional<uint32_t> point =
        set->curve.choose(budgetOf(*set, budget), most);
    if (!point)
      continue;
    PlanChoice choice = {set, *point};
    if (!best || choice.milliseconds() < best->milliseconds() ||
        choice.bytes() < best->bytes())
      best = choice;
  }
  return best;
}

std::vector<KernelSet *> BudgetPlans::searched() const {
  std::vector<KernelSet *> result;
  for (const auto &set : sets)
    result.push_back(set.get());
  return result;
}

/// Returns the cost of the most expensive schedule that costs less than
/// `milliseconds`.
double BudgetPlans::costBelow(double milliseconds) {
  double below = 0;
  for (const auto &set : all())
    for (const plan::FrontierPoint &point : set->curve.points)
      if (point.solution.milliseconds < milliseconds)
        below = std::max(below, point.solution.milliseconds);
  return below;
}

std::optional<PlanChoice> BudgetPlans::chooseClosely(uint64_t budget) {
  std::optional<PlanChoice> choice = choose(budget);
  if (!choice || choice->point + 1 == choice->curve().points.size())
    return choice;
  tell("searching near the budget", -1);
  // A result must cost more than the schedules of larger budgets.
  std::optional<uint32_t> point = choice->curve().chooseClosely(
      budgetOf(*choice->kernels, budget), costBelow(choice->milliseconds()));
  return PlanChoice{choice->kernels, *point};
}

/// Searches the kernels of a set unless none of their schedules can be within
/// the budget; returns true if one is.
bool BudgetPlans::searchWithin(KernelSet &set, mlir::ModuleOp module) {
  uint64_t budget = options.withinBytes;
  if (fits(set, budget))
    return true;
  if (std::max(set.curve.provenBytes().bytes, set.otherBytes) > budget)
    return false;
  FailureOr<BudgetCurve> curve =
      set.mode.empty() ? curveOf(module, options.work, "searching schedules")
                       : curveOfOther(set, module);
  if (failed(curve))
    return false;
  set.curve = std::move(*curve);
  return set.curve.choose(budget).has_value();
}

bool BudgetPlans::fitsWithin(const KernelChoice &choice) {
  std::unique_ptr<KernelSet> set = programOf(choice);
  if (!set)
    return false;
  sets.push_back(std::move(set));
  return searchWithin(*sets.back(), *sets.back()->module);
}

std::optional<PlanChoice> BudgetPlans::chooseWithin(StringRef first) {
  ScopedDiagnosticHandler quiet(own().problem.function.getContext(),
                                [](Diagnostic &) { return success(); });
  std::vector<KernelChoice> all = std::exchange(choices, {});
  auto isFirst = [&](const KernelChoice &choice) {
    return choice.name() == first;
  };
  bool found = fits(*sets.front(), options.withinBytes);
  for (const KernelChoice &choice : all)
    found = found || (isFirst(choice) && fitsWithin(choice));
  if (!found && options.work > 0)
    found =
        searchWithin(*sets.front(),
                     own().problem.function->getParentOfType<mlir::ModuleOp>());
  for (const KernelChoice &choice : all)
    found = found || (!isFirst(choice) && fitsWithin(choice));
  return found ? choose(options.withinBytes) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

static bool provesLess(const plan::LowerBound &a, const plan::LowerBound &b) {
  return a.feasible != b.feasible ? a.feasible
                                  : a.milliseconds < b.milliseconds;
}

plan::LowerBound BudgetPlans::boundAt(uint64_t budget) {
  // Less work never proves more than more work.
  constexpr double little = 0.125;
  std::vector<std::pair<plan::LowerBound, const BudgetCurve *>> bounds;
  for (const auto &set : all())
    bounds.push_back({set->curve.boundAt(budget, little), &set->curve});
  llvm::stable_sort(bounds, [](const auto &a, const auto &b) {
    return provesLess(a.first, b.first);
  });
  plan::LowerBound least = bounds.front().second->boundAt(budget);
  for (const auto &[bound, curve] : llvm::drop_begin(bounds)) {
    if (!provesLess(bound, least))
      break;
    plan::LowerBound proven = curve->boundAt(budget);
    if (provesLess(proven, least))
      least = std::move(proven);
  }
  return least;
}

BudgetPlans::Proof BudgetPlans::provenBytes() {
  std::optional<Proof> least;
  uint64_t fixedBytes = UINT64_MAX;
  for (const auto &set : all()) {
    Proof proof = {&set->curve.problem, set->curve.fixedBytes,
                   set->curve.provenBytes()};
    fixedBytes = std::min(fixedBytes, proof.fixedBytes);
    if (!least || proof.bound.bytes < least->bound.bytes)
      least = std::move(proof);
  }
  for (const OtherEntry &other : others) {
    Proof proof = {&other.problem, fixedBytes, other.bound};
    proof.bound.bytes += fixedBytes;
    if (proof.bound.bytes > least->bound.bytes)
      least = std::move(proof);
  }
  return *least;
}

std::string BudgetPlans::Proof::place(const BudgetPlans &plans) const {
  if (bound.cut == plan::kNone)
    return "";
  func::FuncOp function = problem->function,
               step = plans.own().problem.function;
  bool isOfStep = function.getSymName() == step.getSymName();
  return problem->graph.ops[bound.cut].name +
         (isOfStep ? "" : " of " + function.getSymName().str());
}

std::string BudgetPlans::checkProofs(uint64_t budget,
                                     const std::optional<PlanChoice> &choice) {
  for (const OtherEntry &other : others)
    if (std::string error = plan::checkByteBound(other.bound, other.height);
        !error.empty())
      return error;
  for (const auto &set : all()) {
    bool isChosen = choice && choice->kernels == set.get();
    std::string error = set->curve.checkProofs(
        budget,
        isChosen ? std::optional<uint32_t>(choice->point) : std::nullopt);
    if (!error.empty())
      return error;
  }
  return "";
}
