//===- BudgetKernels.cpp - Kernels that a budget chooses among ------------===//
//
// Checkpointing modes, the choice of recomputed cheap values and gradients
// summed by products each give another step with the same bits. A budget takes
// the cheapest schedule of all of them.
//
//===----------------------------------------------------------------------===//

#include "BudgetKernels.h"
#include "reprise/CheckpointingModes.h"
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

/// The kernel choices of a budget. Choices of the user (a mode, blocks to keep
/// or to recompute) are not replaced.
static std::vector<KernelChoice> choicesBeside(func::FuncOp step,
                                               const CompileOptions &options) {
  if (options.checkpointing != "none" || !options.keep.empty() ||
      !options.recompute.empty() || options.planWork <= 0 ||
      plan::paceOf(options.planEffort).otherKernels <= 0)
    return {};
  // Two values of the same size, and small ones: sums within a block are kept.
  std::vector<KernelChoice> choices = {{"none", 2.5, "sums kept"}};
  // Gradients summed by products are one tensor instead of two.
  if (options.amp.empty() && options.fuse && hasGradientsOfImages(step)) {
    choices.push_back({"none", 0, "gradients added up", /*isForSmall=*/true,
                       0.5, /*addGradients=*/true});
    choices.push_back({"none", 2.5, "sums kept, gradients added up",
                       /*isForSmall=*/true, 0.25, /*addGradients=*/true});
  }
  // Budgets matter where recomputing such a value takes time.
  rt::Expected<std::unique_ptr<Target>> target =
      createTarget(options.target, options.threads);
  if (target.ok() && (*target)->bytesAreTime())
    choices.push_back({"none", kReadsOfCheapValues, "sums recomputed",
                       /*isForSmall=*/true});
  for (const std::string &mode : plannedModes())
    choices.push_back({mode});
  return choices;
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

/// Returns true if `request` is for at least the bytes of the unchanged step.
static bool fitsAsIs(BudgetCurve &own, const std::vector<OtherEntry> &others,
                     const BudgetRequest &request) {
  uint64_t bytes = own.plainBytes();
  for (const OtherEntry &other : others)
    bytes = std::max(bytes, own.fixedBytes + other.height);
  return request.kind == BudgetRequest::Kind::Bytes
             ? request.bytes >= bytes
             : request.kind == BudgetRequest::Kind::Percent &&
                   request.percent >= 100;
}

FailureOr<BudgetPlans>
reprise::plansOf(func::FuncOp step, mlir::ModuleOp model,
                 const CompileOptions &options, LowerToChoice lower,
                 uint64_t withinBytes,
                 const std::optional<BudgetRequest> &only) {
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
  // The constants of other entries take bytes in addition to every choice's
  // step.
  SmallVector<func::FuncOp> beside;
  for (const OtherEntry &other : *others)
    beside.push_back(other.problem.function);
  auto shared = std::make_shared<OwningOpRef<mlir::ModuleOp>>(model.clone());
  auto addNothing = std::make_shared<bool>(false);
  auto form = [shared, options, addNothing, lower,
               beside](const KernelChoice &choice)
      -> FailureOr<OwningOpRef<mlir::ModuleOp>> {
    if (choice.addGradients && *addNothing)
      return failure();
    OwningOpRef<mlir::ModuleOp> module = (*shared)->clone();
    CompileOptions other = options;
    other.checkpointing = choice.mode;
    if (failed(lower(*module, other, choice)))
      return failure();
    if (choice.addGradients && !addsUp(*module)) {
      *addNothing = true;
      return failure();
    }
    for (func::FuncOp entry : beside)
      module->push_back(entry.clone());
    return module;
  };
  return BudgetPlans(std::move(*own), std::move(*others), std::move(*search),
                     choicesBeside(step, options), form);
}
