//===- DemoOpTest.cpp - Ops of another dialect are trained ----------------===//
//
// Nothing outside Demo/ knows of the ops: that they train to the same bits in
// every mode and agree with their reference shows what the passes ask of an op,
// and that they ask nothing else.
//
//===----------------------------------------------------------------------===//
#include "../EndToEnd/TrainingCheck.h"
#include "../EndToEnd/ZooTraining.h"
#include "Demo/Demo.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Passes/Pipelines.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

static constexpr const char *kModel = R"(
  sg.variable @weight : tensor<24x40xf32> {
    role = #sg.role<parameter>, init = #sg.init<normal, 0.2 : f64>}
  sg.variable @more : tensor<40x40xf32> {
    role = #sg.role<parameter>, init = #sg.init<normal, 0.2 : f64>}
  func.func @demo(%x: tensor<32x24xf32> {sg.name = "x"})
      -> (tensor<f32> {sg.name = "loss"}) {
    %w = sg.read @weight : tensor<24x40xf32>
    %v = sg.read @more : tensor<40x40xf32>
    %y = sg.matmul %x, %w : (tensor<32x24xf32>, tensor<24x40xf32>)
      -> tensor<32x40xf32>
    %z = sg.module "block" (%a = %y : tensor<32x40xf32>,
        %b = %v : tensor<40x40xf32>) -> tensor<32x40xf32> attributes {activation_checkpointing} {
      %s = demo.softsign %a : (tensor<32x40xf32>) -> tensor<32x40xf32>
      %m = demo.mirror %s : (tensor<32x40xf32>) -> tensor<32x40xf32>
      %p = sg.matmul %m, %b : (tensor<32x40xf32>, tensor<40x40xf32>)
        -> tensor<32x40xf32>
      %t = demo.softsign %p : (tensor<32x40xf32>) -> tensor<32x40xf32>
      sg.yield %t : tensor<32x40xf32>
    }
    %n = demo.damped_norm %z : (tensor<32x40xf32>) -> tensor<32xf32>
    %total = sg.reduce_sum %n dims [0] : tensor<32xf32> -> tensor<f32>
    return %total : tensor<f32>
  }
)";

namespace {
class DemoOpTest : public testing::Test {
protected:
  DemoOpTest() {
    loadEverything(context);
    context.loadDialect<demo::DemoDialect>();
    model = parseSourceString<mlir::ModuleOp>(kModel, &context);
  }

  MLIRContext context;
  OwningOpRef<mlir::ModuleOp> model;
};
} // namespace

TEST_F(DemoOpTest, TrainsInEveryModeAsTheReferenceSays) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, allModes()), "");
}

TEST_F(DemoOpTest, TrainsWithinBudgets) {
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, budgetModes()), "");
}

/// A reduction and its epilogue are decomposed and fused with what is beside
/// them, by their interfaces.
TEST_F(DemoOpTest, IsFused) {
  ASSERT_TRUE(model);
  CompileOptions options;
  options.checkpointing = "none";
  ASSERT_TRUE(succeeded(lowerToKernels(*model, options)));
  unsigned outside = 0, norms = 0, mirrors = 0;
  model->walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "demo")
      return;
    outside += !isa<sg::KernelOp>(op->getParentOp());
    norms += isa<demo::NormOp>(op);
    // Beside the softsign that it moves.
    mirrors +=
        isa<demo::MirrorOp>(op) && op->getBlock()->getOperations().size() > 2;
  });
  EXPECT_EQ(outside, 0u);
  EXPECT_EQ(norms, 1u);
  EXPECT_GE(mirrors, 1u);
}
