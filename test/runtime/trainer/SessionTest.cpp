//===- SessionTest.cpp - The trainer on a real session --------------------===//
//
// The program adds every batch to a variable: v += picture * scale, scores = v,
// cost = pace, the learning rate. So the variable shows which images came, and
// the loss shows the learning rate.
//
//===----------------------------------------------------------------------===//
#include "../conformance/ArtifactBuilder.h"
#include "TestFiles.h"
#include "reprise/Runtime/Trainer/ProcessMemory.h"
#include "reprise/Runtime/Trainer/Safetensors.h"
#include "reprise/Runtime/Trainer/Trainer.h"
#include <cstring>

using namespace reprise;
using namespace reprise::rt;
using namespace reprise::rt::test;
using reprise::test::ArtifactBuilder;
using reprise::test::Tensor;

namespace {

class TrainerSession : public testing::Test {
protected:
  void SetUp() override {
    ArtifactBuilder b;
    b.entry().name = "train_step";
    Tensor v = b.variable("v", {2, 3});
    Tensor scale = b.variable("scale", {1}, fb::InitKind::Constant, 0.5);
    b.variable("seed", {}, fb::InitKind::Zeros, 0, fb::Role::Seed,
               fb::ElementType::I64);
    b.program.variables[0]->file_permutation = {1, 0};
    Tensor image = b.input("picture", {2, 3});
    b.input("kind", {2}, fb::ElementType::I32, fb::BindingRole::Label);
    Tensor rate = b.input("pace", {}, fb::ElementType::F32,
                          fb::BindingRole::LearningRate);
    Tensor sum = b.activation("sum", {2, 3}), loss = b.activation("loss", {});
    b.launch("scale_add", {image, scale, v, sum}, {3}, 6);
    b.copy(sum, v);
    b.copy(rate, loss);
    b.output("cost", loss, fb::BindingRole::Loss);
    b.output("scores", sum, fb::BindingRole::Logits);
    b.output("slope", sum, fb::BindingRole::Gradient, "v");
    b.finish();
    std::vector<uint8_t> bytes = b.seal();
    Status opened = takeStatus(
        rp_program_from_memory(bytes.data(), bytes.size(), &program));
    ASSERT_TRUE(opened.ok()) << opened.message();
    options.data.source = "synthetic";
    options.data.syntheticSize = 11;
    options.learningRate.base = 0.5;
    options.steps = 12;
    options.seed = 77;
  }
  void TearDown() override { rp_program_close(program); }

  std::unique_ptr<Backend> session() {
    auto backend = openSessionBackend(program, {"cpu", 0, 0, 0});
    EXPECT_TRUE(backend.ok()) << backend.status().message();
    return std::move(*backend);
  }
  static std::vector<float> valueOfV(Backend &backend) {
    std::vector<float> v(6);
    EXPECT_TRUE(backend.readVariable("v", v.data(), 24).ok());
    return v;
  }

  rp_program *program = nullptr;
  TrainOptions options;
};

} // namespace

TEST_F(TrainerSession, DescribesTheProgram) {
  auto backend = session();
  EXPECT_EQ(backend->model(), "by-hand");
  ASSERT_EQ(backend->variables().size(), 3u);
  EXPECT_EQ(backend->variables()[0].name, "v");
  EXPECT_EQ(backend->variables()[0].filePermutation,
            (std::vector<int32_t>{1, 0}));
  EXPECT_EQ(backend->variables()[2].role, RP_SEED);
  EXPECT_TRUE(backend->variables()[2].shape.empty());
  EXPECT_EQ(backend->entry("eval_step"), nullptr);
  const EntryInfo *entry = backend->entry("train_step");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->input("picture")->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(entry->input(RP_BINDING_LABEL)->name, "kind");
  EXPECT_EQ(entry->output(RP_BINDING_GRADIENT)->variable, "v");
  EXPECT_EQ(entry->output("absent"), nullptr);
  EXPECT_GT(entry->peakBytes, 0u);
}

/// Of activations: sum lives in steps 0 to 2, loss in the last one.
TEST_F(TrainerSession, TellsTheMemoryOfEveryStep) {
  auto backend = session();
  auto plan = backend->planMemory("train_step");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  ASSERT_EQ(plan->steps.size(), 3u);
  EXPECT_EQ(plan->peakBytes, backend->entry("train_step")->peakBytes);
  EXPECT_EQ(plan->budgetBytes, 0u);
  size_t highest = 0;
  for (const rp_step_memory &step : plan->steps) {
    EXPECT_EQ(step.phase, RP_PHASE_FORWARD);
    highest = std::max(highest, step.end_bytes);
  }
  EXPECT_EQ(highest, plan->peakBytes);
  auto sum = [&](size_t step, rp_buffer_kind kind) {
    return plan->steps[step].live_bytes[kind];
  };
  for (size_t step = 0; step < 3; ++step)
    EXPECT_EQ(sum(step, RP_BUFFER_PARAMETER), sum(0, RP_BUFFER_PARAMETER));
  EXPECT_GE(sum(0, RP_BUFFER_ACTIVATION), 24u);
  EXPECT_EQ(sum(1, RP_BUFFER_ACTIVATION), sum(0, RP_BUFFER_ACTIVATION));
  EXPECT_GE(sum(2, RP_BUFFER_ACTIVATION), sum(1, RP_BUFFER_ACTIVATION) + 4);
  EXPECT_FALSE(backend->planMemory("eval_step").ok());
  rp_step_memory few[2];
  Status wrong =
      takeStatus(rp_program_step_memory(program, "train_step", few, 2));
  expectError(wrong, RP_INVALID_ARGUMENT, {"2 steps", "'train_step' has 3"});
}

