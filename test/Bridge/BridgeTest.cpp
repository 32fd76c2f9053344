//===- BridgeTest.cpp - Programs mean what their functions mean -----------===//
#include "Meaning.h"

#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;
using namespace reprise::rt_dialect;

namespace {

const char *const kVariables = R"(
  sg.variable @w : tensor<4xf32> {role = #sg.role<parameter>,
                                  init = #sg.init<zeros>}
  sg.variable @v : tensor<4xf32> {role = #sg.role<optimizer_state>,
                                  init = #sg.init<zeros>}
)";

/// A kernel of two operands and one result; "ew..." may work in place.
std::string kernel(const std::string &result, const std::string &path,
                   const std::string &a, const std::string &b) {
  return "%" + result + " = sg.kernel \"" + path + "\" (%x = %" + a +
         " : tensor<4xf32>, %y = %" + b +
         " : tensor<4xf32>) -> tensor<4xf32> {\n"
         "  %s = sg.add %x, %y : tensor<4xf32>\n"
         "  sg.yield %s : tensor<4xf32>\n}\n";
}

std::string read(const std::string &name) {
  return "%" + name + " = sg.read @" + name + " : tensor<4xf32>\n";
}

std::string write(const std::string &name, const std::string &value) {
  return "sg.write @" + name + ", %" + value + " : tensor<4xf32>\n";
}

/// A function of one argument %g that returns `results`.
std::string step(const std::string &body, std::vector<std::string> results) {
  std::string values, types;
  for (const std::string &result : results) {
    values += (values.empty() ? "%" : ", %") + result;
    types += (types.empty() ? "tensor<4xf32>" : ", tensor<4xf32>");
  }
  return std::string(kVariables) + "func.func @f(%g: tensor<4xf32>) -> (" +
         types + ") {\n" + body + "return " + values +
         (values.empty() ? "" : " : ") + types + "\n}\n";
}

void expectSameMeaning(Lowered &lowered) {
  ASSERT_TRUE(lowered.program) << lowered.diagnostics;
  EXPECT_EQ(meaningOf(lowered.function("f")), meaningOf(lowered.entry("f")));
}

TEST(Bridge, UpdatesInPlaceOfTheVariable) {
  Lowered lowered(
      step(read("w") + kernel("n", "ew", "w", "g") + write("w", "n"), {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
  // Only the argument takes memory.
  EXPECT_EQ(lowered.entry("f").getPeakBytes(),
            lowered.program.getFixedBytes() + 16);
  EXPECT_EQ(lowered.program.getArenaBytes(),
            lowered.program.getFixedBytes() + 64);
}

TEST(Bridge, CopiesWhereTheKernelReadsElsewhere) {
  Lowered lowered(
      step(read("w") + kernel("n", "mix", "w", "g") + write("w", "n"), {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 1u);
}

TEST(Bridge, UpdatesDirectlyWhenTheKernelDoesNotReadTheVariable) {
  Lowered lowered(step(kernel("n", "mix", "g", "g") + write("w", "n"), {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
}

TEST(Bridge, UpdateWaitsForLaterReader) {
  Lowered lowered(step(read("w") + kernel("n", "ew", "w", "g") +
                           write("w", "n") + kernel("r", "late", "w", "g"),
                       {"r"}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
}

TEST(Bridge, CopiesWhereAReaderNeedsTheUpdate) {
  // "both" reads the old and the new value.
  Lowered lowered(step(read("w") + kernel("n", "ew", "w", "g") +
                           write("w", "n") + kernel("r", "both", "w", "n"),
                       {"r"}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 1u);
}

TEST(Bridge, MomentumAndParameterBothUpdateDirectly) {
  Lowered lowered(step(read("w") + read("v") + kernel("m", "ew1", "v", "g") +
                           kernel("n", "ew2", "w", "m") + write("v", "m") +
                           write("w", "n"),
                       {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
}

TEST(Bridge, CrossedUpdatesCopyOnce) {
  // w' reads v and v' reads w: only one of them can go first.
  Lowered lowered(step(read("w") + read("v") + kernel("a", "mix1", "v", "g") +
                           kernel("b", "mix2", "w", "g") + write("w", "a") +
                           write("v", "b"),
                       {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 1u);
}

TEST(Bridge, SwapsVariables) {
  Lowered lowered(
      step(read("w") + read("v") + write("w", "v") + write("v", "w"), {}));
  expectSameMeaning(lowered);
}

TEST(Bridge, WritingBackTheOldValueDoesNothing) {
  Lowered lowered(step(read("w") + write("w", "w"), {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
}

TEST(Bridge, WritesAnArgument) {
  Lowered lowered(step(write("w", "g"), {"g"}));
  expectSameMeaning(lowered);
}

TEST(Bridge, WritesOneValueToTwoVariables) {
  Lowered lowered(step(
      kernel("n", "mix", "g", "g") + write("w", "n") + write("v", "n"), {"n"}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 1u);
}

TEST(Bridge, WritesAReshapedValue) {
  Lowered lowered(
      step("%t = sg.reshape %g : tensor<4xf32> -> tensor<2x2xf32>\n"
           "%k = sg.kernel \"mix\" (%x = %t : tensor<2x2xf32>) -> "
           "tensor<2x2xf32> {\n"
           "  %s = sg.relu %x : tensor<2x2xf32>\n"
           "  sg.yield %s : tensor<2x2xf32>\n}\n"
           "%n = sg.reshape %k : tensor<2x2xf32> -> tensor<4xf32>\n" +
               write("w", "n"),
           {}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
}

TEST(Bridge, ReturnsTheOldValueOfAnUpdatedVariable) {
  Lowered lowered(step(
      read("w") + kernel("n", "ew", "w", "g") + write("w", "n"), {"w", "n"}));
  expectSameMeaning(lowered);
}

TEST(Bridge, ReturnsArgumentVariableAndOneValueTwice) {
  Lowered lowered(
      step(read("w") + kernel("n", "ew", "w", "g"), {"g", "w", "n", "n", "g"}));
  expectSameMeaning(lowered);
  EXPECT_EQ(lowered.count<CopyOp>("f"), 0u);
}

TEST(Bridge, ReturnsAnArgumentWithoutAnyStep) {
  Lowered lowered(step("", {"g"}));
  expectSameMeaning(lowered);
}

TEST(Bridge, SharesConstantsBetweenEntries) {
  std::string body =
      "%c = sg.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n" +
      kernel("r", "ew", "c", "g") + "return %r : tensor<4xf32>\n}\n";
  Lowered lowered(
      "func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {\n" + body +
      "func.func @h(%g: tensor<4xf32>) -> tensor<4xf32> {\n" + body);
  expectSameMeaning(lowered);
  auto constants = lowered.program.getBody().getOps<ConstantOp>();
  EXPECT_EQ(std::distance(constants.begin(), constants.end()), 1);
  auto kernels = lowered.program.getBody().getOps<KernelOp>();
  EXPECT_EQ(std::distance(kernels.begin(), kernels.end()), 1);
  EXPECT_EQ(meaningOf(lowered.function("h")), meaningOf(lowered.entry("h")));
}

TEST(Bridge, KernelsThatDifferStayApart) {
  Lowered lowered(step(kernel("a", "k", "g", "g") +
                           "%b = sg.kernel \"k\" (%x = %g : tensor<4xf32>,"
                           " %y = %a : tensor<4xf32>) -> tensor<4xf32> {\n"
                           "  %s = sg.add %y, %x : tensor<4xf32>\n"
                           "  sg.yield %s : tensor<4xf32>\n}\n",
                       {"b"}));
  expectSameMeaning(lowered);
  auto kernels = lowered.program.getBody().getOps<KernelOp>();
  EXPECT_EQ(std::distance(kernels.begin(), kernels.end()), 2);
}

TEST(Bridge, BarrierOrdersItsReaders) {
  // Without the barrier, "clone" could run first, and program order has it so.
  Lowered lowered(
      step(kernel("a", "first", "g", "g") +
               "%b = sg.barrier (%g) after (%a) : (tensor<4xf32>) after "
               "(tensor<4xf32>) -> tensor<4xf32>\n"
               "%v1 = sg.reshape %b : tensor<4xf32> -> tensor<2x2xf32>\n"
               "%v2 = sg.reshape %v1 : tensor<2x2xf32> -> tensor<4xf32>\n" +
               kernel("c", "clone", "v2", "v2"),
           {"c", "a"}));
  expectSameMeaning(lowered);
  std::vector<std::string> names;
  for (auto step : lowered.entry("f").getBody().getOps<StepOpInterface>())
    names.push_back(step.getStepInfo().getName().str());
  EXPECT_EQ(names, (std::vector<std::string>{"first", "clone"}));
}

TEST(Bridge, BarrierHoldsBackWhatWouldTakeLessMemory) {
  // "clone" right behind "first" would free two values for one, before "third"
  // needs room.
  Lowered lowered(step(
      kernel("l", "left", "g", "g") + kernel("r", "right", "g", "g") +
          kernel("a", "first", "l", "r") + kernel("n", "second", "a", "a") +
          kernel("m", "third", "a", "n") +
          "%b:2 = sg.barrier (%l, %r) after (%m) : (tensor<4xf32>, "
          "tensor<4xf32>) after (tensor<4xf32>) -> tensor<4xf32>, "
          "tensor<4xf32>\n" +
          kernel("c", "clone", "b#0", "b#1"),
      {"c", "m"}));
  expectSameMeaning(lowered);
  std::vector<std::string> names;
  for (auto step : lowered.entry("f").getBody().getOps<StepOpInterface>())
    names.push_back(step.getStepInfo().getName().str());
  EXPECT_EQ(names.back(), "clone");
}

TEST(Bridge, WorkspaceIsPlacedWithItsCall) {
  Lowered lowered(R"(
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %c = sg.matmul %a, %b
        : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      return %c : tensor<4x2xf32>
    })");
  ASSERT_TRUE(lowered.program) << lowered.diagnostics;
  EXPECT_EQ(lowered.target.calls, 1u);
  EXPECT_EQ(lowered.entry("f").getMaxLiveBytes(), 128u + 64u + 32u + 256u);
}

TEST(Bridge, RefusesAnOpThatNoStepCanRun) {
  Lowered lowered(step("%r = sg.relu %g : tensor<4xf32>\n", {"r"}));
  EXPECT_FALSE(lowered.program);
  EXPECT_NE(lowered.diagnostics.find("cannot be run by any step"),
            std::string::npos)
      << lowered.diagnostics;
}

TEST(Bridge, PhasesComeFromOrigins) {
  Lowered lowered(
      step("%b = sg.kernel \"k\" (%x = %g : tensor<4xf32>) -> tensor<4xf32>\n"
           "  attributes {sg.origin = #sg.origin<\"layer1\", backward>} {\n"
           "  %s = sg.relu %x : tensor<4xf32>\n"
           "  sg.yield %s : tensor<4xf32>\n"
           "}\n" +
               read("w") + kernel("n", "ew", "w", "b") + write("w", "n"),
           {}));
  expectSameMeaning(lowered);
  std::vector<StepAttr> steps;
  for (auto step : lowered.entry("f").getBody().getOps<StepOpInterface>())
    steps.push_back(step.getStepInfo());
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].getPhase(), Phase::Backward);
  EXPECT_EQ(steps[0].getModule(), "layer1");
  EXPECT_EQ(steps[1].getPhase(), Phase::Update);
}

/// A random step: kernels, in place or not, with two results or one, on
/// random earlier values; barriers; random updates and results.
std::string randomStep(unsigned seed) {
  std::srand(seed);
  auto below = [](size_t n) { return static_cast<size_t>(std::rand()) % n; };
  std::string text = "func.func @f(%g: tensor<4xf32>) -> (tensor<4xf32>, "
                     "tensor<4xf32>) {\n";
  std::string variables;
  std::vector<std::string> values = {"g"};
  size_t variableCount = 1 + below(4);
  for (size_t i = 0; i < variableCount; ++i) {
    std::string name = "p" + std::to_string(i);
    variables += "sg.variable @" + name +
                 " : tensor<4xf32> {role = #sg.role<parameter>, init = "
                 "#sg.init<zeros>}\n";
    text += read(name);
    values.push_back(name);
  }
  for (size_t i = 0, count = 1 + below(10); i < count; ++i) {
    std::string name = "t" + std::to_string(i);
    auto pick = [&] { return values[below(values.size())]; };
    if (below(6) == 0)
      text += "%" + name + " = sg.barrier (%" + pick() + ") after (%" + pick() +
              ") : (tensor<4xf32>) after (tensor<4xf32>) -> tensor<4xf32>\n";
    else
      text += kernel(name, (below(3) ? "ew" : "mix") + std::to_string(i),
                     pick(), pick());
    values.push_back(name);
  }
  for (size_t i = 0; i < variableCount; ++i)
    if (below(3))
      text += write("p" + std::to_string(i), values[below(values.size())]);
  text += "return %" + values[below(values.size())] + ", %" +
          values[below(values.size())] + " : tensor<4xf32>, tensor<4xf32>\n}\n";
  return variables + text;
}

TEST(Bridge, RandomStepsKeepTheirMeaning) {
  size_t copies = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::string source = randomStep(seed);
    Lowered lowered(source);
    ASSERT_TRUE(lowered.program) << lowered.diagnostics << source;
    EXPECT_EQ(meaningOf(lowered.function("f")), meaningOf(lowered.entry("f")))
        << "seed " << seed << "\n"
        << source;
    copies += lowered.count<CopyOp>("f");
  }
  EXPECT_GT(copies, 0u);
}

} // namespace
