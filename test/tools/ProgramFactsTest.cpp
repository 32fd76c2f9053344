//===- ProgramFactsTest.cpp - What a program says of itself ---------------===//
//
// A program by hand:
//
//   step     0      1      2     3       4
//            conv   relu   loss  conv'   update
//   phase    fwd    fwd    fwd   rec     upd
//   a        ########                            100 bytes, read by relu
//   b               #############                 10 bytes, kept
//   c                            ########         40 bytes
//
//===----------------------------------------------------------------------===//

#include "reprise/Program/ProgramFacts.h"
#include "reprise/Program/StepGraph.h"
#include "reprise/Report/Report.h"
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::driver;

static ProgramFacts smallProgram() {
  ProgramFacts program;
  program.model = "small</script>";
  program.fixed = 64;
  program.buffers = {{"w", BufferKind::Parameter, 0, 64, 0, 0}};
  EntryFacts entry;
  entry.name = "train_step";
  entry.buffers = {{"a", BufferKind::Activation, 64, 100, 0, 1},
                   {"b", BufferKind::Activation, 164, 10, 1, 3},
                   {"c", BufferKind::Recomputed, 64, 40, 3, 4}};
  entry.steps = {
      {"conv", "layer1.0", "", Phase::Forward, StepAction::LibraryCall, 1000,
       1},
      {"relu", "layer1.1", "", Phase::Forward, StepAction::Kernel, 10, 1},
      {"loss", "", "", Phase::Forward, StepAction::Kernel, 1, 1},
      {"conv", "layer1.0", "", Phase::Recompute, StepAction::LibraryCall, 1000,
       1},
      {"sgd", "", "", Phase::Update, StepAction::Kernel, 5, 1}};
  entry.peak = 174;
  entry.maxLive = 174;
  entry.baseFlops = 2000;
  entry.forwardSteps = 3;
  entry.kept = 10;
  program.entries.push_back(entry);
  return program;
}

TEST(ProgramFacts, summary_tells_kept_and_recomputed) {
  ProgramFacts program = smallProgram();
  EntrySummary summary = summarize(program, program.entries[0]);
  EXPECT_EQ(summary.kept, 10u);
  EXPECT_EQ(summary.recomputedFlops, 1000u);
  EXPECT_DOUBLE_EQ(summary.recomputedShare(), 0.5);
  EXPECT_DOUBLE_EQ(summary.placementRatio(), 1);
}

TEST(ProgramFacts, modules_are_cut_at_their_depth) {
  ProgramFacts program = smallProgram();
  auto fine = byModule(program.entries[0], 0);
  ASSERT_EQ(fine.size(), 3u);
  EXPECT_EQ(fine[0].module, "layer1.0");
  EXPECT_EQ(fine[0].flops[size_t(Phase::Recompute)], 1000u);
  auto coarse = byModule(program.entries[0], 1);
  ASSERT_EQ(coarse.size(), 2u);
  EXPECT_EQ(coarse[0].module, "layer1");
  EXPECT_EQ(coarse[0].steps, 3u);
}

TEST(ProgramFacts, module_sums_are_the_entry_s) {
  ProgramFacts program = smallProgram();
  const EntryFacts &entry = program.entries[0];
  uint64_t kept = 0, atPeak = 0;
  for (const ModuleFacts &module : byModule(entry, 0)) {
    kept += module.kept;
    atPeak += module.atPeak;
  }
  EXPECT_EQ(kept, summarize(program, entry).kept);
  EXPECT_EQ(peakStep(entry), 1u);
  EXPECT_EQ(atPeak, 110u);
}

//===----------------------------------------------------------------------===//
// The step as the planner sees it
//===----------------------------------------------------------------------===//

