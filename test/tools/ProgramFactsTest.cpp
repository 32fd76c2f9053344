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

#include "artifact/ProgramFacts.h"
#include "report/Report.h"
#include <gtest/gtest.h>

using namespace reprise::tools;

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
      {"conv", "layer1.0", "", Phase::Forward, Action::LibraryCall, 1000, 1},
      {"relu", "layer1.1", "", Phase::Forward, Action::Kernel, 10, 1},
      {"loss", "", "", Phase::Forward, Action::Kernel, 1, 1},
      {"conv", "layer1.0", "", Phase::Recompute, Action::LibraryCall, 1000, 1},
      {"sgd", "", "", Phase::Update, Action::Kernel, 5, 1}};
  entry.peak = 174;
  entry.maxLive = 174;
  entry.baseFlops = 2000;
  program.entries.push_back(entry);
  return program;
}

TEST(ProgramFacts, the_last_library_call_ends_the_forward_pass) {
  ProgramFacts program = smallProgram();
  EXPECT_EQ(endOfForward(program.entries[0]), 0);
  // Without library calls it is the last forward step.
  for (StepFacts &step : program.entries[0].steps)
    step.action = Action::Kernel;
  EXPECT_EQ(endOfForward(program.entries[0]), 2);
}

TEST(ProgramFacts, summary_counts_kept_and_recomputed) {
  ProgramFacts program = smallProgram();
  program.entries[0].steps[0].action = Action::Kernel;
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
