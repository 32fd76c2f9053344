//===- budget_floor.cpp - No mode lies below the smallest budget ----------===//
//
//   budget_floor [--progress] [--entries] FIRST COUNT
//
// Plans COUNT random graphs from the seed FIRST on, in every mode of
// checkpointing and for budgets, and compiles no kernel. Says which mode's
// program takes fewer bytes than the smallest budget, which pair of budgets is
// not monotone, and which proof is above what was found. With --entries graphs
// are small and have an entry for evaluation, which may need more than any
// schedule of the training step: says which budget that plans name is refused.
//
//===----------------------------------------------------------------------===//

#include "../RandomGraphs/Generator.h"
#include "TrainingCheck.h"
#include "reprise/Passes/Pipelines.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

/// Peak of the training step in a mode; 0 where the mode cannot be applied.
static uint64_t peakIn(mlir::ModuleOp model, const std::string &mode) {
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  CompileOptions options = trainingOptions();
  options.checkpointing = *parseCheckpointing(mode);
  if (failed(lowerModel(*clone, options, CompileLevel::Program)))
    return 0;
  uint64_t peak = 0;
  for (auto program : clone->getOps<rt_dialect::ProgramOp>())
    for (auto entry : program.getBody().getOps<rt_dialect::EntryOp>())
      peak = entry.getPeakBytes();
  return peak;
}

static std::string checkModes(mlir::ModuleOp model, BudgetPlans &plans) {
  uint64_t smallest = plans.smallest().bytes();
  for (const std::string &mode : allModes())
    if (uint64_t peak = peakIn(model, mode); peak && peak < smallest)
      return mode + " takes " + std::to_string(peak) +
             " bytes, less than the smallest budget of " +
             std::to_string(smallest);
  return "";
}

static std::string checkProofs(BudgetPlans &plans) {
  uint64_t smallest = plans.smallest().bytes();
  if (uint64_t proven = plans.provenBytes().bound.bytes; proven > smallest)
    return "no schedule below " + std::to_string(proven) +
           " bytes is proven, but one of " + std::to_string(smallest) +
           " was found";
  if (plans.choose(smallest - 1))
    return "a budget below the smallest is met";
  return "";
}

/// A limit on the cost changes no choice that meets it, and no choice costs
/// less than is known of it without a placement.
static std::string checkLimits(BudgetCurve &curve, uint64_t budget) {
  double least = curve.leastMilliseconds(budget);
  std::optional<uint32_t> point = curve.choose(budget);
  if (!point)
    return "";
  double cost = curve.points[*point].solution.milliseconds;
  bool isSame = curve.choose(budget, cost) == point;
  if (cost < least || !isSame || curve.choose(budget, cost * (1 - 1e-9)))
    return "a limit on the cost changes what " + std::to_string(budget) +
           " bytes choose";
  return "";
}

/// Across all sets of kernels: more bytes, no more cost and no lower peak.
static std::string checkMonotone(BudgetPlans &plans) {
  constexpr uint64_t parts = 8;
  uint64_t least = plans.smallest().bytes(), most = plans.plain().bytes();
  std::optional<PlanChoice> before;
  for (uint64_t part = 0; part <= parts; ++part) {
    uint64_t budget = least + (most - least) / parts * part;
    if (std::string wrong = checkLimits(plans.own(), budget); !wrong.empty())
      return wrong;
    std::optional<PlanChoice> choice = plans.choose(budget);
    if (!choice || choice->bytes() > budget)
      return "no plan within " + std::to_string(budget) + " bytes";
    if (plans.boundAt(budget).milliseconds >
        choice->milliseconds() * (1 + 1e-9))
      return "the bound within " + std::to_string(budget) +
             " bytes is above a schedule's cost";
    if (before && (choice->milliseconds() > before->milliseconds() ||
                   choice->bytes() < before->bytes()))
      return "a budget of " + std::to_string(budget) +
             " bytes costs more than a smaller one, or has a lower peak";
    before = choice;
  }
  return "";
}

/// The errors of lowering `model` within a budget; "" where that is met.
static std::string refusalOf(mlir::ModuleOp model, CompileOptions options,
                             const plan::Budget &request) {
  std::string message;
  ScopedDiagnosticHandler handler(model.getContext(), [&](Diagnostic &error) {
    if (error.getSeverity() == DiagnosticSeverity::Error)
      message += error.str() + "\n";
    return success();
  });
  options.budget = request;
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  bool failed =
      mlir::failed(lowerModel(*clone, options, CompileLevel::Program));
  return failed && message.empty() ? "failed without a word" : message;
}