TEST_F(TrainerSession, RunsAndReportsMemory) {
  auto backend = session();
  Progress last;
  options.onProgress = [&](const Progress &p) { last = p; };
  auto result = train(*backend, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->loss, 0.5);
  EXPECT_EQ(last.step, 12u);
  EXPECT_EQ(last.highWaterBytes, last.predictedPeakBytes);
  EXPECT_NE(valueOfV(*backend), std::vector<float>(6));
  uint64_t seed = 0;
  ASSERT_TRUE(backend->readVariable("seed", &seed, 8).ok());
  EXPECT_EQ(seed, 77u);
}

TEST_F(TrainerSession, ContinuesWithTheSameBits) {
  Folder folder;
  auto whole = session(), first = session(), second = session();
  ASSERT_TRUE(train(*whole, options).ok());
  options.savePath = folder / "s.safetensors";
  std::atomic<bool> stop{false};
  options.stop = &stop;
  options.onProgress = [&](const Progress &p) { stop = p.step == 7; };
  ASSERT_TRUE(train(*first, options).ok());
  options.resumePath = options.savePath;
  options.stop = nullptr;
  options.gradientsPath = folder / "g.safetensors";
  auto resumed = train(*second, options);
  ASSERT_TRUE(resumed.ok()) << resumed.status().message();
  EXPECT_EQ(resumed->steps, 5u);
  EXPECT_EQ(valueOfV(*second), valueOfV(*whole));
  auto gradients = SafetensorsFile::open(options.gradientsPath);
  ASSERT_TRUE(gradients.ok());
  std::vector<float> file(6), v = valueOfV(*whole);
  ASSERT_TRUE(
      gradients->read(*gradients->header().find("v"), file.data()).ok());
  EXPECT_EQ(file, (std::vector<float>{v[0], v[3], v[1], v[4], v[2], v[5]}));
}

static std::string decodingOf(const ProcessMemory &memory) {
  for (const HostItem &item : memory.items)
    if (item.what.rfind("decoding", 0) == 0)
      return item.what;
  return "";
}

/// Of a batch of two, whatever threads are asked for; bad files are looked for
/// in all three at once.
TEST_F(TrainerSession, NoMoreThreadsAreForeseenThanHaveRows) {
  Folder folder;
  std::filesystem::create_directories(folder / "a");
  for (const char *name : {"a/0.png", "a/1.png", "a/2.png"})
    std::filesystem::copy(REPRISE_TEST_IMAGES "/alpha.png", folder / name);
  DataSpec spec;
  spec.source = folder.path;
  spec.loaderThreads = 1000;
  auto memory = predictProcessMemory(program, spec, Split::Train, false);
  ASSERT_TRUE(memory.ok()) << memory.status().message();
  EXPECT_EQ(decodingOf(*memory), "decoding of images, threads: 2");
  size_t items = memory->items.size();
  // The same batches again.
  ASSERT_TRUE(addPrograms(program, {program}, *memory).ok());
  for (size_t i = items; i < memory->items.size(); ++i)
    EXPECT_NE(memory->items[i].what.rfind("decoding", 0), 0u);
  spec.images.skipBadFiles = true;
  memory = predictProcessMemory(program, spec, Split::Train, false);
  ASSERT_TRUE(memory.ok()) << memory.status().message();
  EXPECT_EQ(decodingOf(*memory), "decoding of images, threads: 3");
}

TEST_F(TrainerSession, LimitOnTheProcessLeavesTheVariationOfRuns) {
  ProcessMemory memory;
  memory.items = {{"process", 100}, {"arena", 50}};
  auto inBytes = [](uint64_t bytes) { return std::to_string(bytes); };
  EXPECT_TRUE(checkProcessMemory(memory, 150 + kRunVariation, inBytes).ok());
  expectError(checkProcessMemory(memory, 149 + kRunVariation, inBytes),
              RP_OUT_OF_MEMORY,
              {"would take " + std::to_string(150 + kRunVariation) + ", 1 more",
               "variation from run to run " + std::to_string(kRunVariation)});
  EXPECT_EQ(memory.peak(), 150u); // the prediction itself stays unbiased
  // A high water that has been reached does not vary.
  memory.reached = 200 + kRunVariation;
  EXPECT_TRUE(checkProcessMemory(memory, 200 + kRunVariation, inBytes).ok());
}

TEST_F(TrainerSession, ErrorsOfTheRuntimeComeThrough) {
  auto unknown = openSessionBackend(program, {"abacus", 0, 0, 0});
  expectError(unknown.status(), RP_UNAVAILABLE, {"abacus"});
  auto backend = session();
  float values[2] = {};
  Status wrong = backend->writeVariable("v", values, 8);
  expectError(wrong, RP_INVALID_ARGUMENT, {"'v'", "8", "24"});
  EXPECT_NE(wrong.site().find(".cpp:"), std::string::npos);
  expectError(backend->run("eval_step"), RP_INVALID_ARGUMENT, {"eval_step"});
}
