//===- LowerToRt.cpp - Flat functions to a placed program -----------------===//
//
// Input:   a module of variables and flat functions of kernels and library ops.
// Output:  one rt.program with an entry for each function.
// Method:  look: fixed storage, a problem for each function, its solution. Then
//          build the program, which cannot fail, and erase the functions.
// Cost:    the planner's (see lib/Plan).
// Fails:   on an op that no step can run and on more memory than a program can
//          have; the module is then unchanged.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Program.h"
#include "reprise/Target/Target.h"

namespace reprise {
#define GEN_PASS_DEF_SGLOWERTORT
#include "reprise/Passes/ProgramPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

FailureOr<rt_dialect::ProgramOp>
reprise::lowerToProgram(mlir::ModuleOp module, const ProgramOptions &options,
                        Target &target, const CostModel &costs) {
  if (Operation *other = SymbolTable::lookupSymbolIn(module, options.model))
    return other->emitError() << "has the name that the program is to have, '"
                              << options.model << "'; give it another one";
  FailureOr<FixedStorage> fixed = layOutFixed(module, target);
  if (failed(fixed))
    return failure();
  std::vector<PlannedEntry> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<PlanProblem> problem = buildPlanProblem(function, *fixed, target);
    if (failed(problem))
      return failure();
    FailureOr<PlanSolution> solution =
        solvePlan(*problem, options.overlapPercent, fixed->bytes);
    if (failed(solution))
      return failure();
    uint64_t bytes = fixed->bytes + solution->placement.height;
    if (bytes > kMaxArenaBytes)
      return function.emitError()
             << "needs " << bytes << " bytes of memory; a program has at most "
             << kMaxArenaBytes;
    priceWhatIsSilent(*problem, costs);
    entries.push_back({std::move(*problem), std::move(*solution)});
  }
  if (entries.empty())
    return module.emitError("has no function that could become an entry");
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  ProgramOptions described = options;
  std::string features = target.features();
  described.target = rt_dialect::TargetAttr::get(
      module.getContext(), target.device(), features, target.alignment());
  return buildProgram(builder, module, described, *fixed, entries);
}

static bool hasCalls(rt_dialect::ProgramOp program) {
  return program
      .walk([](rt_dialect::CallOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
class LowerToRt : public reprise::impl::SgLowerToRtBase<LowerToRt> {
public:
  using SgLowerToRtBase::SgLowerToRtBase;

  void runOnOperation() override {
    ProgramOptions options;
    options.model = model;
    options.threads = threads;
    options.checkpointing = checkpointing;
    options.overlapPercent = overlapPercent;
    if (!(overlapPercent >= 0 && overlapPercent <= 100)) {
      getOperation().emitError() << "overlap-percent is " << overlapPercent
                                 << "; it must be from 0 to 100";
      return signalPassFailure();
    }
    FailureOr<std::unique_ptr<Target>> device =
        createTargetFor(getOperation(), target, threads);
    if (failed(device))
      return signalPassFailure();
    FailureOr<CostModel> costs = loadCosts(
        getOperation(), {gflops, gbytesPerSecond, narrowGflops}, profile);
    if (failed(costs))
      return signalPassFailure();
    auto program = lowerToProgram(getOperation(), options, **device, *costs);
    if (failed(program))
      return signalPassFailure();
    // A program without calls runs with any library.
    if (hasCalls(*program))
      program->setLibrary((*device)->library());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getOps()))
      if (isa<func::FuncOp, sg::VariableOp>(op))
        op.erase();
  }
};
} // namespace
