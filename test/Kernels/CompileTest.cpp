//===- CompileTest.cpp - Properties of code images ------------------------===//

#include "KernelHarness.h"
#include "mlir/IR/Diagnostics.h"
#include "reprise/IR/Sg.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::test;

static Case sumCase(const std::string &name) {
  return {name,
          {"37x133xf32"},
          "%e = sg.exp %a0 : tensor<37x133xf32>\n"
          "%s = sg.reduce_sum %e dims [0] : tensor<37x133xf32> -> "
          "tensor<133xf32>\n",
          {{"%s", "133xf32"}}};
}

static Case rowCase(const std::string &name) {
  return {name,
          {"37x133xf32"},
          "%s = sg.reduce_sum %a0 dims [1] : tensor<37x133xf32> -> "
          "tensor<37xf32>\n",
          {{"%s", "37xf32"}}};
}

TEST(CompileKernels, equal_input_gives_equal_bytes) {
  auto context = createContext();
  auto module = parseCases(*context, {sumCase("a"), rowCase("b")});
  FailureOr<CodeImage> first = compileKernels(sourcesOf(*module));
  FailureOr<CodeImage> second = compileKernels(sourcesOf(*module));
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(first->elf, second->elf);
}

TEST(CompileKernels, equal_bodies_share_code_under_their_names) {
  auto context = createContext();
  auto module =
      parseCases(*context, {sumCase("a"), rowCase("b"), sumCase("c")});
  FailureOr<CodeImage> image = compileKernels(sourcesOf(*module));
  ASSERT_TRUE(succeeded(image));
  LoadedCode code(*image);
  ASSERT_NE(code.find("a"), nullptr);
  EXPECT_EQ(code.find("a"), code.find("c"));
  EXPECT_NE(code.find("a"), code.find("b"));
}

/// The order of sums and the polynomials do not depend on the vectors' width.
TEST(CompileKernels, narrower_vectors_give_the_same_bits) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this processor has no AVX2 with FMA";
  auto context = createContext();
  auto module = parseCases(*context, {sumCase("a"), rowCase("b")});
  FailureOr<CodeImage> here = compileKernels(sourcesOf(*module));
  FailureOr<CodeImage> narrow = compileKernels(sourcesOf(*module), "x86-64-v3");
  ASSERT_TRUE(succeeded(here) && succeeded(narrow));
  LoadedCode codes[] = {LoadedCode(*here), LoadedCode(*narrow)};
  std::vector<float> input(37 * 133), outputs[2][2];
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = 0.37f * static_cast<float>(i % 29) - 5.0f;
  for (int v = 0; v < 2; ++v)
    for (int k = 0; k < 2; ++k) {
      outputs[v][k].resize(133);
      void *pointers[] = {input.data(), outputs[v][k].data()};
      Block *body = sourcesOf(*module)[k].body;
      FailureOr<KernelInfo> info = analyzeKernel(*body);
      ASSERT_TRUE(succeeded(info));
      codes[v].find(k ? "b" : "a")(pointers, 0, info->grains);
    }
  EXPECT_EQ(outputs[0][0], outputs[1][0]);
  EXPECT_EQ(outputs[0][1], outputs[1][1]);
}

/// The message of the first error that analyzeKernel gives for a case.
static std::string errorOf(const Case &kernel) {
  auto context = createContext();
  auto module = parseCases(*context, {kernel});
  std::string message;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(analyzeKernel(*sourcesOf(*module)[0].body)));
  return message;
}

TEST(AnalyzeKernel, refuses_what_no_kernel_can_run) {
  EXPECT_EQ(errorOf({"k",
                     {"8x4xf32"},
                     "%y = sg.reshape %a0 : tensor<8x4xf32> -> tensor<32xf32>",
                     {{"%y", "32xf32"}}}),
            "'sg.reshape' op cannot run in a kernel");
  EXPECT_EQ(errorOf({"k",
                     {"2xf32"},
                     "%c = sg.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                     "%y = sg.add %a0, %c : tensor<2xf32>",
                     {{"%y", "2xf32"}}}),
            "'sg.constant' op in a kernel must be a splat; pass other "
            "constants as operands");
}

TEST(AnalyzeKernel, refuses_mixed_iteration_spaces) {
  std::string sum = "%s = sg.reduce_sum %a0 dims [0] : tensor<8x8xf32> -> "
                    "tensor<8xf32>\n";
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%n = sg.neg %s : tensor<8xf32>",
                     {{"%n", "8xf32"}}}),
            "'sg.neg' op uses a reduction of its own kernel");
  EXPECT_EQ(errorOf({"k",
                     {"8x8xf32"},
                     sum + "%t = sg.reduce_sum %a0 dims [1] : "
                           "tensor<8x8xf32> -> tensor<8xf32>",
                     {{"%s", "8xf32"}, {"%t", "8xf32"}}}),
            "'sg.reduce_sum' op reduces other dimensions than its kernel");
  EXPECT_EQ(errorOf({"k",
                     {"8xf32", "4xf32"},
                     "%x = sg.neg %a0 : tensor<8xf32>\n"
                     "%y = sg.neg %a1 : tensor<4xf32>",
                     {{"%x", "8xf32"}, {"%y", "4xf32"}}}),
            "'sg.neg' op has another iteration space than its kernel");
}

TEST(AnalyzeKernel, outputs_may_lie_over_inputs_read_in_place_only) {
  auto context = createContext();
  auto module = parseCases(
      *context, {{"k",
                  {"8x8xf32", "8x8xf32", "8xf32"},
                  "%t = sg.transpose %a1 perm [1, 0] : tensor<8x8xf32> -> "
                  "tensor<8x8xf32>\n"
                  "%b = sg.broadcast %a2 dims [1] : tensor<8xf32> -> "
                  "tensor<8x8xf32>\n"
                  "%x = sg.add %a0, %t : tensor<8x8xf32>\n"
                  "%y = sg.add %x, %b : tensor<8x8xf32>\n"
                  "%z = sg.add %y, %a1 : tensor<8x8xf32>\n",
                  {{"%z", "8x8xf32"}}}});
  FailureOr<KernelInfo> info = analyzeKernel(*sourcesOf(*module)[0].body);
  ASSERT_TRUE(succeeded(info));
  ASSERT_EQ(info->inPlace.size(), 1u);
  EXPECT_EQ(info->inPlace[0], std::make_pair(0u, 0u));
}
