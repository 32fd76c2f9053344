//===- PocketTargetTest.cpp - The zoo on a second target ------------------===//
//
// Nothing outside Pocket/ knows of the target: that it compiles, plans and
// verifies all models shows what the compiler asks of a target, and that it
// asks nothing else.
//
//===----------------------------------------------------------------------===//
#include "Pocket/PocketTarget.h"
#include "../EndToEnd/ZooTraining.h"
#include "../Ops/Demo/Demo.h"
#include "mlir/Parser/Parser.h"
#include "reprise/Passes/Pipelines.h"
#include "reprise/Runtime/program_generated.h"
#include "reprise/Target/Target.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::end_to_end;

namespace {
struct PocketCase {
  std::string model, mode;
  std::optional<plan::Budget> budget;
};

std::ostream &operator<<(std::ostream &stream, const PocketCase &c) {
  return stream << c.model << ", " << c.mode;
}

class PocketTargetTest : public testing::TestWithParam<PocketCase> {
protected:
  PocketTargetTest() {
    loadEverything(context);
    test::registerPocketTarget();
  }
  /// The program at level program, then `artifact`.
  rt_dialect::ProgramOp compile(const PocketCase &c);
  void checkAlignment(rt_dialect::ProgramOp program);
  void checkArtifact();

  MLIRContext context;
  OwningOpRef<mlir::ModuleOp> module;
  Bytes artifact;
};
} // namespace

rt_dialect::ProgramOp PocketTargetTest::compile(const PocketCase &c) {
  ZooCase small{"", c.model.c_str(), {}};
  small.options.batch = 2;
  const zoo::ModelOptions *defaults = nullptr;
  for (const zoo::ModelInfo &info : zoo::listModels())
    if (info.name == c.model)
      defaults = &info.defaults;
  if (c.model != "mlp")
    small.options.height = small.options.width = 32;
  if (defaults && defaults->baseWidth)
    small.options.baseWidth = *defaults->baseWidth / 8;
  if (defaults && defaults->frames)
    small.options.frames = 4;
  module = buildCase(context, small);
  CompileOptions options;
  options.checkpointing = *parseCheckpointing(c.mode);
  options.budget = c.budget;
  options.target = TargetName::parse("pocket:small");
  if (!module || failed(lowerModel(*module, options, CompileLevel::Program)))
    return {};
  if (auto file = emitArtifact(*module); succeeded(file))
    artifact = *file;
  return *module->getOps<rt_dialect::ProgramOp>().begin();
}

void PocketTargetTest::checkAlignment(rt_dialect::ProgramOp program) {
  EXPECT_EQ(program.getTarget().getDevice(), "pocket");
  EXPECT_EQ(program.getTarget().getFeatures(), "small");
  EXPECT_EQ(program.getLibrary(), "");
  EXPECT_EQ(program.getArenaBytes() % 256, 0u);
  unsigned buffers = 0;
  program.walk([&](rt_dialect::BufferOp buffer) {
    ++buffers;
    EXPECT_EQ(buffer.getOffset() % 256, 0u);
  });
  EXPECT_GT(buffers, 10u);
  // A workspace is a copy of the smallest operand, rounded up.
  program.walk([&](rt_dialect::CallOp call) {
    EXPECT_EQ(call.getImplementation(), "loops");
    uint64_t smallest = UINT64_MAX;
    for (auto view : call.getInputs().getAsRange<rt_dialect::ViewAttr>())
      smallest = std::min(smallest, view.getBytes());
    ASSERT_TRUE(call.getWorkspace());
    EXPECT_EQ(call.getWorkspace()->getBytes(), llvm::alignTo(smallest, 256));
  });
}

void PocketTargetTest::checkArtifact() {
  rp_program *program = nullptr;
  ASSERT_TRUE(rt::takeStatus(rp_program_from_memory(artifact.data(),
                                                    artifact.size(), &program))
                  .ok());
  EXPECT_STREQ(rp_program_device(program), "pocket");
  rp_session_options options = {"cpu", 0, 0, 0};
  rp_session *session = nullptr;
  rt::Status status =
      rt::takeStatus(rp_session_create(program, &options, &session));
  EXPECT_EQ(status.code(), RP_INCOMPATIBLE);
  rp_program_close(program);
}

TEST_P(PocketTargetTest, CompilesPlansAndVerifies) {
  rt_dialect::ProgramOp program = compile(GetParam());
  ASSERT_TRUE(program);
  checkAlignment(program);
  checkArtifact();
}

//===----------------------------------------------------------------------===//
// A call of two results, from an op to the device
//===----------------------------------------------------------------------===//

