//===- ProductTest.cpp - Products with what stands around them ------------===//
//
// Kernels of a convolution that looks at single points, or of its gradient,
// what makes its left operand and what sums columns of its result, against the
// reference evaluator, which sums in double precision: tiles that do and do not
// divide the rows, one and several of them, along each side, both forms of the
// right operand, both types. No access may race, leave a tensor or read what
// nobody wrote, and no order of threads may change a bit.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Target/Cuda/Ptx.h"
#include "KernelRun.h"
#include "reprise/Codegen/GpuKernels.h"
#include "reprise/IR/Sg.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;
using namespace reprise::gpu_test;
using reference::Tensor;

namespace {

struct ProductCase {
  const char *name;
  int64_t samples, side, inner, columns;
  bool isGrad;
  const char *type = "bf16";
  /// Whether the left operand is made in the kernel, and handed out.
  bool makesLeft = true, yieldsLeft = true;
};

std::ostream &operator<<(std::ostream &stream, const ProductCase &each) {
  return stream << each.name;
}

class GpuProduct : public testing::TestWithParam<ProductCase> {};

} // namespace

/// A function which is a kernel: of a gradient behind the statistics of a
/// normalization, and of a factor, or of a convolution of what was normalized.
static std::string sourceOf(const ProductCase &of) {
  std::string type = of.type, inner = std::to_string(of.inner),
              columns = std::to_string(of.columns),
              points = std::to_string(of.samples) + "x" +
                       std::to_string(of.side) + "x" + std::to_string(of.side) +
                       "x";
  std::string left = "tensor<" + points + inner + "x" + type + ">",
              wideLeft = "tensor<" + points + inner + "xf32>",
              result = "tensor<" + points + columns + "x" + type + ">",
              wide = "tensor<" + points + columns + "xf32>",
              perInner = "tensor<" + inner + "xf32>",
              perColumn = "tensor<" + columns + "xf32>";
  std::string filter =
      of.isGrad ? inner + "x1x1x" + columns : columns + "x1x1x" + inner;
  filter = "tensor<" + filter + "x" + type + ">";
  std::string inputs[] = {left, left, perInner, filter, result, perColumn};
  std::string outer, bound;
  for (int i = 0; i < 6; ++i) {
    std::string comma = i ? ", " : "", n = std::to_string(i);
    outer += comma + "%x" + n + ": " + inputs[i];
    bound += comma + "%a" + n + " = %x" + n + " : " + inputs[i];
  }
  std::string made = of.yieldsLeft && of.makesLeft ? left + ", " : "";
  std::string all = "(" + made + result + ", " + result + ", " + perColumn +
                    ", " + perColumn + ")";
  std::string op = of.isGrad ? "conv2d_input_grad" : "conv2d";
  std::string text = "func.func @made(" + outer + ") -> " + all +
                     " {\n  %k:" + (made.empty() ? "4" : "5") +
                     " = sg.kernel \"k\" (" + bound + ") -> " + all + " {\n";
  std::string operand = "%a0";
  if (of.makesLeft) {
    text += "%m0 = sg.cast %a0 : " + left + " to " + wideLeft +
            "\n%m1 = sg.broadcast %a2 dims [3] : " + perInner + " -> " +
            wideLeft + "\n%m2 = sg.mul %m0, %m1 : " + wideLeft +
            "\n%m3 = sg.cast %a1 : " + left + " to " + wideLeft +
            "\n%m4 = sg.add %m2, %m3 : " + wideLeft +
            "\n%m5 = sg.cast %m4 : " + wideLeft + " to " + left + "\n";
    operand = "%m5";
  }
  text += "%p = sg." + op + " " + operand +
          ", %a3 {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, "
          "0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (" +
          left + ", " + filter + ") -> " + result +
          "\n%r0 = sg.mul %p, %a4 : " + result +
          "\n%r1 = sg.cast %r0 : " + result + " to " + wide +
          "\n%r2 = sg.broadcast %a5 dims [3] : " + perColumn + " -> " + wide +
          "\n%r3 = sg.sub %r1, %r2 : " + wide +
          "\n%r4 = sg.mul %r3, %r1 : " + wide +
          "\n%s0 = sg.reduce_sum %r1 dims [0, 1, 2] : " + wide + " -> " +
          perColumn + "\n%s1 = sg.reduce_sum %r4 dims [0, 1, 2] : " + wide +
          " -> " + perColumn + "\nsg.yield " + (made.empty() ? "" : "%m5, ") +
          "%p, %r0, %s0, %s1 : " + made + result + ", " + result + ", " +
          perColumn + ", " + perColumn + "\n}\nreturn ";
  for (int i = 0; i < (made.empty() ? 4 : 5); ++i)
    text += (i ? ", %k#" : "%k#") + std::to_string(i);
  return text + " : " + all.substr(1, all.size() - 2) + "\n}\n";
}

