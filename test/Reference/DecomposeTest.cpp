//===- DecomposeTest.cpp - Decompositions against direct formulas ---------===//
//
// Both in double precision: they differ by the order of sums and by where a
// division stands, a few units in the last place of sums of at most a hundred
// terms. 1e-12 of the largest element leaves room for that and for nothing
// else.
//
//===----------------------------------------------------------------------===//

#include "Derivative.h"
#include "OpCases.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

static constexpr double kTolerance = 1e-12;

static std::vector<Case> allCases() {
  std::vector<Case> all = differentiableCases();
  llvm::append_range(all, gradientCases());
  return all;
}

/// The cases that hold a composite op.
static std::vector<Case> compositeCases() {
  std::vector<Case> composites;
  for (const Case &c : allCases()) {
    Program p(c.source);
    bool isComposite = false;
    p.module->walk([&](DecomposeOpInterface) { isComposite = true; });
    if (isComposite)
      composites.push_back(c);
  }
  return composites;
}

class Decompose : public ::testing::TestWithParam<Case> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Decompose);

TEST_P(Decompose, EqualsTheDirectFormula) {
  Program p(GetParam().source);
  ASSERT_TRUE(p.function);
  SmallVector<Tensor> arguments =
      fillArguments(p.function, GetParam().low, GetParam().high);
  SmallVector<Tensor> expected = p.run(arguments);
  auto all = [](Operation *) { return true; };
  ASSERT_TRUE(succeeded(decomposeOps(p.function, all)));
  ASSERT_TRUE(succeeded(verify(*p.module)));
  SmallVector<Tensor> got = p.run(arguments);
  ASSERT_EQ(got.size(), expected.size());
  for (auto [g, e] : llvm::zip_equal(got, expected))
    expectClose(g, e, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Ops, Decompose, ::testing::ValuesIn(compositeCases()),
                         caseName);

/// Results of the ops in double precision, then of what they are decomposed
/// into, which rounds each value to its type. None where that fails.
static std::pair<SmallVector<Tensor>, SmallVector<Tensor>>
runRounded(Program &p, ArrayRef<Tensor> arguments) {
  SmallVector<Tensor> expected = p.run(arguments);
  if (failed(decomposeOps(p.function, [](Operation *) { return true; })))
    return {};
  EvaluationOptions stored;
  stored.precision = Precision::Stored;
  return {std::move(expected), p.run(arguments, stored)};
}

// Rows whose log-sum-exp takes most of the digits of f32. Each op of the
// decomposition rounds; some ten of them make a loss or a gradient of about 1,
// so 10 units in the last place of 1 are allowed. Rounded as it is kept, the
// log-sum-exp alone has an error of 250 of them.
TEST(DecomposeInF32, CrossEntropyKeepsItsDigitsOnLargeLogits) {
  Program p(R"(
    func.func @f(%x: tensor<4x3xf32>, %t: tensor<4xi32>, %d: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4x3xf32>) {
      %losses, %lse = sg.cross_entropy %x, %t
        : (tensor<4x3xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>)
      %dx = sg.cross_entropy_grad %x, %t, %lse, %d
        : (tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>)
        -> tensor<4x3xf32>
      return %losses, %dx : tensor<4xf32>, tensor<4x3xf32>
    })");
  ASSERT_TRUE(p.function);
  SmallVector<Tensor> arguments = fillArguments(p.function);
  const double logits[] = {8000.25,  8001.5,  7999.125, -9000.5,
                           -9000.25, -9003.0, 5000.0,   4999.875,
                           5000.5,   1.0,     2.0,      0.5};
  for (auto [k, value] : llvm::enumerate(logits))
    arguments[0].real(k) = value;
  for (int64_t k = 0; k < 4; ++k)
    arguments[2].real(k) = 1.0;
  auto [expected, got] = runRounded(p, arguments);
  ASSERT_EQ(got.size(), 2u);
  for (auto [g, e] : llvm::zip_equal(got, expected))
    expectClose(g, e, 10 * 0x1p-24);
}

// Channels whose sums of squares say nothing of the variance: a large mean; two
// samples of 32, those that a rough mean is taken of, far from the others; one
// number, small and large. What sums about a rough mean may lose are four
// bits of 24, and the mean of the first two samples is as far from that of
// all as it can be: sixteen times the rounding of sums by halves, some units in
// the last place, are allowed of the variance, of one number the square of what
// is rounded of its mean, and of a mean one unit of the largest number.
TEST(DecomposeInF32, BatchNormKeepsTheDigitsOfVariances) {
  Program p(R"(
    func.func @f(%x: tensor<32x3x3x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %y, %mean, %variance, %rstd = sg.batch_norm_training %x, %g, %b
          {epsilon = 1.0e-05 : f64}
        : (tensor<32x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
        -> (tensor<32x3x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      return %mean, %variance : tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(p.function);
  SmallVector<Tensor> arguments = fillArguments(p.function);
  Tensor &x = arguments[0];
  for (int64_t k = 0; k < x.size(); k += 4) {
    auto single = [](double value) { return static_cast<float>(value); };
    bool isRough = k < 2 * 3 * 3 * 4;
    x.real(k) = single(5000.0 + x.real(k));
    x.real(k + 1) = single(isRough ? 3000.0 + x.real(k + 1) : x.real(k + 1));
    x.real(k + 2) = single(0.1);
    x.real(k + 3) = single(-123456.7);
  }
  auto [expected, got] = runRounded(p, arguments);
  ASSERT_EQ(got.size(), 2u);
  const double largest[] = {5001.0, 3001.0, 0.1, 123456.7};
  for (int64_t c = 0; c < 4; ++c) {
    SCOPED_TRACE(c);
    EXPECT_NEAR(got[0].real(c), expected[0].real(c), largest[c] * 0x1p-23);
    double variance = expected[1].real(c);
    EXPECT_NEAR(got[1].real(c), variance, 16 * 8 * variance * 0x1p-24 + 1e-8);
    EXPECT_GE(got[1].real(c), 0.0);
  }
}

TEST(DecomposeCoverage, EveryCompositeOpHasACase) {
  std::set<std::string> covered = opsIn(allCases());
  std::unique_ptr<MLIRContext> context = makeContext();
  for (RegisteredOperationName name :
       context->getRegisteredOperationsByDialect("sg"))
    if (name.hasInterface<DecomposeOpInterface>()) {
      EXPECT_TRUE(covered.count(name.getStringRef().str()))
          << name.getStringRef().str();
    }
}
