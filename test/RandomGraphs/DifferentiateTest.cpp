//===- DifferentiateTest.cpp - Random graphs through the training passes --===//
//
// Level by level in the reference evaluator: differentiation keeps the loss and
// gives its slope, and what lowers checkpointing and inlines blocks keeps every
// bit of every result and variable.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "reprise/Passes/Checkpoint.h"
#include "reprise/Passes/Train.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace reprise;
using namespace reprise::random_graphs;
using reference::Tensor;
using reference::VariableStore;

static constexpr uint64_t kSeeds = 100;

namespace {
struct Outcome {
  SmallVector<Tensor> results;
  VariableStore variables;
};

class TrainingGraph : public ::testing::Test {
protected:
  TrainingGraph() {
    DialectRegistry registry;
    registry.insert<sg::SgDialect, func::FuncDialect>();
    reference::registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
  }

  void generate(uint64_t newSeed) {
    seed = newSeed;
    module = generateGraph(&context, seed);
    variables = generateVariables(*module, seed);
  }

  func::FuncOp function() { return *module->getOps<func::FuncOp>().begin(); }

  bool differentiate(StringRef optimizer, bool emitGradients) {
    SgDifferentiateOptions options;
    options.optimizer = optimizer.str();
    options.emitGradients = emitGradients;
    PassManager passes(&context);
    passes.addPass(createSgDifferentiate(options));
    if (failed(passes.run(*module)))
      return false;
    // The optimizer's own state is new.
    for (auto &[name, value] : generateVariables(*module, seed))
      variables.emplace(name, value);
    return true;
  }

  bool run(std::unique_ptr<Pass> pass) {
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(std::move(pass));
    return succeeded(passes.run(*module));
  }

  /// Evaluates the function; has no results when it fails.
  Outcome evaluate() {
    Outcome outcome = {{}, variables};
    auto results = reference::evaluate(
        function(), generateArguments(function(), seed), outcome.variables);
    if (succeeded(results))
      outcome.results = *results;
    return outcome;
  }

