//===- VjpTest.cpp - Every derivative against finite differences ----------===//
//
// The gradients of sum(op(x) * r) that the vector-Jacobian product gives are
// compared with central differences of the evaluator, both in double precision
// and in f64. Central differences at h = 1e-5 are off by about 1e-10 here, from
// truncation and rounding each; 1e-7 of the largest gradient leaves room for
// third derivatives and is far below the effect of any wrong term.
//
//===----------------------------------------------------------------------===//

#include "Derivative.h"
#include "OpCases.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

static constexpr double kTolerance = 1e-7;

/// Cotangents for the floating-point results of a function.
static SmallVector<Tensor> fillWeights(func::FuncOp function) {
  SmallVector<Tensor> weights;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (Tensor weight = fill(cast<RankedTensorType>(type), 5 + i);
        weight.isReal())
      weights.push_back(weight);
  return weights;
}

class Vjp : public ::testing::TestWithParam<Case> {};

TEST_P(Vjp, EqualsFiniteDifferences) {
  Program p(GetParam().source);
  ASSERT_TRUE(p.function);
  SmallVector<Tensor> arguments =
      fillArguments(p.function, GetParam().low, GetParam().high);
  SmallVector<Tensor> weights = fillWeights(p.function);
  SmallVector<Tensor> expected = differences(p.function, arguments, weights);
  ASSERT_TRUE(succeeded(differentiate(p.function)));
  ASSERT_TRUE(succeeded(verify(*p.module)));
  arguments.append(weights);
  SmallVector<Tensor> got = p.run(arguments);
  ASSERT_EQ(got.size(), expected.size());
  double largest = 0.0;
  for (auto [g, e] : llvm::zip_equal(got, expected)) {
    expectClose(g, e, kTolerance);
    for (double value : e.getReals())
      largest = std::max(largest, std::fabs(value));
  }
  // Equal gradients that all vanish would say nothing.
  EXPECT_GT(largest, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Ops, Vjp, ::testing::ValuesIn(differentiableCases()),
                         caseName);

TEST(VjpCoverage, EveryOpWithADerivativeHasACase) {
  std::set<std::string> covered = opsIn(differentiableCases());
  std::unique_ptr<MLIRContext> context = makeContext();
  int count = 0;
  for (RegisteredOperationName name :
       context->getRegisteredOperationsByDialect("sg"))
    if (name.hasInterface<VjpOpInterface>()) {
      EXPECT_TRUE(covered.count(name.getStringRef().str()))
          << name.getStringRef().str();
      ++count;
    }
  EXPECT_GT(count, 30);
}
