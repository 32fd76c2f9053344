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
