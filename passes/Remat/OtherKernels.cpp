//===- OtherKernels.cpp - Kernels that a budget chooses among -------------===//
//
// Checkpointing modes, the choice of recomputed cheap values and gradients
// summed by products each give another step with the same bits. A budget takes
// the cheapest schedule of all of them.
//
//===----------------------------------------------------------------------===//

#include "OtherKernels.h"
#include "../Lowering/LowerStep.h"
#include "reprise/IR/Kernel.h"
#include "reprise/Target/Target.h"

using namespace mlir;
using namespace reprise;

static FailureOr<BudgetOptions> budgetOptionsOf(mlir::ModuleOp module,
                                                const CompileOptions &from) {
  FailureOr<CostModel> costs = loadCosts(module, from.roofline, from.profile);
  if (failed(costs))
    return failure();
  BudgetOptions options;
  options.costs = std::move(*costs);
  options.work = from.planWork;
  options.effort = from.planEffort;
  options.threads = from.threads;
  options.target = from.target;
  options.keep = from.keep;
  options.observer = from.searchObserver;
  return options;
}

/// Returns true if the step computes gradients of the inputs of convolutions by
/// library calls, which may accumulate.
static bool hasGradientsOfImages(func::FuncOp step) {
  return step
      .walk([](LibraryOpInterface call) {
        return call.getLibraryFunction() == "conv2d_input_grad"
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

// Choices of the user (a mode, blocks to keep or to recompute) are not
// replaced.
std::vector<KernelChoice> OtherKernels::choices() const {
  if (options.checkpointing != Checkpointing() || !options.keep.empty() ||
      !options.recompute.empty() || options.planWork <= 0 ||
      plan::paceOf(options.planEffort).otherKernels <= 0)
    return {};
  Checkpointing none;
  // Two values of the same size, and small ones: sums within a block are kept.
  std::vector<KernelChoice> all = {{none, 2.5, "sums kept"}};
  // Gradients summed by products are one tensor instead of two.
  if (options.amp == MixedPrecision::None && options.fuse &&
      hasGradientsOfImages(step)) {
    all.push_back({none, 0, "gradients added up", /*isForSmall=*/true, 0.5,
                   /*addGradients=*/true});
    all.push_back({none, 2.5, "sums kept, gradients added up",
                   /*isForSmall=*/true, 0.25, /*addGradients=*/true});
  }
  // Budgets matter where recomputing such a value takes time.
  FailureOr<std::unique_ptr<Target>> target =
      createTargetFor(step, options.target, options.threads);
  if (succeeded(target) && (*target)->bytesAreTime())
    all.push_back({none, kReadsOfCheapValues, "sums recomputed",
                   /*isForSmall=*/true});
  for (Checkpointing mode : plannedModes())
    all.push_back({mode});
  // Another choice of what to keep would round other values, and so give other
  // bits.
  if (options.lossyKept != LossyKept::None)
    llvm::erase_if(all, [](const KernelChoice &choice) {
      return choice.mode != Checkpointing() || choice.mostReads != 0;
    });
  return all;
}

/// Returns true if a library call adds its result to a tensor.
static bool addsUp(mlir::ModuleOp module) {
  return module
      .walk([](LibraryOpInterface call) {
        return llvm::is_contained(call.getLibraryEpilogues(),
                                  LibraryEpilogue::Add)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

OtherKernels::OtherKernels(func::FuncOp step, mlir::ModuleOp model,
                           const CompileOptions &options,
                           const std::vector<OtherEntry> &others)
    : step(step), model(model.clone()), options(options) {
  for (const OtherEntry &other : others)
    beside.push_back(other.problem.function);
}

FailureOr<OwningOpRef<mlir::ModuleOp>>
OtherKernels::form(const KernelChoice &choice) {
  if (choice.addGradients && addsNothing)
    return failure();
  OwningOpRef<mlir::ModuleOp> module = model->clone();
  CompileOptions other = options;
  other.checkpointing = choice.mode;
  if (failed(lowerToChoice(*module, other, choice)))
    return failure();
  if (choice.addGradients && !addsUp(*module)) {
    addsNothing = true;
    return failure();
  }
  for (func::FuncOp entry : beside)
    module->push_back(entry.clone());
  return module;
}

/// Returns true if `budget` is for at least the bytes of the unchanged step.
static bool fitsAsIs(BudgetCurve &own, const std::vector<OtherEntry> &others,
                     const plan::Budget &budget) {
  uint64_t bytes = own.plainBytes();
  for (const OtherEntry &other : others)
    bytes = std::max(bytes, own.fixedBytes + other.height);
  return budget.kind == plan::Budget::Kind::Bytes
             ? budget.bytes >= bytes
             : budget.kind == plan::Budget::Kind::Percent &&
                   budget.percent >= 100;
}

FailureOr<BudgetPlans>
reprise::plansOf(func::FuncOp step, mlir::ModuleOp model,
                 const CompileOptions &options, uint64_t withinBytes,
                 const std::optional<plan::Budget> &only) {
  FailureOr<BudgetOptions> search = budgetOptionsOf(model, options);
  if (failed(search))
    return failure();
  FailureOr<std::vector<OtherEntry>> others = planOtherEntries(step, *search);
  if (failed(others))
    return failure();
  // Without a search: BudgetPlans::chooseWithin searches if it has to.
  search->work = 0;
  FailureOr<BudgetCurve> own = failure();
  if (withinBytes || only)
    own = computeBudgetCurve(step, *search);
  search->fitsAsIs = only && succeeded(own) && fitsAsIs(*own, *others, *only);
  search->work = options.planWork;
  if (!withinBytes && !search->fitsAsIs)
    own = computeBudgetCurve(step, *search);
  search->withinBytes = withinBytes;
  if (failed(own))
    return failure();
  // Checked for every purpose: not every use requests proofs.
  if (!own->contradiction.empty())
    return emitContradiction(step, own->contradiction);
  auto kernels = std::make_unique<OtherKernels>(step, model, options, *others);
  return BudgetPlans(std::move(*own), std::move(*others), std::move(*search),
                     std::move(kernels));
}
