//===- PipelineTest.cpp - From a model's text to a run --------------------===//
#include "reprise/Passes/MemorySavings.h"
#include "reprise/Runtime/reprise.h"

#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace reprise;

namespace {

const char *const kMlp = R"(
  sg.variable @a : tensor<32x16xf32> {role = #sg.role<parameter>,
    init = #sg.init<kaiming_normal>}
  sg.variable @b : tensor<10x32xf32> {role = #sg.role<parameter>,
    init = #sg.init<uniform, 2.500000e-01 : f64>}
  func.func @mlp(%x: tensor<8x16xf32> {sg.name = "image"},
                 %y: tensor<8xi32> {sg.name = "label", sg.binding = #sg.binding<label>})
      -> (tensor<f32> {sg.name = "loss", sg.binding = #sg.binding<loss>},
          tensor<8x10xf32> {sg.name = "logits", sg.binding = #sg.binding<logits>}) {
    %h = sg.module "first" (%i = %x : tensor<8x16xf32>) -> tensor<8x32xf32>
        attributes {activation_checkpointing} {
      %w = sg.read @a : tensor<32x16xf32>
      %m = sg.matmul %i, %w {transpose_b}
        : (tensor<8x16xf32>, tensor<32x16xf32>) -> tensor<8x32xf32>
      %r = sg.relu %m : tensor<8x32xf32>
      %t = sg.tanh %r : tensor<8x32xf32>
      sg.yield %t : tensor<8x32xf32>
    }
    %w = sg.read @b : tensor<10x32xf32>
    %l = sg.matmul %h, %w {transpose_b}
      : (tensor<8x32xf32>, tensor<10x32xf32>) -> tensor<8x10xf32>
    %losses, %lse = sg.cross_entropy %l, %y
      : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>)
    %sum = sg.reduce_sum %losses dims [0] : tensor<8xf32> -> tensor<f32>
    %eighth = sg.constant dense<0.125> : tensor<f32>
    %loss = sg.mul %sum, %eighth : tensor<f32>
    return %loss, %l : tensor<f32>, tensor<8x10xf32>
  }
)";

class Pipeline : public testing::Test {
protected:
  Pipeline() {
    mlir::DialectRegistry registry;
    registerAllTargets();
    registerPipelineDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::vector<uint8_t> compile(const std::string &mode) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(kMlp, &context);
    if (!module)
      return {};
    CompileOptions options;
    options.checkpointing = *parseCheckpointing(mode);
    auto artifact = compileModel(*module, options);
    return succeeded(artifact) ? *artifact : std::vector<uint8_t>();
  }

  mlir::MLIRContext context;
};

void expectOk(rp_status *status) {
  EXPECT_EQ(status, nullptr) << rp_status_message(status);
  rp_status_free(status);
}

/// What remains of a run of some steps.
struct Outcome {
  std::vector<float> parameters, losses;
};

Outcome train(const std::vector<uint8_t> &artifact, int steps) {
  Outcome outcome;
  rp_program *program = nullptr;
  expectOk(rp_program_from_memory(artifact.data(), artifact.size(), &program));
  rp_session_options options = {"cpu", 1, 0, 0};
  rp_session *session = nullptr;
  expectOk(rp_session_create(program, &options, &session));
  expectOk(rp_session_initialize(session, 7));
  float image[8 * 16], rate = 0.1f, loss = 0;
  int32_t label[8];
  for (int i = 0; i < 8 * 16; ++i)
    image[i] = static_cast<float>(i % 13) / 13.0f - 0.4f;
  for (int i = 0; i < 8; ++i)
    label[i] = i % 10;
  const char *entry = "train_step";
  for (int step = 0; step < steps; ++step) {
    expectOk(
        rp_session_set_input(session, entry, "image", image, sizeof image));
    expectOk(
        rp_session_set_input(session, entry, "label", label, sizeof label));
    expectOk(rp_session_set_input(session, entry, "learning_rate", &rate,
                                  sizeof rate));
    expectOk(rp_session_run(session, entry));
    expectOk(rp_session_get_output(session, entry, "loss", &loss, sizeof loss));
    outcome.losses.push_back(loss);
  }
  for (auto [name, count] : {std::pair("a", 32 * 16), std::pair("b", 320)}) {
    std::vector<float> values(count);
    expectOk(rp_session_read_variable(session, name, values.data(),
                                      count * sizeof(float)));
    outcome.parameters.insert(outcome.parameters.end(), values.begin(),
                              values.end());
  }
  rp_memory_stats memory;
  expectOk(rp_session_memory(session, &memory));
  size_t peak = 0;
  expectOk(rp_program_peak_bytes(program, entry, &peak));
  EXPECT_EQ(memory.high_water_bytes, peak);
  rp_session_destroy(session);
  rp_program_close(program);
  return outcome;
}

TEST_F(Pipeline, CheckpointingKeepsTheBits) {
  std::vector<uint8_t> none = compile("none"), blocks = compile("annotated");
  ASSERT_FALSE(none.empty() || blocks.empty());
  EXPECT_NE(none, blocks);
  Outcome first = train(none, 20), second = train(blocks, 20);
  EXPECT_EQ(first.parameters, second.parameters);
  EXPECT_EQ(first.losses, second.losses);
  EXPECT_LT(first.losses.back(), first.losses.front());
}

TEST_F(Pipeline, EqualInputGivesEqualBytes) {
  std::vector<uint8_t> first = compile("annotated");
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first, compile("annotated"));
}

TEST_F(Pipeline, StopsAtLevels) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kMlp, &context);
  CompileOptions options;
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(lowerModel(*module, options, CompileLevel::Remat)));
  size_t backwards = 0, clones = 0;
  module->walk([&](sg::BackwardOp) { ++backwards; });
  module->walk(
      [&](sg::SgModuleOp op) { clones += op.getPhase() == Phase::Recompute; });
  EXPECT_EQ(backwards, 1u);
  EXPECT_EQ(clones, 1u);
}

/// Of the entry, as its program says it.
static uint64_t peakOf(mlir::ModuleOp model, const std::string &mode) {
  mlir::OwningOpRef<mlir::ModuleOp> module = model.clone();
  CompileOptions options;
  options.checkpointing = *parseCheckpointing(mode);
  options.evaluation = false;
  EXPECT_TRUE(succeeded(lowerModel(*module, options, CompileLevel::Program)));
  uint64_t peak = 0;
  module->walk([&](rt_dialect::EntryOp entry) { peak = entry.getPeakBytes(); });
  return peak;
}

TEST_F(Pipeline, EstimatesWhatCheckpointingSaves) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kMlp, &context);
  ASSERT_TRUE(module);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  CompileOptions options;
  auto savings = estimateMemorySavings(*module, options);
  ASSERT_TRUE(succeeded(savings));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(after, before);
  EXPECT_EQ(savings->without.peakBytes, peakOf(*module, "none"));
  EXPECT_EQ(savings->with.peakBytes, peakOf(*module, "annotated"));
  EXPECT_EQ(savings->savedBytes(), int64_t(savings->without.peakBytes) -
                                       int64_t(savings->with.peakBytes));
  EXPECT_NEAR(savings->savedShare(),
              double(savings->savedBytes()) / savings->without.peakBytes,
              1e-12);
  EXPECT_GT(savings->without.milliseconds, 0);
  EXPECT_GT(savings->addedTime(), 0);
  options.checkpointing = {};
  auto nothing = estimateMemorySavings(*module, options);
  ASSERT_TRUE(succeeded(nothing));
  EXPECT_EQ(nothing->savedBytes(), 0);
}

TEST_F(Pipeline, EstimatesNothingOfAnUnknownBlock) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kMlp, &context);
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &) {});
  CompileOptions options;
  options.recompute = {"unknown"};
  EXPECT_TRUE(failed(estimateMemorySavings(*module, options)));
}

TEST_F(Pipeline, RefusesTwoModels) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @a() { return }\nfunc.func @b() { return }", &context);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(lowerModel(*module, {}, CompileLevel::Program)));
  EXPECT_EQ(message, "holds 2 functions; a model is one function");
}

} // namespace
