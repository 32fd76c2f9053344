//===- DeclaredProgramsTest.cpp - What programs declare, trained ----------===//
//
// Models whose tensors have names of their own, through the compiler and the
// trainer: several inputs and metrics, initial values that are data, optimizers
// beside an independent computation.
//
//===----------------------------------------------------------------------===//

#include "DeclaredPrograms.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cmath>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {

// The gradient of @w is the mean of both inputs' rows, whatever it is.
const char *const kSlope = R"(
  sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
    init = #sg.init<elements, dense<[1.0, -0.5, 0.25, 2.0]> : tensor<4xf32>>}
  sg.variable @shift : tensor<4xf32> {role = #sg.role<running_statistics>,
    init = #sg.init<elements, dense_resource<behind> : tensor<4xf32>>}
  func.func @slope(%rate: tensor<f32> {sg.name = "pace", sg.binding = #sg.binding<learning_rate>},
                   %a: tensor<1x4xf32> {sg.name = "a"},
                   %b: tensor<1x4xf32> {sg.name = "b"})
      -> (tensor<f32> {sg.name = "size", sg.binding = #sg.binding<metric>},
          tensor<f32> {sg.name = "height", sg.binding = #sg.binding<loss>},
          tensor<f32> {sg.name = "shifted", sg.binding = #sg.binding<metric>}) {
    %w = sg.read @w : tensor<4xf32>
    %r = sg.reshape %w : tensor<4xf32> -> tensor<1x4xf32>
    %s = sg.add %a, %b : tensor<1x4xf32>
    %p = sg.mul %r, %s : tensor<1x4xf32>
    %l = sg.reduce_sum %p dims [0, 1] : tensor<1x4xf32> -> tensor<f32>
    %z = sg.reduce_sum %s dims [0, 1] : tensor<1x4xf32> -> tensor<f32>
    %v = sg.read @shift : tensor<4xf32>
    %y = sg.reduce_sum %v dims [0] : tensor<4xf32> -> tensor<f32>
    return %z, %l, %y : tensor<f32>, tensor<f32>, tensor<f32>
  }
  {-# dialect_resources: { builtin: {
    behind: "0x040000000000803F000000400000404000008040"
  } } #-}
)";

} // namespace

/// PyTorch's formulas, in double: torch.optim.AdamW's single-tensor form.
static std::vector<double> adamw(std::vector<double> w, int steps,
                                 double rate) {
  const double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0.01;
  std::vector<double> m(w.size(), 0), v(w.size(), 0);
  for (int t = 0; t < steps; ++t)
    for (size_t i = 0; i < w.size(); ++i) {
      double g = gradientAt(t)[i];
      w[i] -= rate * decay * w[i];
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      v[i] = beta2 * v[i] + (1 - beta2) * g * g;
      double root = std::sqrt(v[i]) / std::sqrt(1 - std::pow(beta2, t + 1));
      w[i] -= rate / (1 - std::pow(beta1, t + 1)) * m[i] / (root + epsilon);
    }
  return w;
}

TEST_F(DeclaredPrograms, AdamwAgreesWithPyTorchAndWithDouble) {
  // torch 1.13.0, float64: AdamW([w], lr=0.125) with the gradients above, after
  // 1 and 10 steps.
  const std::vector<double> begin = {1.0, -0.5, 0.25, 2.0};
  const std::map<int, std::vector<double>> torch = {
      {1, {0.8737500025, -0.374375005, 0.124688749988, 1.9975}},
      {10, {-0.236329713104, 0.749207047269, 0.0555694116312, 1.97514015727}}};
  CompileOptions options;
  options.optimizer.kind = OptimizerKind::AdamW;
  options.evaluation = false;
  for (auto &[steps, expected] : torch) {
    std::vector<double> wide = adamw(begin, steps, 0.125);
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(wide[i], expected[i], 1e-11);
    open(kSlope, options);
    ASSERT_TRUE(backend);
    writeRows(steps);
    rt::TrainOptions run;
    run.data.keepsOrder = true;
    run.data.source = folder + "/rows.safetensors";
    run.steps = steps;
    run.learningRate.base = 0.125;
    auto result = rt::train(*backend, run);
    ASSERT_TRUE(result.ok()) << result.status().message();
    // A few roundings of f32 a step.
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(read("w")[i], expected[i], 2e-7 * steps) << steps;
    EXPECT_EQ(result->metrics.at("shifted"), 10.0);
    double sum = 0;
    for (double g : gradientAt(steps - 1))
      sum += g;
    EXPECT_NEAR(result->metrics.at("size"), sum, 1e-5);
    close();
  }
}

// torch 1.13.0, float64: the optimizer with lr=0.125 and the gradients above on
// the matrix and the vector, which are param groups with weight decays of their
// own where `norm-bias-weight-decay` is given or one is excepted by its name;
// clip_grad_norm_ in front of the step where gradients are clipped.
TEST_F(DeclaredPrograms, OptimizersAgreeWithPyTorch) {
  struct Case {
    const char *optimizer;
    HyperparameterValues values;
    int steps;
    std::vector<double> matrix, vector;
    double clipNorm = 0;
    std::vector<std::string> noWeightDecay = {};
  };
  const std::vector<double> adam1 = {0.875000002083, -0.375000004167,
                                     0.125000048077, 1.87500000625},
                            adam10 = {-0.23835104446, 0.72617983981,
                                      0.0418876239825, 0.792872226781},
                            plain1 = {0.8750000025, -0.375000005,
                                      0.125001249988, 2},
                            plain10 = {-0.230736390536, 0.74999995,
                                       0.0568279857282, 2},
                            adamw10 = {-0.282576928203, 0.741079731356,
                                       0.0450354821767, 1.76360385169},
                            nesterov10 = {-11.6508938561, 1.01725736501,
                                          0.123341258687, 0.988495089996},
                            // Norms of 0.79, 1.46, 2.15, ... 7.08.
      clipped10 = {-3.9605068059, 0.287294746743, 0.249661590279, 2};
  const HyperparameterValues decayed = {{"weight-decay", 0.1}},
                             matrices = {{"weight-decay", 0.1},
                                         {"norm-bias-weight-decay", 0}},
                             vectors = {{"weight-decay", 0},
                                        {"norm-bias-weight-decay", 0.1}};
  const std::vector<Case> cases = {
      {"sgd",
       {{"nesterov", 1}, {"weight-decay", 0.1}},
       10,
       nesterov10,
       nesterov10},
      {"sgd",
       {{"nesterov", 1},
        {"momentum", 0.5},
        {"weight-decay", 0.1},
        {"norm-bias-weight-decay", 0}},
       10,
       {-5.1383876048, 0.146368613724, 0.196119380324, 1.56908759085},
       {-5.31243896484, 0.0937805175781, 0.249958374023, 2}},
      {"sgd", {}, 10, clipped10, clipped10, 1.5},
      {"adam", decayed, 1, adam1, adam1},
      {"adam", decayed, 10, adam10, adam10},
      {"adam", matrices, 1, adam1, plain1},
      {"adam", matrices, 10, adam10, plain10},
      {"adamw", matrices, 10, adamw10, plain10},
      {"adamw", vectors, 10, plain10, adamw10},
      {"adam", decayed, 10, adam10, plain10, 0, {"v"}},
      {"adamw", decayed, 10, plain10, adamw10, 0, {"[a-m]"}},
      {"adamw", decayed, 10, plain10, plain10, 0, {"v", "m*"}},
      {"adamw", vectors, 10, plain10, plain10, 0, {"v"}}};
  for (const Case &one : cases) {
    SCOPED_TRACE(one.optimizer + std::to_string(one.steps));
    CompileOptions options;
    options.optimizer.kind = *termOf<OptimizerKind>(one.optimizer);
    options.optimizer.values = one.values;
    options.clipping.norm = one.clipNorm;
    options.noWeightDecay = one.noWeightDecay;
    options.evaluation = false;
    open(kMatrixAndVector, options);
    ASSERT_TRUE(backend);
    trainSteps(one.steps);
    // A few roundings of f32 a step.
    auto expectNear = [&](const char *name, const std::vector<double> &wanted) {
      std::vector<float> got = read(name);
      for (size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(got[i], wanted[i],
                    2e-7 * one.steps * std::max(1.0, std::abs(wanted[i])))
            << name << " " << i;
    };
    expectNear("m", one.matrix);
    expectNear("v", one.vector);
    close();
  }
}

TEST_F(DeclaredPrograms, AStateOfAdamwGoesOnWithTheSameBits) {
  CompileOptions options;
  options.optimizer.kind = OptimizerKind::AdamW;
  options.evaluation = false;
  open(kSlope, options);
  ASSERT_TRUE(backend);
  writeRows(8);
  rt::TrainOptions run;
  run.data.keepsOrder = true;
  run.data.source = folder + "/rows.safetensors";
  run.steps = 8;
  run.savePath = folder + "/state.safetensors";
  ASSERT_TRUE(rt::train(*backend, run).ok());
  std::vector<float> whole = read("w"), mean = read("w.exp_avg");
  run.steps = 3;
  ASSERT_TRUE(rt::train(*backend, run).ok());
  ASSERT_TRUE(backend->initialize(9).ok());
  run.resumePath = run.savePath;
  run.steps = 8;
  auto result = rt::train(*backend, run);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->steps, 5u);
  EXPECT_EQ(read("w"), whole);
  EXPECT_EQ(read("w.exp_avg"), mean);
  EXPECT_EQ(result->position.runSettings.at("optimizer"),
            "adamw beta1=0.9 beta2=0.999 epsilon=1e-08 weight-decay=0.01");
}

TEST_F(DeclaredPrograms, InitialDataAreTheVariablesOfASession) {
  CompileOptions options;
  options.evaluation = false;
  open(kSlope, options);
  ASSERT_TRUE(backend);
  ASSERT_TRUE(backend->initialize(5).ok());
  EXPECT_EQ(read("w"), (std::vector<float>{1.0f, -0.5f, 0.25f, 2.0f}));
  EXPECT_EQ(read("shift"), (std::vector<float>{1, 2, 3, 4}));
  // The reference evaluator begins with the same numbers.
  auto module = parseSourceString<mlir::ModuleOp>(kSlope, &context);
  for (auto variable : module->getOps<sg::VariableOp>()) {
    auto value = reference::initialValue(variable);
    ASSERT_TRUE(succeeded(value));
    std::vector<float> values = read(variable.getSymName().str().c_str());
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(value->real(i), values[i]);
  }
}

TEST_F(DeclaredPrograms, AMissingResourceIsRefusedWhenItIsNeeded) {
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  std::string text = kSlope;
  text.resize(text.find("{-#"));
  auto module = parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  CompileOptions options;
  options.evaluation = false;
  EXPECT_TRUE(failed(compileModel(*module, options)));
  EXPECT_NE(message.find("elements whose resource is missing"),
            std::string::npos)
      << message;
}

TEST_F(DeclaredPrograms, TheFlagEndsARunWhoseLossIsFinite) {
  // The root's slope at 0 is not finite, and the loss of 0 is.
  const char *text = R"(
    sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
      init = #sg.init<zeros>}
    func.func @root(%a: tensor<1x4xf32> {sg.name = "a"})
        -> (tensor<f32> {sg.name = "height", sg.binding = #sg.binding<loss>}) {
      %w = sg.read @w : tensor<4xf32>
      %r = sg.reshape %w : tensor<4xf32> -> tensor<1x4xf32>
      %p = sg.mul %r, %a : tensor<1x4xf32>
      %q = sg.mul %p, %p : tensor<1x4xf32>
      %s = sg.reduce_sum %q dims [0, 1] : tensor<1x4xf32> -> tensor<f32>
      %l = sg.sqrt %s : tensor<f32>
      return %l : tensor<f32>
    }
  )";
  writeRows(2);
  rt::TrainOptions run;
  run.data.keepsOrder = true;
  run.data.source = folder + "/rows.safetensors";
  run.steps = 1;
  CompileOptions options;
  options.evaluation = false;
  for (bool flagged : {false, true}) {
    options.emitNonFinite = flagged;
    open(text, options);
    ASSERT_TRUE(backend);
    rt::Status status = rt::train(*backend, run).status();
    EXPECT_EQ(status.ok(), !flagged) << status.message();
    bool named =
        status.message().find("step 1 computed something that is not "
                              "finite ('nonfinite'") != std::string::npos;
    EXPECT_EQ(named, flagged) << status.message();
    close();
  }
}
