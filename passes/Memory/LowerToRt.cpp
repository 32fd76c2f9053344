//===- LowerToRt.cpp - Flat functions to a placed program -----------------===//
//
// Input:   a module of variables and flat functions of kernels and library ops.
// Output:  one rt.program with an entry for each function.
// Method:  look: fixed storage, a problem for each function, its solution. Then
//          build the program, which cannot fail, and erase what it replaces.
// Cost:    the planner's (see lib/Plan).
// Fails:   on an op that no step can run and on more memory than a program
//          can have; nothing is changed then.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Memory.h"
#include "reprise/Passes/Target.h"

namespace reprise {
#define GEN_PASS_DEF_SGLOWERTORT
#include "reprise/Passes/MemoryPasses.h.inc"
} // namespace reprise

using namespace mlir;
using namespace reprise;

FailureOr<rt_dialect::ProgramOp>
reprise::lowerToProgram(mlir::ModuleOp module, const ProgramOptions &options,
                        TargetQueries &target) {
  FailureOr<FixedStorage> fixed = layOutFixed(module);
  if (failed(fixed))
    return failure();
  std::vector<PlannedEntry> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    FailureOr<PlanProblem> problem = buildPlanProblem(function, *fixed, target);
    if (failed(problem))
      return failure();
    FailureOr<PlanSolution> solution = solvePlan(*problem);
    if (failed(solution))
      return failure();
    // 64 TiB; rt-verify-program has the same limit.
    constexpr uint64_t kMaxArena = uint64_t(1) << 46;
    uint64_t bytes = fixed->bytes + solution->placement.height;
    if (bytes > kMaxArena)
      return function.emitError()
             << "needs " << bytes << " bytes of memory; a program has at most "
             << kMaxArena;
    entries.push_back({std::move(*problem), std::move(*solution)});
  }
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  return buildProgram(builder, module, options, *fixed, entries);
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
    rt::Expected<std::string> features = resolveTarget(target);
    if (!features.ok()) {
      getOperation().emitError() << features.status().message();
      return signalPassFailure();
    }
    options.target = *features;
    std::unique_ptr<TargetQueries> queries =
        createCpuTarget(threads, options.target);
    auto program = lowerToProgram(getOperation(), options, *queries);
    if (failed(program))
      return signalPassFailure();
    // A program without calls runs beside any library.
    if (hasCalls(*program))
      program->setLibrary(rt::libraryVersion());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getOps()))
      if (isa<func::FuncOp, sg::VariableOp>(op))
        op.erase();
  }
};
} // namespace
