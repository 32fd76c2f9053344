//===- TrainingCheck.cpp - One graph through all modes --------------------===//

#include "TrainingCheck.h"
#include "../RandomGraphs/Generator.h"
#include "mlir/IR/Verifier.h"
#include "reprise/IR/BlockRewrite.h"
#include "reprise/Passes/Pipelines.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;
using reference::Tensor;
using reference::VariableStore;

std::vector<std::string> end_to_end::allModes() {
  return {"none",       "annotated",  "per-block",
          "nested",     "segments=2", "segments=4",
          "segments=8", "sqrt",       "threshold-bytes=256"};
}

std::vector<std::string> end_to_end::budgetModes() {
  return {"none",       "budget=0/8", "budget=1/8", "budget=2/8",
          "budget=3/8", "budget=4/8", "budget=5/8", "budget=6/8",
          "budget=7/8", "host=1/8",   "host=5/8"};
}

ByteStore end_to_end::variablesOf(mlir::ModuleOp model, uint64_t seed) {
  ByteStore bytes;
  for (auto &[name, tensor] : random_graphs::generateVariables(model, seed))
    bytes[name] = end_to_end::toBytes(tensor);
  return bytes;
}

static func::FuncOp functionOf(mlir::ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

/// The arguments of a step: of the model, or so many times its rows.
static SmallVector<Tensor> argumentsOf(mlir::ModuleOp model, uint64_t seed) {
  OwningOpRef<mlir::ModuleOp> wide = model.clone();
  func::FuncOp function = functionOf(*wide);
  SmallVector<Type> types;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    if (!shape.empty())
      shape[0] *= trainingOptions(seed).microBatches;
    types.push_back(tensor.clone(shape));
  }
  function.setFunctionType(
      FunctionType::get(model.getContext(), types, function.getResultTypes()));
  return random_graphs::generateArguments(function, seed);
}

/// The arguments' bytes by name, with a learning rate, which the model itself
/// does not have.
ByteStore end_to_end::inputsOf(mlir::ModuleOp model, uint64_t seed) {
  func::FuncOp function = functionOf(model);
  ByteStore inputs;
  auto values = argumentsOf(model, seed);
  for (auto [k, value] : llvm::enumerate(values))
    inputs[function.getArgAttrOfType<StringAttr>(k, sg::SgDialect::kNameAttr)
               .str()] = end_to_end::toBytes(value);
  auto scalar = RankedTensorType::get({}, Float32Type::get(model.getContext()));
  inputs["learning_rate"] = end_to_end::toBytes(Tensor::splat(scalar, 0.125));
  return inputs;
}

namespace {

/// The differentiated model without checkpointing, for the evaluator; hidden
/// units are as the model has them.
class ReferenceModel {
public:
  /// Empty with `message` where it does not differentiate.
  ReferenceModel(mlir::ModuleOp model, uint64_t seed, std::string &message)
      : seed(seed), model(model.clone()),
        isMixed(random_graphs::mixesTypes(model) ||
                trainingLossyKept() != LossyKept::None) {
    CompileOptions options = trainingOptions(seed);
    options.lossyKept = LossyKept::None;
    options.checkpointing = {};
    options.halvedBytes = UINT64_MAX;
    options.sparedBytes = UINT64_MAX;
    // Micro-batches are put together when the step is flat.
    if (failed(options.microBatches > 1
                   ? lowerToKernels(*this->model, options)
                   : lowerModel(*this->model, options, CompileLevel::Train)))
      message = "the reference does not differentiate";
  }

  /// Zeros for the variables that are not in `variables`: the optimizer's.
  void complete(VariableStore &variables) {
    model->walk([&](sg::VariableOp variable) {
      variables.try_emplace(variable.getSymName().str(),
                            Tensor(variable.getTensorType()));
    });
  }

  /// One step, with the inputs of the seed. Returns the loss, or NaN with
  /// `message`.
  double step(VariableStore &variables, reference::Precision precision,
              std::string &message) {
    func::FuncOp function = functionOf(*model);
    auto arguments = random_graphs::generateArguments(function, seed);
    reference::EvaluationOptions options;
    options.precision = precision;
    auto results = reference::evaluate(function, arguments, variables, options);
    if (failed(results)) {
      message = "the reference does not evaluate";
      return NAN;
    }
    return (*results)[0].real(0);
  }

  /// Whether values are compared as TrainingCheck.h says of bf16.
  bool mixesTypes() const { return isMixed; }

private:
  uint64_t seed;
  OwningOpRef<mlir::ModuleOp> model;
  bool isMixed;
};

} // namespace

