//===- LossScalingTest.cpp - Steps that are skipped, scales that change ---===//
//
// The sum of 4 * (x w) over two rows of x = 1/2: the cotangent of the product
// is 4 times the scale, which f16 holds below 16,384 (its largest number is
// 65,504), and every element of the weight's gradient is 4. Expected numbers
// are those of torch.amp.GradScaler's definition.
//
//===----------------------------------------------------------------------===//
#include "CompiledRun.h"
#include "ZooTraining.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Passes/Pipelines.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

static const char *const kModel = R"(
sg.variable @w : tensor<4x4xf32> {role = #sg.role<parameter>,
                                  init = #sg.init<ones>}
func.func @f(%x: tensor<2x4xf32> {sg.name = "x"})
    -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>}) {
  %w = sg.read @w : tensor<4x4xf32>
  %four = sg.constant dense<4.0> : tensor<2x4xf32>
  %y = sg.matmul %x, %w
    : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %z = sg.mul %y, %four : tensor<2x4xf32>
  %l = sg.reduce_sum %z dims [0, 1] : tensor<2x4xf32> -> tensor<f32>
  return %l : tensor<f32>
})";

template <typename Number> static Bytes bytesOf(std::vector<Number> numbers) {
  Bytes bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <typename Number>
static Number first(const ByteStore &variables, const char *name) {
  Number number = {};
  auto found = variables.find(name);
  if (found == variables.end())
    ADD_FAILURE() << "there is no variable " << name;
  else
    std::memcpy(&number, found->second.data(), sizeof number);
  return number;
}

/// Runs steps of the model from a scale and a count of good steps.
static CompiledRun runFrom(float scale, int64_t good, unsigned steps,
                           unsigned microBatches = 1) {
  MLIRContext context;
  loadEverything(context);
  ParserConfig config(&context);
  auto model = parseSourceString<mlir::ModuleOp>(kModel, config);
  CompileOptions options;
  options.amp = MixedPrecision::F16;
  options.evaluation = false;
  options.microBatches = microBatches;
  CompiledRun run;
  auto file = compileModel(*model, options);
  if (failed(file)) {
    ADD_FAILURE() << "the model does not compile";
    return run;
  }
  ByteStore variables = {
      {"w", bytesOf(std::vector<float>(16, 1.0f))},
      {"w.momentum_buffer", bytesOf(std::vector<float>(16, 0.0f))},
      {"loss_scale", bytesOf<float>({scale})},
      {"loss_scale.growth_tracker", bytesOf<int64_t>({good})}};
  ByteStore inputs = {
      {"x", bytesOf(std::vector<float>(8 * microBatches, 0.5f))},
      {"learning_rate", bytesOf<float>({0.125f})}};
  EXPECT_EQ(runArtifact(*file, variables, inputs, steps, run), "");
  return run;
}

TEST(LossScaling, SkipsAndHalvesUntilGradientsAreNumbers) {
  CompiledRun run = runFrom(65536, 7, 5);
  ASSERT_EQ(run.variables.size(), 5u);
  // 65,536, 32,768 and 16,384 are too much.
  for (unsigned step = 0; step < 3; ++step) {
    SCOPED_TRACE(step);
    EXPECT_EQ(first<float>(run.variables[step], "loss_scale"),
              32768.0f / float(1 << step));
    EXPECT_EQ(first<int64_t>(run.variables[step], "loss_scale.growth_tracker"),
              0);
    EXPECT_EQ(first<float>(run.variables[step], "w"), 1.0f);
    EXPECT_EQ(first<float>(run.variables[step], "w.momentum_buffer"), 0.0f);
  }
  // Then v = 4 and v = 0.9 * 4 + 4, at a rate of 1/8.
  EXPECT_EQ(first<float>(run.variables[3], "w"), 0.5f);
  EXPECT_EQ(first<float>(run.variables[3], "w.momentum_buffer"), 4.0f);
  EXPECT_EQ(first<float>(run.variables[3], "loss_scale"), 8192.0f);
  EXPECT_FLOAT_EQ(first<float>(run.variables[4], "w.momentum_buffer"), 7.6f);
  EXPECT_EQ(first<int64_t>(run.variables[4], "loss_scale.growth_tracker"), 2);
}

TEST(LossScaling, DoublesAfterTwoThousandGoodSteps) {
  CompiledRun run = runFrom(16, 1998, 3);
  ASSERT_EQ(run.variables.size(), 3u);
  EXPECT_EQ(first<float>(run.variables[0], "loss_scale"), 16.0f);
  EXPECT_EQ(first<float>(run.variables[1], "loss_scale"), 32.0f);
  EXPECT_EQ(first<int64_t>(run.variables[1], "loss_scale.growth_tracker"), 0);
  EXPECT_EQ(first<float>(run.variables[2], "loss_scale"), 32.0f);
  EXPECT_EQ(first<float>(run.variables[0], "w"), 0.5f);
}

// Limits of sg-differentiate, which GradScaler has none of.
TEST(LossScaling, StaysWithinLimits) {
  CompiledRun least = runFrom(0, 7, 2);
  ASSERT_EQ(least.variables.size(), 2u);
  // A gradient divided by 0 is skipped, and the scale leaves 0.
  EXPECT_EQ(first<float>(least.variables[0], "loss_scale"), 0x1p-14f);
  EXPECT_EQ(first<float>(least.variables[0], "w"), 1.0f);
  EXPECT_EQ(first<float>(least.variables[1], "w"), 0.5f);
  CompiledRun grown = runFrom(0x1p-14f, 1999, 1);
  ASSERT_EQ(grown.variables.size(), 1u);
  EXPECT_EQ(first<float>(grown.variables[0], "loss_scale"), 0x1p-13f);
  CompiledRun most = runFrom(0x1p27f, 7, 1);
  ASSERT_EQ(most.variables.size(), 1u);
  EXPECT_EQ(first<float>(most.variables[0], "loss_scale"), 0x1p24f);
}

// The sums of micro-batches are what is looked at, once a step.
TEST(LossScaling, CountsStepsOfMicroBatchesOnce) {
  CompiledRun run = runFrom(16384, 5, 2, /*microBatches=*/2);
  ASSERT_EQ(run.variables.size(), 2u);
  EXPECT_EQ(first<float>(run.variables[0], "loss_scale"), 8192.0f);
  EXPECT_EQ(first<float>(run.variables[0], "w"), 1.0f);
  EXPECT_EQ(first<float>(run.variables[1], "loss_scale"), 8192.0f);
  EXPECT_EQ(first<int64_t>(run.variables[1], "loss_scale.growth_tracker"), 1);
  EXPECT_EQ(first<float>(run.variables[1], "w"), 0.5f);
}
