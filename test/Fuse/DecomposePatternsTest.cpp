//===- DecomposePatternsTest.cpp - Decomposition in another driver --------===//
//
// What sg-decompose does by walks, the greedy driver does with the same
// patterns, which others may put among their own.
//
//===----------------------------------------------------------------------===//
#include "../../passes/Rewrites/GradientSums.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "reprise/IR/Kernel.h"
#include "reprise/Passes/Fuse.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace reprise;

namespace {
class DecomposePatterns : public testing::Test {
protected:
  DecomposePatterns() {
    context.loadDialect<sg::SgDialect, func::FuncDialect>();
  }

  /// Applies what `populate` adds, and returns how many ops of a name are left.
  size_t apply(const char *text, void (*populate)(RewritePatternSet &),
               StringRef name) {
    module = parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    RewritePatternSet patterns(&context);
    populate(patterns);
    EXPECT_TRUE(succeeded(applyPatternsGreedily(*module, std::move(patterns))));
    EXPECT_TRUE(succeeded(verify(*module)));
    size_t count = 0;
    module->walk(
        [&](Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }

  MLIRContext context;
  OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST_F(DecomposePatterns, leave_no_composite) {
  constexpr const char *text = R"(
    func.func @f(%x: tensor<8x10xf32>) -> tensor<8x10xf32> {
      %y = sg.softmax %x : tensor<8x10xf32>
      return %y : tensor<8x10xf32>
    })";
  EXPECT_EQ(apply(text, populateDecomposePatterns, "sg.softmax"), 0u);
  module->walk([](DecomposeOpInterface op) {
    EXPECT_TRUE(isa<PointwiseOpInterface>(*op))
        << op->getName().getStringRef().str();
  });
}

/// In bf16 the product would be rounded before it is added, and is not there:
/// whatever a library takes.
TEST_F(DecomposePatterns, add_up_gradients_in_f32_alone) {
  for (std::string type : {"f32", "bf16"}) {
    std::string y = "tensor<1x4x4x8x" + type + ">",
                w = "tensor<8x1x1x8x" + type + ">";
    std::string text =
        "func.func @f(%d: " + y + ", %w: " + w + ") -> " + y +
        " {\n%x = sg.neg %d : " + y +
        "\n%g = sg.conv2d_input_grad %d, %w {strides = array<i64: 1, 1>, "
        "padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, "
        "groups = 1 : i64} : (" +
        y + ", " + w + ") -> " + y + "\n%s = sg.add %x, %g : " + y +
        "\nreturn %s : " + y + "\n}";
    module = parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    for (auto function : module->getOps<func::FuncOp>())
      sg::addUpGradients(function.getBody().front(),
                         [](Operation *) { return true; });
    EXPECT_TRUE(succeeded(verify(*module)));
    size_t sums = 0;
    module->walk([&](sg::Conv2DInputGradAddOp) { ++sums; });
    EXPECT_EQ(sums, type == "f32" ? 1u : 0u);
  }
}

static void populateSplits(RewritePatternSet &patterns) {
  populateSplitReductionPatterns(patterns, ColumnSums::Split);
}

static void populateWhole(RewritePatternSet &patterns) {
  populateSplitReductionPatterns(patterns, ColumnSums::Whole);
}

TEST_F(DecomposePatterns, split_a_large_reduction_once) {
  constexpr const char *text = R"(
    func.func @f(%x: tensor<64x64x64xf32>) -> tensor<64xf32> {
      %y = sg.reduce_sum %x dims [0, 1]
        : tensor<64x64x64xf32> -> tensor<64xf32>
      return %y : tensor<64xf32>
    })";
  EXPECT_EQ(apply(text, populateSplits, "sg.reduce_sum"), 2u);
}

TEST_F(DecomposePatterns, keep_a_small_reduction) {
  constexpr const char *text = R"(
    func.func @f(%x: tensor<8x8x64xf32>) -> tensor<64xf32> {
      %y = sg.reduce_sum %x dims [0, 1] : tensor<8x8x64xf32> -> tensor<64xf32>
      return %y : tensor<64xf32>
    })";
  EXPECT_EQ(apply(text, populateSplits, "sg.reduce_sum"), 1u);
}

TEST_F(DecomposePatterns, keep_columns_whole_where_kernels_add_parts) {
  constexpr const char *text = R"(
    func.func @f(%x: tensor<64x64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
      %y = sg.reduce_sum %x dims [0, 1]
        : tensor<64x64x64xf32> -> tensor<64xf32>
      %z = sg.reduce_sum %x dims [0, 2]
        : tensor<64x64x64xf32> -> tensor<64xf32>
      return %y, %z : tensor<64xf32>, tensor<64xf32>
    })";
  EXPECT_EQ(apply(text, populateSplits, "sg.reduce_sum"), 4u);
  EXPECT_EQ(apply(text, populateWhole, "sg.reduce_sum"), 3u);
}