namespace {
/// A variable in a step: the evaluator's, the program's, the one before, and
/// the evaluator's where values were rounded otherwise.
struct Compared {
  const std::string &name;
  const Tensor &expected, &got, &before;
  std::vector<Tensor> otherwise;
  double allowed; // of the distance, in addition
};
} // namespace

/// How often what rounding changes in the evaluator's own a value may be off.
/// Two roundings are two draws of the same: one says little of a short vector.
static constexpr double kRoundings = 5;
/// Of those roundings, where values are bf16.
static constexpr unsigned kDraws = 2;

/// By the largest of elements.
static std::string compareVariable(const Compared &of) {
  double update = 0, size = 0, error = 0, rounding = 0;
  for (int64_t k = 0; k < of.expected.size(); ++k) {
    double expected = of.expected.number(k);
    update = std::max(update, std::abs(expected - of.before.number(k)));
    size = std::max(size, std::abs(expected));
    for (const Tensor &other : of.otherwise)
      rounding = std::max(rounding, std::abs(expected - other.number(k)));
    double difference = std::abs(expected - of.got.number(k));
    error = std::isnan(difference) ? INFINITY : std::max(error, difference);
  }
  // A gradient that cancels to zero, as that of a scale which another
  // batch_norm takes out again, is the rounding of its terms.
  double bound = 5e-3 * update + 1e-5 * size + 5e-7 + kRoundings * rounding;
  if (error <= bound)
    return "";
  char numbers[100];
  std::snprintf(numbers, sizeof(numbers),
                "%.3g, more than %.3g (of %.3g, changed by %.3g)", error, bound,
                size, update);
  return of.name + " differs from the reference by " + numbers;
}

static double distance(const Tensor &a, const Tensor &b) {
  double sum = 0;
  for (int64_t k = 0; k < a.size(); ++k)
    sum += std::pow(a.number(k) - b.number(k), 2);
  return std::sqrt(sum);
}

/// The same where values are bf16: by lengths of vectors.
static std::string compareRoughly(const Compared &of) {
  double update = 0, size = 0, error = 0, rounding = 0;
  std::vector<double> roundings(of.otherwise.size());
  for (int64_t k = 0; k < of.expected.size(); ++k) {
    double expected = of.expected.number(k);
    update += std::pow(expected - of.before.number(k), 2);
    size += std::pow(expected, 2);
    error += std::pow(expected - of.got.number(k), 2);
    for (auto [other, sum] : llvm::zip_equal(of.otherwise, roundings))
      sum += std::pow(expected - other.number(k), 2);
  }
  for (double sum : roundings)
    rounding = std::max(rounding, sum);
  double bound = 0.25 * std::sqrt(update) + 1e-3 * std::sqrt(size) + 1e-6 +
                 kRoundings * std::sqrt(rounding) + of.allowed;
  if (std::sqrt(error) <= bound)
    return "";
  char numbers[100];
  std::snprintf(numbers, sizeof(numbers),
                "%.3g, more than %.3g (changed by %.3g)", std::sqrt(error),
                bound, std::sqrt(update));
  return of.name + " is from the reference by " + numbers;
}

/// The evaluator's step from variables that are off by half a place of bf16,
/// with the signs of `draw`, as if they had changed as much from `before`.
static VariableStore stepFromRounded(ReferenceModel &model,
                                     const VariableStore &before, unsigned draw,
                                     std::string &message) {
  std::minstd_rand random(draw + 1);
  VariableStore rounded = before;
  for (auto &[name, value] : rounded)
    for (int64_t k = 0; value.isReal() && k < value.size(); ++k)
      value.real(k) *= random() % 2 ? 1 + 0x1p-9 : 1 - 0x1p-9;
  VariableStore after = rounded;
  model.step(after, reference::Precision::Stored, message);
  for (auto &[name, value] : after)
    for (int64_t k = 0; value.isReal() && k < value.size(); ++k)
      value.real(k) += before.at(name).real(k) - rounded.at(name).real(k);
  return after;
}

