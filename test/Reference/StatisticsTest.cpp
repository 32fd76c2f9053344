//===- StatisticsTest.cpp - Recomputing from statistics, to the bit -------===//

#include "OpCases.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::reference;
using namespace reprise::reference::testing;

namespace {
/// Makes the function return what the op gives and what its `recompute` gives
/// of the same results, one after the other.
void returnBoth(StatisticsOpInterface op) {
  SmallVector<unsigned> indices = op.getStatistics();
  SmallVector<Value> statistics, original;
  for (OpResult result : op->getResults())
    if (llvm::is_contained(indices, result.getResultNumber()))
      statistics.push_back(result);
    else
      original.push_back(result);
  auto function = op->getParentOfType<func::FuncOp>();
  Operation *ret = function.getBody().front().getTerminator();
  OpBuilder builder(ret);
  SmallVector<Value> again =
      op.recompute(builder, op->getOperands(), statistics);
  ASSERT_EQ(ValueRange(again).getTypes(), ValueRange(original).getTypes());
  original.append(again);
  ret->setOperands(original);
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().front().getArgumentTypes(),
      ValueRange(original).getTypes()));
}
} // namespace

TEST(Statistics, RecomputingGivesTheSameBits) {
  std::set<std::string> tested;
  for (const Case &c : differentiableCases()) {
    // In f32, where Precision::Stored rounds.
    std::string source = c.source;
    for (size_t at; (at = source.find("f64>")) != std::string::npos;)
      source.replace(at, 4, "f32>");
    Program p(source);
    StatisticsOpInterface found;
    p.module->walk([&](StatisticsOpInterface op) { found = op; });
    if (!found)
      continue;
    tested.insert(found->getName().getStringRef().str());
    returnBoth(found);
    ASSERT_TRUE(succeeded(verify(*p.module)));
    for (Precision precision : {Precision::Double, Precision::Stored}) {
      EvaluationOptions options;
      options.precision = precision;
      SmallVector<Tensor> results =
          p.run(fillArguments(p.function, c.low, c.high), options);
      size_t half = results.size() / 2;
      for (size_t i = 0; i < half; ++i)
        expectSame(results[half + i], results[i]);
    }
  }
  std::unique_ptr<MLIRContext> context = makeContext();
  std::set<std::string> expected;
  for (RegisteredOperationName name :
       context->getRegisteredOperationsByDialect("sg"))
    if (name.hasInterface<StatisticsOpInterface>())
      expected.insert(name.getStringRef().str());
  EXPECT_EQ(tested, expected);
  EXPECT_TRUE(tested.count("sg.batch_norm_training"));
}