  /// A training step of graph `newSeed` with checkpointing of this mode.
  Outcome checkpointed(uint64_t newSeed, StringRef mode) {
    generate(newSeed);
    SgAssignCheckpointingOptions options;
    options.mode = mode.str();
    bool passed = run(createSgAssignCheckpointing(options)) &&
                  differentiate("sgd", /*emitGradients=*/true) &&
                  run(createSgLowerCheckpointing()) &&
                  run(createSgVerifyEffects());
    EXPECT_TRUE(passed) << "seed " << newSeed << ", mode " << mode.str();
    return passed ? evaluate() : Outcome();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  VariableStore variables;
  uint64_t seed = 0;
};
} // namespace

static bool isSame(const Tensor &a, const Tensor &b) {
  ArrayRef<double> x = a.getReals(), y = b.getReals();
  if (a.getType() != b.getType() || a.getIntegers() != b.getIntegers() ||
      x.size() != y.size())
    return false;
  // Tensors of integers have no reals, and memcmp takes no null pointers.
  return x.empty() ||
         std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

/// Expects the same bits in every result and variable of `before`.
static void expectSame(const Outcome &after, const Outcome &before,
                       const std::string &where) {
  ASSERT_FALSE(before.results.empty()) << where;
  ASSERT_EQ(after.results.size(), before.results.size()) << where;
  for (size_t i = 0; i < before.results.size(); ++i)
    EXPECT_TRUE(isSame(after.results[i], before.results[i]))
        << where << ", result " << i;
  for (auto &[name, value] : before.variables)
    EXPECT_TRUE(isSame(after.variables.at(name), value))
        << where << ", variable " << name;
}

// Constants such as 1 / N are rounded to f32, 6e-8 of their value, and are
// multiplied along the graph: 1e-5 of the larger side. A kink of relu or of a
// maximum inside the step of 1e-6 is as rare as it is narrow.
TEST_F(TrainingGraph, GradientsAreTheSlopeOfTheLoss) {
  constexpr double h = 1e-6, tolerance = 1e-5;
  int compared = 0;
  for (uint64_t s = 0; s < kSeeds; ++s) {
    generate(s);
    VariableStore start = variables;
    auto shifted = [&](const VariableStore &direction, double step) {
      variables = start;
      for (auto &[name, along] : direction)
        for (int64_t i = 0; i < along.size(); ++i)
          variables.at(name).real(i) += step * along.real(i);
      Outcome outcome = evaluate();
      variables = start;
      return outcome.results.front().real(0);
    };
    VariableStore direction;
    for (auto variable : module->getOps<sg::VariableOp>())
      if (variable.getRole() == sg::Role::Parameter) {
        std::string name = variable.getSymName().str();
        direction.emplace(name, generateVariables(*module, s + 1).at(name));
      }
    double slope = (shifted(direction, h) - shifted(direction, -h)) / (2.0 * h);
    ASSERT_TRUE(differentiate("none", /*emitGradients=*/true)) << "seed " << s;
    Outcome outcome = evaluate();
    ASSERT_FALSE(outcome.results.empty()) << "seed " << s;
    double product = 0.0, size = std::fabs(slope);
    for (unsigned k = 0; k < outcome.results.size(); ++k) {
      auto name = function().getResultAttrOfType<StringAttr>(
          k, sg::SgDialect::kNameAttr);
      if (!name || !name.getValue().starts_with("gradient:"))
        continue;
      const Tensor &along =
          direction.at(name.getValue().drop_front(strlen("gradient:")).str());
      for (int64_t i = 0; i < along.size(); ++i) {
        double term = outcome.results[k].real(i) * along.real(i);
        product += term;
        size += std::fabs(term);
      }
      ++compared;
    }
    EXPECT_LE(std::fabs(product - slope), tolerance * std::max(size, 0.01))
        << "seed " << s << ": gradient " << product << ", slope " << slope;
  }
  EXPECT_GT(compared, static_cast<int>(kSeeds));
}

TEST_F(TrainingGraph, DifferentiationKeepsLossAndState) {
  for (uint64_t s = 0; s < kSeeds; ++s) {
    std::string where = "seed " + std::to_string(s);
    generate(s);
    Outcome model = evaluate();
    ASSERT_TRUE(differentiate("none", /*emitGradients=*/false)) << where;
    ASSERT_TRUE(run(createSgVerifyLevel({"train"}))) << where;
    ASSERT_TRUE(run(createSgVerifyEffects())) << where;
    Outcome train = evaluate();
    ASSERT_EQ(train.results.size(), model.results.size()) << where;
    for (size_t i = 0; i < model.results.size(); ++i)
      EXPECT_TRUE(isSame(train.results[i], model.results[i])) << where;
  }
}

TEST_F(TrainingGraph, LoweringAndFlatteningKeepEveryBit) {
  for (uint64_t s = 0; s < kSeeds; ++s) {
    std::string where = "seed " + std::to_string(s);
    generate(s);
    ASSERT_TRUE(differentiate("sgd", /*emitGradients=*/true)) << where;
    Outcome train = evaluate();
    ASSERT_FALSE(train.results.empty()) << where;
    ASSERT_TRUE(run(createSgLowerCheckpointing())) << where;
    ASSERT_TRUE(run(createSgVerifyLevel({"remat"}))) << where;
    ASSERT_TRUE(run(createSgVerifyEffects())) << where;
    expectSame(evaluate(), train, where + ", lowered");
    ASSERT_TRUE(run(createSgFlatten())) << where;
    ASSERT_TRUE(run(createSgVerifyEffects())) << where;
    expectSame(evaluate(), train, where + ", flattened");
  }
}

TEST_F(TrainingGraph, AnnotatingBlocksKeepsEveryBit) {
  for (uint64_t s = 0; s < kSeeds; ++s) {
    Outcome expected = checkpointed(s, "none");
    for (const char *mode : {"annotated", "per-block", "nested"})
      expectSame(checkpointed(s, mode), expected,
                 "seed " + std::to_string(s) + ", mode " + mode);
  }
}

/// The rows of micro-batch `k` of a step's arguments.
static SmallVector<Tensor> rowsOf(ArrayRef<Tensor> arguments,
                                  func::FuncOp micro, unsigned k) {
  SmallVector<Tensor> rows;
  for (auto [type, all] :
       llvm::zip_equal(micro.getArgumentTypes(), arguments)) {
    Tensor &part = rows.emplace_back(cast<RankedTensorType>(type));
    for (int64_t i = 0; i < part.size(); ++i)
      if (part.isReal())
        part.real(i) = all.real(k * part.size() + i);
      else
        part.integer(i) = all.integer(k * part.size() + i);
  }
  return rows;
}

static SmallVector<Operation *> randomOpsOf(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (streamOf(op))
      ops.push_back(op);
  });
  return ops;
}

/// Whether `got` is the mean of `parts`, or, where it is larger, they are its
/// rows. In double precision, in which the evaluator sums alike.
static bool isJoined(const Tensor &got, ArrayRef<Tensor> parts) {
  bool isMean = got.size() == parts.front().size();
  for (int64_t i = 0; i < got.size(); ++i) {
    double expected = 0;
    for (const Tensor &part : parts)
      expected += isMean ? part.real(i) / double(parts.size()) : 0;
    int64_t size = parts.front().size();
    if (!isMean)
      expected = parts[i / size].real(i % size);
    if (!(std::fabs(got.real(i) - expected) <=
          1e-12 * std::max(1.0, std::fabs(expected))))
      return false;
  }
  return true;
}

