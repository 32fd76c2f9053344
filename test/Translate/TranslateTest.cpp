//===- TranslateTest.cpp - Programs as artifacts --------------------------===//
#include "Meaning.h"

#include "reprise/Runtime/Artifact.h"
#include "reprise/Runtime/reprise.h"
#include "reprise/Translate/TranslateProgram.h"
#include <gtest/gtest.h>

using namespace reprise;
using namespace reprise::test;

namespace {

// Never executed: translation looks at the magic number only.
std::vector<uint8_t> fakeCode() {
  std::vector<uint8_t> code(128, 0);
  const char magic[] = "\177ELF";
  std::copy(magic, magic + 4, code.begin());
  return code;
}

const char *const kSource = R"(
  sg.variable @w : tensor<8x2xf32> {role = #sg.role<parameter>,
    init = #sg.init<normal, 5.000000e-01 : f64>,
    file_permutation = array<i32: 1, 0>}
  func.func @train_step(%x: tensor<4x8xf32> {sg.name = "image"})
      -> (tensor<4x2xf32> {sg.name = "logits"}) {
    %w = sg.read @w : tensor<8x2xf32>
    %m = sg.constant dense<[true, false, true, true, false, true, false, true]>
      : tensor<8xi1>
    %z = sg.constant dense<0.5> : tensor<8x2xf32>
    %c = sg.matmul %x, %w
      : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %n = sg.kernel "ew_update" (%a = %w : tensor<8x2xf32>,
        %b = %z : tensor<8x2xf32>, %k = %m : tensor<8xi1>) -> tensor<8x2xf32> {
      %s = sg.sub %a, %b : tensor<8x2xf32>
      sg.yield %s : tensor<8x2xf32>
    }
    sg.write @w, %n : tensor<8x2xf32>
    return %c : tensor<4x2xf32>
  }
)";

TEST(Translate, MakesAnArtifactThatLoads) {
  Lowered lowered(kSource);
  ASSERT_TRUE(lowered.program) << lowered.diagnostics;
  auto artifact = translateProgram(lowered.program, fakeCode());
  ASSERT_TRUE(succeeded(artifact));
  rp_program *program = nullptr;
  ASSERT_EQ(
      rp_program_from_memory(artifact->data(), artifact->size(), &program),
      nullptr);
  EXPECT_STREQ(rp_program_model(program), "m");
  EXPECT_EQ(rp_program_arena_bytes(program), lowered.program.getArenaBytes());
  ASSERT_EQ(rp_program_variable_count(program), 1u);
  rp_tensor_info info;
  ASSERT_EQ(rp_program_variable(program, 0, &info), nullptr);
  EXPECT_STREQ(info.name, "w");
  EXPECT_EQ(info.file_permutation[0], 1);
  ASSERT_EQ(rp_program_input_count(program, "train_step"), 1u);
  ASSERT_EQ(rp_program_input(program, "train_step", 0, &info), nullptr);
  EXPECT_STREQ(info.name, "image");
  size_t peak = 0;
  ASSERT_EQ(rp_program_peak_bytes(program, "train_step", &peak), nullptr);
  EXPECT_EQ(peak, lowered.entry("train_step").getPeakBytes());
  EXPECT_NE(std::string(rp_program_plan_note(program)).find("\"peak_bytes\""),
            std::string::npos);
  rp_program_close(program);
}

TEST(Translate, EqualInputGivesEqualBytes) {
  Lowered first(kSource), second(kSource);
  auto a = translateProgram(first.program, fakeCode());
  auto b = translateProgram(second.program, fakeCode());
  ASSERT_TRUE(succeeded(a) && succeeded(b));
  EXPECT_EQ(*a, *b);
}

TEST(Translate, RefusesKernelsWithoutCode) {
  Lowered lowered(kSource);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &lowered.context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(failed(translateProgram(lowered.program, {})));
  EXPECT_NE(message.find("makes an artifact that is refused"),
            std::string::npos)
      << message;
}

} // namespace