/// Adds an input that nothing reads. It takes memory in an entry's first step,
/// which in evaluation is often a larger one than in training.
static void addUnusedInput(mlir::ModuleOp model) {
  func::FuncOp function = *model.getOps<func::FuncOp>().begin();
  Builder b(model.getContext());
  auto image = cast<RankedTensorType>(function.getArgumentTypes().front());
  auto type =
      RankedTensorType::get({image.getDimSize(0), 1024}, b.getF32Type());
  auto name =
      b.getNamedAttr(sg::SgDialect::kNameAttr, b.getStringAttr("unused"));
  LogicalResult added =
      function.insertArgument(function.getNumArguments(), type,
                              b.getDictionaryAttr(name), model.getLoc());
  assert(succeeded(added) && "a function with a body takes arguments");
  (void)added;
}

/// All entries share a budget: every one that plans name is met, and one byte
/// less than the smallest is refused by that number. Of small graphs, in which
/// evaluation needs most now and then.
static std::string checkEntries(MLIRContext &context, uint64_t seed,
                                unsigned &bounded) {
  using Kind = plan::Budget::Kind;
  random_graphs::GraphOptions small;
  small.minSteps = 1;
  small.maxSteps = 3;
  small.maxDepth = 1;
  auto module = random_graphs::generateGraph(&context, seed, small);
  mlir::ModuleOp model = *module;
  widenCalls(model);
  if (seed % 2)
    addUnusedInput(model);
  CompileOptions options = trainingOptions();
  options.checkpointing = {};
  options.evaluation = true;
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  FailureOr<BudgetPlans> plans = planBudgets(*clone, options);
  if (failed(plans))
    return "has no plans with an evaluation";
  if (std::string wrong = checkProofs(*plans); !wrong.empty())
    return "with an evaluation: " + wrong;
  uint64_t least = plans->smallest().bytes();
  bounded += least > plans->smallest().stepBytes();
  for (const plan::Budget &request :
       {plan::Budget{Kind::Bytes, least, 0},
        plan::Budget{Kind::Percent, 0, 100}, plan::Budget{Kind::Knee, 0, 0}})
    if (std::string refusal = refusalOf(model, options, request);
        !refusal.empty())
      return "a budget that plans name is refused: " + refusal;
  std::string refusal = refusalOf(model, options, {Kind::Bytes, least - 1, 0});
  if (refusal.find("(" + std::to_string(least) + " bytes)") ==
      std::string::npos)
    return "the refusal of less than " + std::to_string(least) +
           " bytes does not name them: " + refusal;
  return "";
}

static std::string checkGraph(MLIRContext &context, uint64_t seed) {
  auto model = random_graphs::generateGraph(&context, seed);
  widenCalls(*model);
  CompileOptions options = trainingOptions();
  options.checkpointing = {};
  OwningOpRef<mlir::ModuleOp> clone = model->clone();
  FailureOr<BudgetPlans> plans = planBudgets(*clone, options);
  if (failed(plans))
    return "has no plans";
  std::string wrong = checkModes(*model, *plans);
  if (wrong.empty())
    wrong = checkProofs(*plans);
  return wrong.empty() ? checkMonotone(*plans) : wrong;
}

int main(int argc, char **argv) {
  auto takeFlag = [&](const char *name) {
    bool isGiven = argc > 1 && !std::strcmp(argv[1], name);
    argc -= isGiven;
    argv += isGiven;
    return isGiven;
  };
  bool showsProgress = takeFlag("--progress"),
       ofEntries = takeFlag("--entries");
  if (argc != 3) {
    llvm::errs()
        << "usage: budget_floor [--progress] [--entries] FIRST COUNT\n";
    return 2;
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);
  hideWarnings(context);
  uint64_t first = std::strtoull(argv[1], nullptr, 10);
  uint64_t count = std::strtoull(argv[2], nullptr, 10), failures = 0;
  unsigned bounded = 0; // by the evaluation
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::string wrong = ofEntries ? checkEntries(context, seed, bounded)
                                  : checkGraph(context, seed);
    failures += !wrong.empty();
    if (!wrong.empty())
      llvm::outs() << "seed " << seed << ": " << wrong << '\n';
    if (uint64_t done = seed + 1 - first; showsProgress && done % 100 == 0)
      llvm::outs() << done << " done, " << failures << " failed\n";
    llvm::outs().flush();
  }
  llvm::outs() << count - failures << " passed, " << failures << " failed\n";
  if (ofEntries)
    llvm::outs() << bounded << " need most in evaluation\n";
  bool provesNothing = ofEntries && bounded == 0;
  return failures != 0 || provesNothing;
}
