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
  SmallVector<Tensor> expected = p.run(arguments);
  auto all = [](Operation *) { return true; };
  ASSERT_TRUE(succeeded(decomposeOps(p.function, all)));
  EvaluationOptions stored;
  stored.precision = Precision::Stored;
  SmallVector<Tensor> got = p.run(arguments, stored);
  ASSERT_EQ(got.size(), 2u);
  for (auto [g, e] : llvm::zip_equal(got, expected))
    expectClose(g, e, 10 * 0x1p-24);
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
