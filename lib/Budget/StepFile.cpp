//===- StepFile.cpp - A step as text, within a budget ---------------------===//
//
// Input:   the text of a step and a budget.
// Output:  the step's text with recomputation, and numbers.
// Method:  calls are inlined and equal subexpressions merged, since whoever
//          compiles the text does both; then look, then rewrite. The text stays
//          as it is if it fits without recomputation.
// Cost:    the planner's.
// Fails:   on text that does not parse and constructs that cannot be planned.
//
//===----------------------------------------------------------------------===//
#include "reprise/Budget/StepFile.h"
#include "ReadNames.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "reprise/Budget/Refusal.h"
#include "reprise/Console/Console.h"
#include "reprise/IR/Origin.h"
#include "reprise/Passes/RematToBudget.h"
#include "reprise/Passes/StableHlo.h"
#include "reprise/Text/Nesting.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::driver;

/// Explains what can be read.
static constexpr char kStepText[] =
    "a step is text of StableHLO, as JAX's lower(...).as_text() prints it; ops "
    "of other dialects are read in MLIR's generic form";

namespace {
/// Errors with their places, for one status.
class Errors {
public:
  explicit Errors(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            add(diagnostic);
        }) {}

  rt::Status status() const {
    return rt::Status::error(RP_INVALID_ARGUMENT, text);
  }
  std::string take() { return std::exchange(text, ""); }

private:
  void add(const Diagnostic &diagnostic) {
    text += (text.empty() ? "" : "\nerror: ") + textOf(diagnostic);
    for (const Diagnostic &note : diagnostic.getNotes())
      text += "\nnote: " + textOf(note);
  }

