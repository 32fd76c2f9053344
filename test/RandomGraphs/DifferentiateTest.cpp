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

// Sums of several gradients must not depend on the blocks that they cross.
TEST_F(TrainingGraph, CuttingIntoSegmentsKeepsEveryBit) {
  for (uint64_t s = 0; s < kSeeds; ++s) {
    Outcome expected = checkpointed(s, "none");
    for (const char *mode : {"segments=2", "segments=4", "sqrt"})
      expectSame(checkpointed(s, mode), expected,
                 "seed " + std::to_string(s) + ", mode " + mode);
  }
}