/// One step from `variables`, which become those of the program after it.
static std::string compareStep(ReferenceModel &model, const CompiledRun &run,
                               size_t step, VariableStore &variables) {
  const VariableStore before = variables;
  std::string message;
  using reference::Precision;
  bool isMixed = model.mixesTypes();
  std::vector<VariableStore> otherwise = {before};
  model.step(otherwise[0], isMixed ? Precision::Double : Precision::Stored,
             message);
  for (unsigned draw = 0; isMixed && draw < kDraws; ++draw)
    otherwise.push_back(stepFromRounded(model, before, draw, message));
  double loss = model.step(
      variables, isMixed ? Precision::Stored : Precision::Double, message);
  if (!message.empty())
    return message;
  float got = run.losses[step];
  double tolerance = isMixed ? 2e-2 : 1e-4;
  if (!(std::abs(loss - got) <= tolerance * std::max(1.0, std::abs(loss))))
    return "loss is " + std::to_string(got) + ", but the reference's is " +
           std::to_string(loss);
  // Rounding the terms of a gradient that cancels leaves a share of them.
  double allowed = 0;
  if (trainingLossyKept() != LossyKept::None)
    for (auto &[name, expected] : variables)
      allowed = std::max(allowed, 0.1 * distance(expected, before.at(name)));
  for (auto &[name, expected] : variables) {
    auto found = run.variables[step].find(name);
    if (found == run.variables[step].end())
      return "the program has no variable " + name;
    Tensor after = fromBytes(expected.getType(), found->second);
    Compared of{name, expected, after, before.at(name), {}, allowed};
    for (const VariableStore &other : otherwise)
      of.otherwise.push_back(other.at(name));
    std::string wrong = isMixed ? compareRoughly(of) : compareVariable(of);
    if (!wrong.empty())
      return wrong;
    expected = after;
  }
  return "";
}

std::string end_to_end::compareWithReference(mlir::ModuleOp model,
                                             uint64_t seed,
                                             const CompiledRun &run) {
  std::string wrong;
  ReferenceModel reference(model, seed, wrong);
  if (!wrong.empty())
    return wrong;
  VariableStore variables = random_graphs::generateVariables(model, seed);
  reference.complete(variables);
  for (size_t k = 0; k < run.losses.size(); ++k) {
    wrong = compareStep(reference, run, k, variables);
    if (!wrong.empty())
      return wrong + ", in step " + std::to_string(k + 1);
  }
  return "";
}

/// The first name whose bytes differ, or "".
static std::string firstDifference(const ByteStore &a, const ByteStore &b) {
  for (auto &[name, bytes] : a)
    if (auto found = b.find(name); found == b.end() || found->second != bytes)
      return name;
  return "";
}

std::string end_to_end::compareBits(const CompiledRun &a,
                                    const CompiledRun &b) {
  for (size_t k = 0; k < a.variables.size(); ++k) {
    std::string step = " after step " + std::to_string(k + 1);
    if (std::string name = firstDifference(a.outputs[k], b.outputs[k]);
        !name.empty())
      return "output " + name + " has other bits" + step;
    if (std::string name = firstDifference(a.variables[k], b.variables[k]);
        !name.empty())
      return name + " has other bits" + step;
  }
  return "";
}

/// Budgets come in increasing order: so must the peaks of the last two.
static std::string compareBudgets(const std::vector<std::string> &modes,
                                  const std::vector<CompiledRun> &runs) {
  size_t last = runs.size() - 1;
  StringRef mode = modes[last];
  if (!mode.starts_with("budget="))
    return "";
  if (runs[last].predictedPeak > runs.front().predictedPeak)
    return "the budget's peak of " + std::to_string(runs[last].predictedPeak) +
           " is above the " + std::to_string(runs.front().predictedPeak) +
           " without recomputation";
  if (StringRef(modes[last - 1]).starts_with("budget=") &&
      runs[last].predictedPeak < runs[last - 1].predictedPeak)
    return "more budget has a smaller peak: " +
           std::to_string(runs[last].predictedPeak) + " below " +
           std::to_string(runs[last - 1].predictedPeak);
  return "";
}