TEST_P(GpuProduct, EqualsSumsInDouble) {
  reference::testing::Program program(sourceOf(GetParam()));
  ASSERT_TRUE(program.function);
  SmallVector<Tensor> arguments =
      reference::testing::fillArguments(program.function);
  for (Tensor &each : arguments)
    each.roundToStorage();
  SmallVector<Tensor> expected = program.run(arguments);
  SimulationReport report =
      expectKernel(program, arguments, expected, 1.0 / 64);
  // Tiles are brought and read without conflicts of banks, but for right
  // operands that are turned, and memory by whole sectors.
  Traffic all = report.total();
  EXPECT_LE(all.sharedPasses, 1.2 * all.leastSharedPasses);
  EXPECT_LE(all.sectors, 1.3 * all.leastSectors);
}

// samples, side, inner, columns, gradient, type, makes and yields the left
static const ProductCase kCases[] = {
    {"OneTile", 2, 8, 32, 64, false},
    {"Wide", 2, 8, 64, 128, false},
    {"Steps", 2, 8, 96, 256, false, "f16"},
    {"Gradient", 2, 8, 64, 64, true},
    {"WideGradient", 2, 8, 128, 256, true, "f16"},
    {"RowsLeftOver", 3, 7, 64, 128, true},
    {"ManyTiles", 5, 15, 64, 64, true},
    {"LeftInMemory", 3, 9, 128, 64, false, "bf16", false},
    {"LeftNotStored", 2, 9, 64, 128, true, "bf16", true, false},
    {"Parts", 9, 32, 32, 64, false},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuProduct, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// Code for real devices, where there is an assembler.
TEST(GpuProductCode, AssemblesWithHardlyASpill) {
  for (const ProductCase &of :
       {ProductCase{"Narrow", 64, 56, 256, 64, true},
        ProductCase{"Wide", 64, 28, 128, 512, true},
        ProductCase{"Forward", 64, 28, 128, 512, false, "f16"},
        ProductCase{"InMemory", 64, 56, 256, 64, false, "bf16", false},
        ProductCase{"WideInMemory", 64, 28, 128, 512, true, "bf16", false}})
    for (const char *architecture : {"sm_80", "sm_90"}) {
      reference::testing::Program program(sourceOf(of));
      ASSERT_TRUE(program.function);
      OwningOpRef<ModuleOp> top = emitKernel(program.function);
      loadPtxDialects(*program.context);
      FailureOr<std::string> ptx =
          emitPtx(*top->getOps<gpu::GPUModuleOp>().begin(), architecture);
      ASSERT_TRUE(succeeded(ptx));
      rt::Expected<Cubin> cubin = assemble(*ptx, architecture);
      if (!cubin.ok() && cubin.status().code() == RP_UNAVAILABLE)
        GTEST_SKIP() << cubin.status().message();
      ASSERT_TRUE(cubin.ok()) << cubin.status().message();
      ASSERT_EQ(cubin->uses.size(), 1u);
      // Older ones have no fewer registers, but their assembler needs more.
      EXPECT_LE(cubin->uses[0].spilledBytes,
                architecture == std::string("sm_80") ? 64u : 0u)
          << of.name << " for " << architecture;
      EXPECT_LE(cubin->uses[0].sharedBytes, 48u << 10);
      // Two blocks on a multiprocessor.
      EXPECT_LE(cubin->uses[0].registers, 128u);
    }
}