  static std::string textOf(const Diagnostic &diagnostic) {
    std::string place = sg::sourceOf(diagnostic.getLocation());
    std::string text = diagnostic.str();
    // MLIR's note lists the dialects, and tells how a program registers more.
    if (text.rfind("Available dialects:", 0) == 0)
      text = kStepText;
    return (place.empty() ? "" : place + ": ") + text;
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

class StepPlanner {
public:
  explicit StepPlanner(const StepRequest &request)
      : request(request), context(MLIRContext::Threading::DISABLED),
        errors(&context) {
    DialectRegistry registry;
    registry.insert<func::FuncDialect, remat::RematDialect>();
    stablehlo::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.allowUnregisteredDialects();
    context.printOpOnDiagnostic(false);
  }

  rt::Expected<StepAnswer> run() {
    REPRISE_RETURN_IF_ERROR(read());
    uint64_t bytesAsWritten = 0;
    if (failed(prepare(bytesAsWritten)))
      return errors.status();
    FailureOr<FunctionGraph> graph = buildFunctionGraph(step, request.roofline);
    if (failed(graph))
      return errors.status();
    plan::SolverOptions options;
    options.effort = request.effort;
    options.threads = request.threads;
    Activity activity("planning " + request.file);
    options.progress = [&](double share) { activity.share(share); };
    LiveCurve curve(std::move(*graph), options);
    describe(curve);
    if (request.budget)
      REPRISE_RETURN_IF_ERROR(answerBudget(curve, bytesAsWritten));
    return std::move(answer);
  }

private:
  rt::Status read() {
    auto file = llvm::MemoryBuffer::getFile(request.file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/true);
    if (!file)
      return invalid("cannot read '" + request.file +
                     "': " + file.getError().message());
    input = (*file)->getBuffer().str();
    if (input.find_first_not_of(" \t\r\n") == input.npos)
      return invalid("'" + request.file + "' is empty");
    if (input.find('\0') != input.npos)
      return invalid("'" + request.file + "' is not text; " + kStepText);
    // XLA's dumps begin so.
    if (llvm::StringRef(input).ltrim().starts_with("HloModule"))
      return invalid("'" + request.file + "' is text of XLA's HLO; " +
                     kStepText);
    std::string error = text::checkNesting(request.file, input);
    if (!error.empty())
      return invalid(error);
    sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
    // Names from locations would replace those of the text.
    hasLocations = input.find("loc(") != input.npos;
    module = hasLocations ? parseSourceFile<ModuleOp>(sources, &context)
                          : parseWithNames(sources, &context);
    return module ? rt::Status() : errors.status();
  }

  LogicalResult runPasses(llvm::function_ref<void(OpPassManager &)> add) {
    PassManager passes(&context);
    add(passes);
    return passes.run(*module);
  }

  /// Makes the step one block of ops whose views are known.
  LogicalResult prepare(uint64_t &bytesAsWritten) {
    if (failed(runPasses([](OpPassManager &passes) {
          passes.addPass(createStableHloInlineCalls());
        })))
      return failure();
    step = stablehlo::findStep(*module, request.function);
    if (!step || failed(stablehlo::checkSupported(*module, step)))
      return failure();
    if (failed(runPasses([&](OpPassManager &passes) {
          StableHloAssumeViewsOptions views;
          views.views = request.views;
          passes.addNestedPass<func::FuncOp>(createStableHloAssumeViews(views));
        })))
      return failure();
    FailureOr<FunctionGraph> written =
        buildFunctionGraph(step, request.roofline);
    if (failed(written))
      return failure();
    bytesAsWritten = written->liveBytes();
    return runPasses([](OpPassManager &passes) {
      passes.addNestedPass<func::FuncOp>(createCSEPass());
    });
  }

  static StepPoint pointOf(const plan::Solution &solution, uint64_t ops,
                           double bound) {
    return {solution.maxLive, solution.milliseconds, bound,
            solution.executions.size() - ops};
  }

  void describe(const LiveCurve &curve) {
    const FunctionGraph &problem = curve.problem;
    answer.function = step.getSymName().str();
    answer.ops = problem.ops.size();
    answer.argumentBytes = problem.argumentBytes;
    answer.donatedResults = problem.inDonated.size();
    answer.unknownOps = stablehlo::listUnknownOps(step);
    for (const plan::FrontierPoint &point : curve.points)
      answer.curve.push_back(
          pointOf(point.solution, answer.ops, point.boundMilliseconds));
    answer.plain = answer.curve.back();
    plan::ByteBound bound = plan::lowestBytes(problem.graph);
    answer.provenBytes = bound.cut == plan::kNone ? 0 : bound.bytes;
  }

  uint64_t bytesAskedFor(const LiveCurve &curve) const {
    switch (request.budget->kind) {
    case plan::Budget::Kind::Bytes:
      return request.budget->bytes;
    case plan::Budget::Kind::Percent:
      return uint64_t(request.budget->percent / 100 * curve.plain().maxLive);
    case plan::Budget::Kind::Knee:
      return curve.kneeBytes();
    }
    return 0;
  }

  rt::Status answerBudget(LiveCurve &curve, uint64_t bytesAsWritten) {
    uint64_t budget = answer.budgetBytes = bytesAskedFor(curve);
    std::optional<plan::Solution> chosen = curve.choose(budget);
    std::string error = curve.checkProofs(budget, chosen);
    if (!error.empty())
      return contradiction(error);
    if (!chosen) {
      refuseBudget(curve, budget).report();
      answer.refusal = errors.take();
      return {};
    }
    const plan::Graph &graph = curve.problem.graph;
    error = plan::checkExecutions(graph, chosen->executions);
    if (!error.empty())
      return contradiction(error);
    double bound = plan::lowerBound(graph, budget).milliseconds;
    answer.plan = pointOf(*chosen, answer.ops, bound);
    answer.isUnchanged =
        answer.plan->recomputed == 0 && bytesAsWritten <= budget;
    if (answer.isUnchanged) {
      answer.plan->bytes = bytesAsWritten;
      answer.text = input;
      return {};
    }
    listRecomputed(curve.problem, chosen->executions);
    return write(curve.problem, *chosen);
  }

  void listRecomputed(const FunctionGraph &problem,
                      const plan::Executions &executions) {
    std::vector<uint64_t> times(problem.ops.size(), 0);
    for (plan::OpId id : executions)
      ++times[id];
    for (plan::OpId id = 0; id < times.size(); ++id) {
      if (times[id] < 2)
        continue;
      const plan::Op &op = problem.graph.ops[id];
      RecomputedOp repeated;
      repeated.name = problem.ops[id]->getName().getStringRef().str();
      repeated.source = sg::sourceOf(problem.ops[id]->getLoc());
      for (plan::ValueId made : op.outputs)
        repeated.bytes += problem.graph.values[made].bytes;
      repeated.milliseconds = op.cost;
      repeated.times = times[id] - 1;
      answer.recomputed.push_back(std::move(repeated));
    }
    llvm::stable_sort(answer.recomputed,
                      [](const RecomputedOp &a, const RecomputedOp &b) {
                        return a.bytes > b.bytes;
                      });
  }

  rt::Status write(const FunctionGraph &problem, const plan::Solution &chosen) {
    writeExecutions(problem, chosen.executions);
    FailureOr<FunctionGraph> written =
        buildFunctionGraph(step, request.roofline);
    if (failed(written))
      return errors.status();
    if (uint64_t bytes = written->liveBytes(); bytes > chosen.maxLive)
      return contradiction(std::to_string(chosen.maxLive) +
                           " bytes were promised to be live, " +
                           std::to_string(bytes) + " are");
    if (failed(runPasses([](OpPassManager &passes) {
          passes.addNestedPass<func::FuncOp>(createStableHloInsertBarriers());
        })))
      return errors.status();
    llvm::raw_string_ostream stream(answer.text);
    OpPrintingFlags flags;
    if (hasLocations)
      flags.enableDebugInfo();
    else
      flags.printNameLocAsPrefix();
    module->print(stream, flags);
    stream << "\n";
    return {};
  }

  const StepRequest &request;
  MLIRContext context;
  Errors errors;
  llvm::SourceMgr sources;
  std::string input;
  bool hasLocations = false;
  OwningOpRef<ModuleOp> module;
  func::FuncOp step;
  StepAnswer answer;
};
} // namespace

rt::Expected<StepAnswer> driver::rematerializeStep(const StepRequest &request) {
  return StepPlanner(request).run();
}