/// Marks on tensors change no bit: against the model without its marks, if it
/// has some.
static std::string compareWithoutMarks(mlir::ModuleOp model, uint64_t seed,
                                       const std::string &mode,
                                       const CompiledRun &run) {
  bool isMarked = model
                      .walk([](Operation *op) {
                        return isa<sg::KeepOp, sg::RecomputeOp>(op)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
  // Marks keep other values, and so round others.
  if (!isMarked || trainingLossyKept() != LossyKept::None)
    return "";
  OwningOpRef<mlir::ModuleOp> plain = model.clone();
  sg::eraseMarks(*plain);
  std::vector<Bytes> files;
  std::string wrong =
      compileModes(*plain, {mode}, trainingOptions(seed), files);
  CompiledRun other;
  if (wrong.empty())
    wrong = runArtifact(files.front(), variablesOf(model, seed),
                        inputsOf(model, seed), 3, other);
  if (wrong.empty())
    wrong = compareBits(other, run);
  return wrong.empty() ? wrong : "without marks: " + wrong;
}

/// Compares the first mode's run with one that changes its mode at each step.
static std::string compareSchedule(const std::vector<Bytes> &files,
                                   const ByteStore &variables,
                                   const ByteStore &inputs, uint64_t seed,
                                   const CompiledRun &expected) {
  if (files.size() < 2)
    return "";
  std::vector<const Bytes *> schedule;
  for (size_t step = 0; step < expected.losses.size(); ++step)
    schedule.push_back(&files[1 + (seed + 3 * step) % (files.size() - 1)]);
  CompiledRun run;
  std::string wrong = runSchedule(schedule, variables, inputs, run);
  if (wrong.empty())
    wrong = compareBits(expected, run);
  return wrong.empty() ? wrong : "schedule of modes: " + wrong;
}

std::string end_to_end::checkTraining(mlir::ModuleOp model, uint64_t seed,
                                      const std::vector<std::string> &modes,
                                      Twin twin) {
  ByteStore bytes = variablesOf(model, seed), inputs = inputsOf(model, seed);
  std::vector<Bytes> files;
  if (std::string wrong =
          compileModes(model, modes, trainingOptions(seed), files, twin);
      !wrong.empty())
    return wrong;
  std::vector<CompiledRun> runs;
  for (auto [k, mode] : llvm::enumerate(modes)) {
    CompiledRun &run = runs.emplace_back();
    std::string wrong = runArtifact(files[k], bytes, inputs, 3, run);
    if (wrong.empty() && (run.predictedPeak != run.measuredPeak ||
                          run.changedPeak > run.predictedPeak))
      wrong = "predicted " + std::to_string(run.predictedPeak) +
              " bytes, measured " + std::to_string(run.measuredPeak) +
              ", changed up to " + std::to_string(run.changedPeak);
    if (wrong.empty())
      wrong = compareBits(runs.front(), run);
    if (wrong.empty())
      wrong = compareBudgets(modes, runs);
    if (!wrong.empty())
      return mode + ": " + wrong;
  }
  if (std::string wrong =
          compareSchedule(files, bytes, inputs, seed, runs.front());
      !wrong.empty())
    return wrong;
  if (std::string wrong =
          compareWithoutMarks(model, seed, modes.front(), runs.front());
      !wrong.empty())
    return wrong;
  return compareWithReference(model, seed, runs.front());
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// The n-th op of the model that may be dropped; null past the last.
static Operation *nthOp(mlir::ModuleOp model, unsigned n) {
  Operation *found = nullptr;
  functionOf(model).walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
        isa<sg::ReadOp, sg::ConstantOp>(op))
      return WalkResult::advance();
    if (n-- == 0) {
      found = op;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

/// Drops an op; its results become an operand of equal type, else zeros.
static void drop(Operation *op) {
  OpBuilder builder(op);
  for (Value result : op->getResults()) {
    Value other;
    for (Value operand : op->getOperands())
      if (operand.getType() == result.getType())
        other = operand;
    if (!other && !result.use_empty())
      other = sg::createSplat(builder, op->getLoc(),
                              cast<RankedTensorType>(result.getType()), 0.0);
    if (other)
      result.replaceAllUsesWith(other);
  }
  op->erase();
}

/// The sort of a failure: another sort is another fault, and no smaller case
/// of this one.
static llvm::StringRef sortOf(llvm::StringRef wrong) {
  for (llvm::StringRef sort :
       {"does not compile", "another program", "other bits", "predicted",
        "changed memory", "gives other results", "loss is",
        "from the reference"})
    if (wrong.contains(sort))
      return sort;
  return wrong;
}

OwningOpRef<mlir::ModuleOp> end_to_end::reduceTraining(mlir::ModuleOp model,
                                                       uint64_t seed,
                                                       const std::string &wrong,
                                                       Twin twin) {
  // The mode that failed, if one did, and the one it is compared with.
  std::vector<std::string> modes = {"none"};
  std::string mode = wrong.substr(0, wrong.find(": "));
  if (mode != "none" && (llvm::is_contained(allModes(), mode) ||
                         llvm::is_contained(budgetModes(), mode)))
    modes.push_back(mode);
  OwningOpRef<mlir::ModuleOp> best = model.clone();
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (unsigned n = 0; nthOp(*best, n);) {
      OwningOpRef<mlir::ModuleOp> trial = best->clone();
      drop(nthOp(*trial, n));
      if (failed(verify(*trial)) ||
          sortOf(checkTraining(*trial, seed, modes, twin)) != sortOf(wrong)) {
        ++n;
        continue;
      }
      best = std::move(trial);
      smaller = true;
    }
  }
  return best;
}
