//===- BridgeTest.cpp - Programs mean what their functions mean -----------===//
//
// Each case is a file of Inputs, which says what it is about.
//
//===----------------------------------------------------------------------===//
#include "Meaning.h"

#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;
using namespace reprise::rt_dialect;

namespace {

/// The text of Inputs/NAME.mlir.
std::string textOf(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(REPRISE_INPUTS "/" + name + ".mlir");
  if (!file)
    return "no case has the name " + name;
  return (*file)->getBuffer().str();
}

/// A case and the program of its functions.
class Case : public Lowered {
public:
  explicit Case(const std::string &name) : Lowered(textOf(name)) {}

  std::vector<StepAttr> steps() {
    std::vector<StepAttr> steps;
    for (auto step : entry("f").getBody().getOps<StepOpInterface>())
      steps.push_back(step.getStepInfo());
    return steps;
  }

  /// Number of ops of a kind that the entries share.
  template <typename OpTy> size_t countShared() {
    auto ops = program.getBody().getOps<OpTy>();
    return std::distance(ops.begin(), ops.end());
  }
};

/// Whether the case has a program, and one that means what its function means.
testing::AssertionResult keepsMeaning(Case &lowered) {
  if (!lowered.program)
    return testing::AssertionFailure() << lowered.diagnostics;
  Meaning wanted = meaningOf(lowered.function("f"));
  Meaning found = meaningOf(lowered.entry("f"));
  if (wanted == found)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "the function means" << wanted << "\nthe program means" << found;
}

void expectCopies(const std::string &name, size_t copies) {
  Case lowered(name);
  ASSERT_TRUE(keepsMeaning(lowered));
  EXPECT_EQ(lowered.count<CopyOp>("f"), copies);
}

TEST(Bridge, UpdatesInPlaceOfTheVariable) {
  Case lowered("updates-in-place");
  ASSERT_TRUE(keepsMeaning(lowered));
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
  // Only the argument takes memory.
  EXPECT_EQ(lowered.entry("f").getPeakBytes(),
            lowered.program.getFixedBytes() + 16);
  EXPECT_EQ(lowered.program.getArenaBytes(),
            lowered.program.getFixedBytes() + 64);
}

TEST(Bridge, CopiesWhereTheKernelReadsElsewhere) {
  expectCopies("copies-where-the-kernel-reads-elsewhere", 1);
}

TEST(Bridge, UpdatesDirectlyWhenTheKernelDoesNotReadTheVariable) {
  expectCopies("updates-what-no-kernel-reads", 0);
}

TEST(Bridge, UpdateWaitsForLaterReader) {
  expectCopies("update-waits-for-a-reader", 0);
}

TEST(Bridge, CopiesWhereAReaderNeedsTheUpdate) {
  expectCopies("copies-where-a-reader-needs-the-update", 1);
}

TEST(Bridge, MomentumAndParameterBothUpdateDirectly) {
  expectCopies("momentum-and-parameter", 0);
}

TEST(Bridge, CrossedUpdatesCopyOnce) { expectCopies("crossed-updates", 1); }

TEST(Bridge, SwapsVariables) {
  Case lowered("swaps-variables");
  EXPECT_TRUE(keepsMeaning(lowered));
}

TEST(Bridge, WritingBackTheOldValueDoesNothing) {
  expectCopies("writes-back-the-old-value", 0);
}

TEST(Bridge, WritesAnArgument) {
  Case lowered("writes-an-argument");
  EXPECT_TRUE(keepsMeaning(lowered));
}

TEST(Bridge, WritesOneValueToTwoVariables) {
  expectCopies("one-value-to-two-variables", 1);
}

TEST(Bridge, WritesAReshapedValue) {
  expectCopies("writes-a-reshaped-value", 0);
}

TEST(Bridge, ReturnsTheOldValueOfAnUpdatedVariable) {
  Case lowered("returns-the-old-value");
  EXPECT_TRUE(keepsMeaning(lowered));
}

TEST(Bridge, ReturnsArgumentVariableAndOneValueTwice) {
  expectCopies("returns-values-twice", 0);
}

TEST(Bridge, ReturnsAnArgumentWithoutAnyStep) {
  Case lowered("returns-an-argument");
  EXPECT_TRUE(keepsMeaning(lowered));
}

TEST(Bridge, SharesConstantsBetweenEntries) {
  Case lowered("shared-constants");
  ASSERT_TRUE(keepsMeaning(lowered));
  EXPECT_EQ(lowered.countShared<ConstantOp>(), 1u);
  EXPECT_EQ(lowered.countShared<KernelOp>(), 1u);
  EXPECT_EQ(meaningOf(lowered.function("h")), meaningOf(lowered.entry("h")));
}

TEST(Bridge, KernelsThatDifferStayApart) {
  Case lowered("kernels-that-differ");
  ASSERT_TRUE(keepsMeaning(lowered));
  EXPECT_EQ(lowered.countShared<KernelOp>(), 2u);
}

TEST(Bridge, BarrierOrdersItsReaders) {
  Case lowered("barrier-orders-its-readers");
  ASSERT_TRUE(keepsMeaning(lowered));
  std::vector<StepAttr> steps = lowered.steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].getName(), "first");
  EXPECT_EQ(steps[1].getName(), "clone");
}

TEST(Bridge, BarrierHoldsBackWhatWouldTakeLessMemory) {
  Case lowered("barrier-holds-back");
  ASSERT_TRUE(keepsMeaning(lowered));
  EXPECT_EQ(lowered.steps().back().getName(), "clone");
}

TEST(Bridge, WorkspaceIsPlacedWithItsCall) {
  Case lowered("workspace");
  ASSERT_TRUE(lowered.program) << lowered.diagnostics;
  EXPECT_EQ(lowered.target.calls, 1u);
  EXPECT_EQ(lowered.entry("f").getMaxLiveBytes(), 128u + 64u + 32u + 256u);
}

TEST(Bridge, RefusesAnOpThatNoStepCanRun) {
  Case lowered("no-step-runs-this");
  EXPECT_FALSE(lowered.program);
  EXPECT_NE(lowered.diagnostics.find("cannot be run by any step"),
            std::string::npos)
      << lowered.diagnostics;
}

TEST(Bridge, PhasesComeFromOrigins) {
  Case lowered("phases");
  ASSERT_TRUE(keepsMeaning(lowered));
  std::vector<StepAttr> steps = lowered.steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].getPhase(), Phase::Backward);
  EXPECT_EQ(steps[0].getModule(), "layer1");
  EXPECT_EQ(steps[1].getPhase(), Phase::Update);
}

} // namespace