// What a step of micro-batches computes is what as many steps without updates
// do, one after another: means of their gradients and losses, rows of their
// logits, variables as the last one leaves them. Which numbers each draws is
// read from the step; that no two draw the same is what sg-verify-effects says.
TEST_F(TrainingGraph, MicroBatchesAreStepsOneAfterAnother) {
  constexpr unsigned count = 3;
  unsigned drawing = 0, stateful = 0;
  for (uint64_t s = 0; s < kSeeds; ++s) {
    std::string where = "seed " + std::to_string(s);
    generate(s);
    ASSERT_TRUE(differentiate("none", /*emitGradients=*/true)) << where;
    ASSERT_TRUE(run(createSgLowerCheckpointing())) << where;
    ASSERT_TRUE(run(createSgFlatten())) << where;
    OwningOpRef<ModuleOp> microModule = module->clone();
    func::FuncOp micro = *microModule->getOps<func::FuncOp>().begin();
    ASSERT_TRUE(run(createSgAccumulateGradients({count}))) << where;
    ASSERT_TRUE(succeeded(verify(*module))) << where;
    ASSERT_TRUE(run(createSgVerifyLevel({"flat"}))) << where;
    ASSERT_TRUE(run(createSgVerifyEffects())) << where;
    Outcome whole = evaluate();
    ASSERT_FALSE(whole.results.empty()) << where;

    SmallVector<Operation *> draws = randomOpsOf(function()),
                             own = randomOpsOf(micro);
    ASSERT_EQ(draws.size(), count * own.size()) << where;
    SmallVector<Tensor> arguments = generateArguments(function(), seed);
    SmallVector<SmallVector<Tensor>> parts(whole.results.size());
    VariableStore state = variables;
    for (unsigned k = 0; k < count; ++k) {
      for (auto [j, op] : llvm::enumerate(own))
        op->setAttr("stream", draws[k * own.size() + j]->getAttr("stream"));
      auto results =
          reference::evaluate(micro, rowsOf(arguments, micro, k), state);
      ASSERT_TRUE(succeeded(results)) << where;
      for (auto [r, result] : llvm::enumerate(*results))
        parts[r].push_back(result);
    }
    for (auto [r, result] : llvm::enumerate(whole.results))
      EXPECT_TRUE(isJoined(result, parts[r])) << where << ", result " << r;
    for (auto &[name, value] : state) {
      EXPECT_TRUE(isSame(whole.variables.at(name), value))
          << where << ", variable " << name;
      stateful += !isSame(value, variables.at(name));
    }
    drawing += !own.empty();
  }
  EXPECT_GT(drawing, kSeeds / 10);
  EXPECT_GT(stateful, kSeeds / 10);
}

// The pass that finishes a step does what differentiation does.
TEST_F(TrainingGraph, UpdatesAreThoseOfDifferentiation) {
  for (uint64_t s = 0; s < kSeeds; ++s) {
    std::string where = "seed " + std::to_string(s);
    generate(s);
    ASSERT_TRUE(differentiate("sgd", /*emitGradients=*/true)) << where;
    ASSERT_TRUE(run(createSgFlatten())) << where;
    Outcome expected = evaluate();
    generate(s);
    ASSERT_TRUE(differentiate("none", /*emitGradients=*/true)) << where;
    ASSERT_TRUE(run(createSgFlatten())) << where;
    SgUpdateParametersOptions options;
    options.emitGradients = true;
    PassManager passes(&context);
    passes.addPass(createSgUpdateParameters(options));
    ASSERT_TRUE(succeeded(passes.run(*module))) << where;
    ASSERT_TRUE(run(createSgVerifyLevel({"flat"}))) << where;
    for (auto &[name, value] : generateVariables(*module, seed))
      variables.emplace(name, value);
    expectSame(evaluate(), expected, where);
  }
}

// Sums of several gradients must not depend on the blocks that they cross.
TEST_F(TrainingGraph, CuttingIntoSegmentsKeepsEveryBit) {
  for (uint64_t s = 0; s < kSeeds; ++s) {
    Outcome expected = checkpointed(s, "none");
    for (const char *mode : {"segments=2", "segments=4", "sqrt"})
      expectSame(checkpointed(s, mode), expected,
                 "seed " + std::to_string(s) + ", mode " + mode);
  }
}
