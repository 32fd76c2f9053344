//===- BudgetCombinationsTest.cpp - A budget beside every other option ----===//
//
// Every way to say a budget, in every mode of checkpointing, with and without
// blocks to keep and to compute again, on small models. Each program must fit
// and train to the bits of the program that computes nothing again.
//
//===----------------------------------------------------------------------===//

#include "TrainingCheck.h"
#include "ZooTraining.h"
#include "mlir/Parser/Parser.h"
#include <cctype>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

/// Blocks within a block, one annotated, that share an input and a weight.
constexpr const char *kBlocks = R"mlir(
sg.variable @w : tensor<32x32xf32> {role = #sg.role<parameter>,
                                    init = #sg.init<kaiming_normal>}
func.func @blocks(%x: tensor<64x32xf32> {sg.name = "image"},
                  %t: tensor<64xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %a = sg.module "outer" (%i = %x : tensor<64x32xf32>) -> tensor<64x32xf32> {
    %b = sg.module "outer.part1" (%j = %i : tensor<64x32xf32>)
        -> tensor<64x32xf32> attributes {activation_checkpointing} {
      %w = sg.read @w : tensor<32x32xf32>
      %m = sg.matmul %j, %w
        : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
      %e = sg.tanh %m : tensor<64x32xf32>
      %p = sg.mul %e, %j : tensor<64x32xf32>
      sg.yield %p : tensor<64x32xf32>
    }
    %c = sg.module "outer.part2" (%j = %b : tensor<64x32xf32>)
        -> tensor<64x32xf32> {
      %w = sg.read @w : tensor<32x32xf32>
      %m = sg.matmul %j, %w
        : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
      %r = sg.relu %m : tensor<64x32xf32>
      sg.yield %r : tensor<64x32xf32>
    }
    %s = sg.add %b, %c : tensor<64x32xf32>
    sg.yield %s : tensor<64x32xf32>
  }
  %d = sg.module "tail" (%j = %a : tensor<64x32xf32>) -> tensor<64x32xf32> {
    %e = sg.exp %j : tensor<64x32xf32>
    %p = sg.mul %e, %j : tensor<64x32xf32>
    sg.yield %p : tensor<64x32xf32>
  }
  %e, %q = sg.cross_entropy %d, %t
    : (tensor<64x32xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>)
  %l = sg.reduce_sum %e dims [0] : tensor<64xf32> -> tensor<f32>
  return %l : tensor<f32>
}
)mlir";

/// A mode, and whether it leaves the model's blocks as they are, so that
/// --recompute can name one.
struct Mode {
  const char *name;
  bool hasBlocks;
};

class BudgetCombinations : public testing::TestWithParam<Mode> {
protected:
  void SetUp() override { loadEverything(context); }

  /// The mode's program with the fewest bytes.
  uint64_t smallestOf(mlir::ModuleOp model, CompileOptions options);
  std::vector<Variant> variantsOf(mlir::ModuleOp model,
                                  const std::string &block);
  void check(mlir::ModuleOp model, const std::string &block);

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

uint64_t BudgetCombinations::smallestOf(mlir::ModuleOp model,
                                        CompileOptions options) {
  OwningOpRef<mlir::ModuleOp> clone = model.clone();
  FailureOr<BudgetPlans> plans = planBudgets(*clone, options);
  if (succeeded(plans))
    return plans->smallest().bytes();
  ADD_FAILURE() << "no plans";
  return 0;
}

std::vector<Variant> BudgetCombinations::variantsOf(mlir::ModuleOp model,
                                                    const std::string &block) {
  std::vector<Variant> variants = {{"plain", trainingOptions()}};
  variants[0].options.checkpointing = {};
  for (bool keeps : {false, true})
    for (bool recomputes : {false, true}) {
      if (recomputes && !GetParam().hasBlocks)
        continue;
      Variant variant{GetParam().name, trainingOptions()};
      variant.options.checkpointing = *parseCheckpointing(GetParam().name);
      if (keeps) {
        variant.label += " --keep";
        variant.options.keep = {block};
      }
      if (recomputes) {
        variant.label += " --recompute";
        variant.options.recompute = {block};
      }
      uint64_t least = smallestOf(model, variant.options);
      for (const plan::Budget &budget :
           {plan::Budget{plan::Budget::Kind::Bytes, least, 0},
            plan::Budget{plan::Budget::Kind::Percent, 0, 100},
            plan::Budget{plan::Budget::Kind::Knee, 0, 0}}) {
        static constexpr const char *kinds[] = {" bytes", " percent", " auto"};
        Variant one = variant;
        one.label += kinds[size_t(budget.kind)];
        one.options.budget = budget;
        variants.push_back(std::move(one));
      }
    }
  return variants;
}

void BudgetCombinations::check(mlir::ModuleOp model, const std::string &block) {
  constexpr uint64_t seed = 7;
  std::vector<Variant> variants = variantsOf(model, block);
  std::vector<Bytes> files;
  ASSERT_EQ(compileVariants(model, variants, files), "");
  ByteStore variables = variablesOf(model, seed);
  ByteStore inputs = inputsOf(model, seed);
  CompiledRun expected;
  for (size_t k = 0; k < variants.size(); ++k) {
    SCOPED_TRACE(variants[k].label);
    CompiledRun run;
    ASSERT_EQ(runArtifact(files[k], variables, inputs, 2, run), "");
    EXPECT_EQ(run.measuredPeak, run.predictedPeak);
    if (k == 0)
      expected = run;
    EXPECT_EQ(compareBits(expected, run), "");
    EXPECT_EQ(run.losses, expected.losses);
    const std::optional<plan::Budget> &budget = variants[k].options.budget;
    if (budget && budget->kind == plan::Budget::Kind::Bytes) {
      EXPECT_LE(run.predictedPeak, budget->bytes);
    }
  }
}

TEST_P(BudgetCombinations, TrainAPerceptronToTheSameBits) {
  ZooCase mlp{"Mlp", "mlp", {}};
  mlp.options.batch = 256;
  OwningOpRef<mlir::ModuleOp> model = buildCase(context, mlp);
  ASSERT_TRUE(model);
  check(*model, "part1");
}

TEST_P(BudgetCombinations, TrainNestedBlocksToTheSameBits) {
  auto model = parseSourceString<mlir::ModuleOp>(kBlocks, &context);
  ASSERT_TRUE(model);
  check(*model, "outer.part1");
}

INSTANTIATE_TEST_SUITE_P(
    Modes, BudgetCombinations,
    testing::Values(Mode{"none", true}, Mode{"annotated", true},
                    Mode{"per-block", true}, Mode{"nested", true},
                    Mode{"segments=2", false}, Mode{"sqrt", false},
                    Mode{"threshold-bytes=1024", false}),
    [](const auto &info) {
      std::string name = info.param.name;
      for (char &c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return name;
    });
