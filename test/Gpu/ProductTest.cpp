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

#include "../../lib/Target/Cuda/Kernels/GpuKernels.h"
#include "../../lib/Target/Cuda/Ptx.h"
#include "KernelRun.h"
#include "reprise/IR/Sg.h"
#include <cmath>
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

/// Expects of a program's kernel what the reference makes of numbers as types
/// hold them, but for rounding.
static SimulationReport expectEqual(reference::testing::Program &program) {
  SmallVector<Tensor> arguments =
      reference::testing::fillArguments(program.function);
  for (Tensor &each : arguments)
    each.roundToStorage();
  return expectKernel(program, arguments, program.run(arguments), 1.0 / 64);
}

TEST_P(GpuProduct, EqualsSumsInDouble) {
  reference::testing::Program program(sourceOf(GetParam()));
  ASSERT_TRUE(program.function);
  SimulationReport report = expectEqual(program);
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
    {"PartsLeftOver", 129, 8, 32, 64, true},
};

INSTANTIATE_TEST_SUITE_P(Cases, GpuProduct, testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

// What is no number is none in its row and in the sums, and nowhere else.
TEST(GpuProduct, KeepsNanInItsRow) {
  reference::testing::Program program(
      sourceOf({"Nan", 3, 7, 64, 128, true, "bf16", true, true}));
  ASSERT_TRUE(program.function);
  SmallVector<Tensor> arguments =
      reference::testing::fillArguments(program.function);
  for (Tensor &each : arguments)
    each.roundToStorage();
  arguments[0].real(5) = NAN;
  SmallVector<Tensor> expected = program.run(arguments);
  ASSERT_TRUE(std::isnan(expected[1].real(127)));
  ASSERT_FALSE(std::isnan(expected[1].real(128)));
  expectKernel(program, arguments, expected, 1.0 / 64);
}

// Left operands whose rows are those of another tensor, at other places, and of
// what is repeated along some dimensions.
TEST(GpuProduct, MakesLeftOperandsOfOtherRows) {
  std::string tail =
      R"(
      %p = sg.conv2d %m, %w {strides = array<i64: 1, 1>,
          padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
          groups = 1 : i64}
        : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>)
          -> tensor<2x8x8x64xbf16>
      %s = sg.reduce_sum %p dims [0, 1, 2]
        : tensor<2x8x8x64xbf16> -> tensor<64xbf16>
      sg.yield %p, %s : tensor<2x8x8x64xbf16>, tensor<64xbf16>
    }
    return %k#0, %k#1 : tensor<2x8x8x64xbf16>, tensor<64xbf16>
  })";
  auto head = [](const std::string &type) {
    return "func.func @made(%x: " + type +
           R"(, %f: tensor<64x1x1x64xbf16>)
      -> (tensor<2x8x8x64xbf16>, tensor<64xbf16>) {
    %k:2 = sg.kernel "k" (%a = %x : )" +
           type + R"(, %w = %f : tensor<64x1x1x64xbf16>)
        -> (tensor<2x8x8x64xbf16>, tensor<64xbf16>) {)";
  };
  std::string slice = head("tensor<5x8x8x64xbf16>") +
                      R"(
      %l = sg.slice %a [2, 0, 0, 0] to [4, 8, 8, 64] by [1, 1, 1, 1]
        : tensor<5x8x8x64xbf16> -> tensor<2x8x8x64xbf16>
      %m = sg.neg %l : tensor<2x8x8x64xbf16>)" +
                      tail;
  std::string turned = head("tensor<2x8x8x64xbf16>") +
                       R"(
      %l = sg.transpose %a perm [0, 2, 1, 3]
        : tensor<2x8x8x64xbf16> -> tensor<2x8x8x64xbf16>
      %m = sg.add %l, %a : tensor<2x8x8x64xbf16>)" +
                       tail;
  // Loops that go over several rows at once, or over all.
  auto repeated = [&](const std::string &of, const std::string &dims) {
    std::string text = head("tensor<2x8x8x64xbf16>");
    auto place = text.find(", %f:");
    text.insert(place, ", %o: " + of);
    place = text.find(", %w =");
    text.insert(place, ", %b = %o : " + of);
    return text + R"(
      %l = sg.broadcast %b dims )" +
           dims + " : " + of + R"( -> tensor<2x8x8x64xbf16>
      %m = sg.add %l, %a : tensor<2x8x8x64xbf16>)" +
           tail;
  };
  std::string bySample = repeated("tensor<2xbf16>", "[0]"),
              byPlace = repeated("tensor<8x8x64xbf16>", "[1, 2, 3]"),
              byLine = repeated("tensor<2x8xbf16>", "[0, 1]"),
              byHeight = repeated("tensor<8xbf16>", "[1]"),
              byElement = repeated("tensor<2x8x8x64xbf16>", "[0, 1, 2, 3]");
  for (const std::string &text :
       {slice, turned, bySample, byPlace, byLine, byHeight, byElement}) {
    SCOPED_TRACE(text);
    reference::testing::Program program(text);
    ASSERT_TRUE(program.function);
    expectEqual(program);
  }
}