static constexpr const char *kRmsNorm = R"(
  sg.variable @g : tensor<2xf32> {
    role = #sg.role<parameter>, init = #sg.init<ones>}
  func.func @f(%x: tensor<2x2xf32> {sg.name = "x"})
      -> (tensor<2x2xf32> {sg.name = "y"}, tensor<2xf32> {sg.name = "rstd"}) {
    %g = sg.read @g : tensor<2xf32>
    %y, %r = demo.rms_norm %x, %g {epsilon = 0.5 : f64}
      : (tensor<2x2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
    return %y, %r : tensor<2x2xf32>, tensor<2xf32>
  })";

/// What the entry "eval_step" of an artifact makes of `x`, on the device that
/// it is for.
static void evaluate(const Bytes &artifact, const std::vector<float> &x,
                     std::vector<float> &y, std::vector<float> &rstd) {
  rp_program *program = nullptr;
  rp_session *session = nullptr;
  rp_session_options options = {nullptr, 1, 0, 1};
  auto check = [](rp_status *status) {
    EXPECT_EQ(rt::takeStatus(status).message(), "");
  };
  check(rp_program_from_memory(artifact.data(), artifact.size(), &program));
  check(rp_session_create(program, &options, &session));
  ASSERT_TRUE(session);
  check(rp_session_initialize(session, 1));
  check(
      rp_session_set_input(session, "eval_step", "x", x.data(), 4 * x.size()));
  check(rp_session_run(session, "eval_step"));
  check(
      rp_session_get_output(session, "eval_step", "y", y.data(), 4 * y.size()));
  check(rp_session_get_output(session, "eval_step", "rstd", rstd.data(),
                              4 * rstd.size()));
  rp_session_destroy(session);
  rp_program_close(program);
}

TEST(PocketCalls, HaveTwoResultsAndANumber) {
  setenv("REPRISE_DEVICE_PATH", REPRISE_POCKET_PATH, 1);
  MLIRContext context;
  loadEverything(context);
  context.loadDialect<demo::DemoDialect>();
  test::registerPocketTarget();
  auto module = parseSourceString<mlir::ModuleOp>(kRmsNorm, &context);
  ASSERT_TRUE(module);
  CompileOptions options;
  options.training = false;
  options.target = TargetName::parse("pocket:small");
  FailureOr<Bytes> artifact = compileModel(*module, options);
  ASSERT_TRUE(succeeded(artifact));
  std::vector<float> y(4), rstd(2);
  evaluate(*artifact, {1, 0, 2, 1}, y, rstd);
  float second = float(1 / std::sqrt(3.0));
  EXPECT_EQ(rstd, (std::vector<float>{1, second}));
  EXPECT_EQ(y, (std::vector<float>{1, 0, 2 * second, second}));
}

TEST(PocketElements, AnOpOfATypeThatItLacksIsRefused) {
  MLIRContext context;
  loadEverything(context);
  test::registerPocketTarget();
  auto module = parseSourceString<mlir::ModuleOp>(R"(
    func.func @f(%x: tensor<4xf64> {sg.name = "x"})
        -> (tensor<4xf64> {sg.name = "y"}) {
      %y = sg.exp %x : tensor<4xf64>
      return %y : tensor<4xf64>
    })",
                                                  &context);
  std::string errors;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { errors += diagnostic.str(); });
  CompileOptions options;
  options.training = false;
  options.target = TargetName::parse("pocket:small");
  EXPECT_TRUE(failed(lowerModel(*module, options, CompileLevel::Program)));
  EXPECT_EQ(errors, "'sg.exp' op runs on f64, but a kernel of target 'pocket' "
                    "takes f32, bf16, f16, i1, i8, i32 and i64");
}

static std::vector<PocketCase> allCases() {
  std::vector<PocketCase> cases;
  for (const char *model :
       {"mlp", "resnet18", "resnet50", "wide_resnet50_2", "vit_b_16", "swin_t",
        "swin_v2_t", "swin3d_t", "convnext_tiny", "mobilenet_v2",
        "mobilenet_v3_small", "efficientnet_b0", "regnet_y_400mf",
        "shufflenet_v2_x0_5", "mnasnet0_5", "squeezenet1_0", "vgg11_bn"})
    for (const char *mode : {"none", "per-block"})
      cases.push_back({model, mode, {}});
  for (const char *model : {"mlp", "resnet18"})
    cases.push_back(
        {model, "none", plan::Budget{plan::Budget::Kind::Knee, 0, 0}});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Zoo, PocketTargetTest, testing::ValuesIn(allCases()),
                         [](const auto &info) {
                           std::string name =
                               info.param.model + "_" + info.param.mode;
                           if (info.param.budget)
                             name += "_budget";
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Targets, AreFoundByName) {
  registerAllTargets();
  test::registerPocketTarget();
  EXPECT_EQ(targetNames(), (std::vector<std::string>{"cpu", "cuda", "pocket"}));
  auto unknown = createTarget(TargetName::parse("desk:large"), 2);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.status().message(),
            "'desk:large' is not a target: there is no device 'desk' (a target "
            "begins with a device and a colon; devices are cpu, cuda, pocket)");
  auto wrong = createTarget(TargetName::parse("pocket:huge"), 2);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(
      wrong.status().message(),
      "'pocket:huge' is not a target: write pocket:small or pocket:large");
}