/// x -> relu -> h; h -> f -> y (over h); relu' -> h'; h' and y -> loss.
static EntryFacts recomputingEntry() {
  EntryFacts entry;
  entry.inputs = {{"x", {4}, RP_BINDING_DATA, 1}};
  entry.outputs = {{"loss", {}, RP_BINDING_LOSS, 4}};
  entry.buffers = {{"x", BufferKind::Input, 64, 16, 0, 2},
                   {"m:relu", BufferKind::Activation, 128, 16, 0, 3},
                   {"m:relu#2", BufferKind::Recomputed, 192, 16, 2, 3},
                   {"loss", BufferKind::Output, 256, 4, 3, 3}};
  entry.steps.resize(4);
  entry.steps[0].name = entry.steps[2].name = "relu";
  entry.steps[0].module = entry.steps[2].module = "m";
  entry.steps[0].reads = entry.steps[2].reads = {{1, 16}, {0, 16}};
  entry.steps[0].writes = {{2, 16}};
  entry.steps[0].picoseconds = entry.steps[2].picoseconds = 3000;
  entry.steps[1].name = "f";
  entry.steps[1].reads = entry.steps[1].writes = {{2, 16}};
  entry.steps[1].inPlace = {{0, 0}};
  entry.steps[2].writes = {{3, 16}};
  entry.steps[2].phase = Phase::Recompute;
  entry.steps[2].cloneOf = 0;
  entry.steps[3].name = "loss";
  entry.steps[3].phase = Phase::Backward;
  entry.steps[3].reads = {{2, 16}, {3, 16}};
  entry.steps[3].writes = {{4, 4}};
  return entry;
}

TEST(StepGraph, clones_are_executions_of_one_op) {
  StepGraph steps = *buildStepGraph(recomputingEntry(), 1);
  EXPECT_EQ(plan::checkGraph(steps.graph), "");
  EXPECT_EQ(steps.executions, (plan::Executions{0, 1, 0, 2}));
  EXPECT_EQ(plan::checkExecutions(steps.graph, steps.executions), "");
  EXPECT_EQ(steps.firstStep, (std::vector<uint32_t>{0, 1, 3}));
  EXPECT_EQ(steps.graph.ops[0].name, "m:relu");
  EXPECT_EQ(plan::picosecondsOf(steps.graph.ops[0].cost), 3000);
  // The loss reads what f made over relu's bytes, and relu's again.
  EXPECT_EQ(steps.graph.ops[2].inputs,
            (std::vector<plan::ValueId>{steps.graph.ops[1].outputs[0],
                                        steps.graph.ops[0].outputs[0]}));
  EXPECT_EQ(steps.written[2], std::vector<uint32_t>{2});
  // x, f's, relu's again and the loss, each a unit of 64 bytes.
  EXPECT_EQ(plan::maxLiveOf(steps.graph, steps.executions), 192u);
}

/// What a damaged file could say and the loader, which needs none of it, would
/// not mind.
TEST(StepGraph, steps_that_contradict_each_other_are_refused) {
  EntryFacts entry = recomputingEntry();
  // What is repeated changed a variable.
  entry.steps[0].writes.push_back({0, 16});
  entry.steps[2].writes.push_back({0, 16});
  rt::Expected<StepGraph> steps = buildStepGraph(entry, 1);
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.status().code(), RP_DATA_LOSS);
  EXPECT_NE(steps.status().message().find("contradict each other"),
            std::string::npos);
  // A result over the bytes of an input that is larger.
  entry = recomputingEntry();
  entry.steps[1].inPlace = {{0, 7}};
  EXPECT_FALSE(buildStepGraph(entry, 1).ok());
}

TEST(StepGraph, what_changes_a_variable_runs_once) {
  EntryFacts entry = recomputingEntry();
  entry.steps[3].writes.push_back({0, 16});
  StepGraph steps = *buildStepGraph(entry, 1);
  EXPECT_EQ(plan::checkGraph(steps.graph), "");
  EXPECT_TRUE(steps.graph.ops[2].runsOnce);
  EXPECT_FALSE(steps.graph.ops[0].runsOnce);
  // Whoever reads the variable must come before.
  EXPECT_NE(plan::checkExecutions(steps.graph, {0, 1, 0, 2, 0}), "");
}

TEST(Report, names_cannot_leave_the_script) {
  std::string page = makeReport(smallProgram());
  EXPECT_EQ(page.find("small</script>"), std::string::npos);
  EXPECT_NE(page.find("small\\u003c/script>"), std::string::npos);
}

TEST(Report, loads_nothing_from_elsewhere) {
  std::string page = makeReport(smallProgram());
  for (const char *link : {"src=", "href=", "url(http", "@import", "fetch("})
    EXPECT_EQ(page.find(link), std::string::npos) << link;
}

TEST(Report, is_the_same_for_the_same_program) {
  EXPECT_EQ(makeReport(smallProgram()), makeReport(smallProgram()));
}
