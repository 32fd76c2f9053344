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
  options.checkpointing = {};
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

//===----------------------------------------------------------------------===//
// Calls of a library
//===----------------------------------------------------------------------===//

/// Two layers; `layer` makes %y of %x, %w and %b, and stands twice.
static std::string denseModel(const std::string &layer) {
  return R"(
  sg.variable @w : tensor<24x24xf32> {
    role = #sg.role<parameter>, init = #sg.init<normal, 0.2 : f64>}
  sg.variable @b : tensor<24xf32> {
    role = #sg.role<parameter>, init = #sg.init<normal, 0.2 : f64>}
  func.func @dense(%image: tensor<40x24xf32> {sg.name = "x"})
      -> (tensor<f32> {sg.name = "loss"}) {
    %ws = sg.read @w : tensor<24x24xf32>
    %bs = sg.read @b : tensor<24xf32>
    %h = sg.module "first" (%x = %image : tensor<40x24xf32>,
        %w = %ws : tensor<24x24xf32>, %b = %bs : tensor<24xf32>)
        -> tensor<40x24xf32> attributes {activation_checkpointing} {
  )" + layer +
         R"(
      sg.yield %y : tensor<40x24xf32>
    }
    %g = sg.module "second" (%x = %h : tensor<40x24xf32>,
        %w = %ws : tensor<24x24xf32>, %b = %bs : tensor<24xf32>)
        -> tensor<40x24xf32> attributes {activation_checkpointing} {
  )" + layer +
         R"(
      sg.yield %y : tensor<40x24xf32>
    }
    %total = sg.reduce_sum %g dims [0, 1] : tensor<40x24xf32> -> tensor<f32>
    return %total : tensor<f32>
  })";
}

static const char *const kCall = R"(
      %y = demo.dense %x, %w, %b
        : (tensor<40x24xf32>, tensor<24x24xf32>, tensor<24xf32>)
        -> tensor<40x24xf32>)";
static const char *const kOneByOne = R"(
      %p = sg.matmul %x, %w
        : (tensor<40x24xf32>, tensor<24x24xf32>) -> tensor<40x24xf32>
      %r = sg.broadcast %b dims [1] : tensor<24xf32> -> tensor<40x24xf32>
      %s = sg.add %p, %r : tensor<40x24xf32>
      %y = sg.relu %s : tensor<40x24xf32>)";

TEST_F(DemoOpTest, CallsWithEpiloguesTrainInEveryMode) {
  model = parseSourceString<mlir::ModuleOp>(denseModel(kCall), &context);
  ASSERT_TRUE(model);
  EXPECT_EQ(checkTraining(*model, 1, allModes()), "");
  EXPECT_EQ(checkTraining(*model, 1, budgetModes()), "");
}

/// Three steps of a model, from equal variables.
static CompiledRun runOf(mlir::ModuleOp model) {
  std::vector<Bytes> files;
  EXPECT_EQ(compileModes(model, {"none"}, trainingOptions(), files), "");
  CompiledRun run;
  if (files.empty())
    return run;
  EXPECT_EQ(
      runArtifact(files[0], variablesOf(model, 1), inputsOf(model, 1), 3, run),
      "");
  return run;
}

TEST_F(DemoOpTest, EpiloguesHaveTheBitsOfKernels) {
  model = parseSourceString<mlir::ModuleOp>(denseModel(kCall), &context);
  auto other =
      parseSourceString<mlir::ModuleOp>(denseModel(kOneByOne), &context);
  ASSERT_TRUE(model && other);
  EXPECT_EQ(compareBits(runOf(*model), runOf(*other)), "");
}

/// What a program holds, and what is printed of it.
TEST_F(DemoOpTest, EpiloguesAreInTheProgram) {
  model = parseSourceString<mlir::ModuleOp>(denseModel(kCall), &context);
  ASSERT_TRUE(model);
  CompileOptions options = trainingOptions();
  ASSERT_TRUE(succeeded(lowerModel(*model, options, CompileLevel::Program)));
  unsigned calls = 0;
  model->walk([&](rt_dialect::CallOp call) {
    if (call.getEpilogueList().empty())
      return;
    ++calls;
    EXPECT_EQ(call.getInputs().size(), 3u);
    std::string text;
    llvm::raw_string_ostream stream(text);
    call->print(stream);
    EXPECT_NE(text.find("ints [0, 0] epilogues [bias, relu] by"), text.npos)
        << text;
  });
  EXPECT_GE(calls, 2u);
}

/// Two results and a number: the device's library lacks the function.
TEST_F(DemoOpTest, WhatTheLibraryLacksIsRefusedAtTheOp) {
  model = parseSourceString<mlir::ModuleOp>(R"(
    sg.variable @g : tensor<8xf32> {
      role = #sg.role<parameter>, init = #sg.init<ones>}
    func.func @f(%x: tensor<4x8xf32> {sg.name = "x"})
        -> (tensor<4x8xf32> {sg.name = "y"}, tensor<4xf32> {sg.name = "rstd"}) {
      %g = sg.read @g : tensor<8xf32>
      %y, %r = demo.rms_norm %x, %g {epsilon = 1.0e-05 : f64}
        : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
      return %y, %r : tensor<4x8xf32>, tensor<4xf32>
    })",
                                            &context);
  ASSERT_TRUE(model);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
  });
  CompileOptions options;
  options.training = false;
  EXPECT_TRUE(failed(lowerModel(*model, options, CompileLevel::Program)));
  EXPECT_NE(errors.find("'demo.rms_norm' op is refused by the library: oneDNN "
                        "cannot run rms_norm here: it has no such function"),
            errors.npos)
      << errors;
}