// What a left operand is made of is handed out, and it is not.
TEST(GpuProduct, HandsOutWhatItsLeftOperandIsMadeOf) {
  reference::testing::Program program(R"(
    func.func @made(%x: tensor<2x8x8x64xbf16>, %f: tensor<64x1x1x64xbf16>,
                    %s: tensor<64xbf16>)
        -> (tensor<2x8x8x64xbf16>, tensor<2x8x8x64xbf16>) {
      %k:2 = sg.kernel "k" (%a = %x : tensor<2x8x8x64xbf16>,
                            %w = %f : tensor<64x1x1x64xbf16>,
                            %c = %s : tensor<64xbf16>)
          -> (tensor<2x8x8x64xbf16>, tensor<2x8x8x64xbf16>) {
        %h = sg.relu %a : tensor<2x8x8x64xbf16>
        %b = sg.broadcast %c dims [3]
          : tensor<64xbf16> -> tensor<2x8x8x64xbf16>
        %m = sg.mul %h, %b : tensor<2x8x8x64xbf16>
        %p = sg.conv2d %m, %w {strides = array<i64: 1, 1>,
            padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
            groups = 1 : i64}
          : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>)
            -> tensor<2x8x8x64xbf16>
        sg.yield %h, %p : tensor<2x8x8x64xbf16>, tensor<2x8x8x64xbf16>
      }
      return %k#0, %k#1 : tensor<2x8x8x64xbf16>, tensor<2x8x8x64xbf16>
    })");
  ASSERT_TRUE(program.function);
  expectEqual(program);
}

/// (output, input) of a program's kernel.
static std::vector<std::pair<unsigned, unsigned>>
placesOf(const std::string &text) {
  reference::testing::Program program(text);
  EXPECT_TRUE(program.function);
  auto kernel = *program.function.getOps<sg::KernelOp>().begin();
  auto traits = analyzeGpuKernel(kernel.getBody().front());
  EXPECT_TRUE(succeeded(traits));
  return {traits->inPlace.begin(), traits->inPlace.end()};
}

// What a block reads alone, it may store over: the product and the sum's term
// over %a4; the left operand over %a0 or %a1, where no block of other columns
// and no thread without a row reads these.
TEST(GpuProduct, StoresOverWhatNobodyElseReads) {
  using Places = std::vector<std::pair<unsigned, unsigned>>;
  Places all = {{0, 0}, {0, 1}, {1, 4}, {2, 4}}, some = {{1, 4}, {2, 4}};
  EXPECT_EQ(placesOf(sourceOf({"OneTileWide", 2, 8, 32, 64, true})), all);
  EXPECT_EQ(placesOf(sourceOf({"TwoTilesWide", 2, 8, 32, 256, true})), some);
  EXPECT_EQ(placesOf(sourceOf({"RowsLeftOver", 3, 7, 32, 64, true})), some);
  // 8,256 rows are 129 tiles, and of 32 blocks each has four and a part.
  EXPECT_EQ(placesOf(sourceOf({"PartsLeftOver", 129, 8, 32, 64, true})), some);
}

// Blocks make left operands of what others would store over.
TEST(GpuProduct, StoresOverNothingThatBothPartsRead) {
  EXPECT_TRUE(placesOf(R"(
    func.func @made(%x: tensor<2x8x8x64xbf16>, %f: tensor<64x1x1x64xbf16>)
        -> (tensor<2x8x8x64xbf16>, tensor<64xbf16>) {
      %k:2 = sg.kernel "k" (%a = %x : tensor<2x8x8x64xbf16>,
                            %w = %f : tensor<64x1x1x64xbf16>)
          -> (tensor<2x8x8x64xbf16>, tensor<64xbf16>) {
        %m = sg.neg %a : tensor<2x8x8x64xbf16>
        %p = sg.conv2d %m, %w {strides = array<i64: 1, 1>,
            padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>,
            groups = 1 : i64}
          : (tensor<2x8x8x64xbf16>, tensor<64x1x1x64xbf16>)
            -> tensor<2x8x8x64xbf16>
        %r = sg.add %p, %a : tensor<2x8x8x64xbf16>
        %s = sg.reduce_sum %r dims [0, 1, 2]
          : tensor<2x8x8x64xbf16> -> tensor<64xbf16>
        sg.yield %r, %s : tensor<2x8x8x64xbf16>, tensor<64xbf16>
      }
      return %k#0, %k#1 : tensor<2x8x8x64xbf16>, tensor<64xbf16>
    })")
                  .empty());
}

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
      // Wide ones lack six registers; older architectures have no fewer, but
      // their assembler needs more.
      EXPECT_LE(cubin->uses[0].spilledBytes,
                architecture == std::string("sm_80") ? 64u : 24u)
          << of.name << " for " << architecture;
      EXPECT_LE(cubin->uses[0].sharedBytes, 48u << 10);
      // Two blocks on a multiprocessor.
      EXPECT_LE(cubin->uses[0].registers, 128u);
    }
}
